"""The imports between files follow the order of tf1mem's rooms, which are its folders."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from migration_guide.generating.house import CODEMOD, FLOWS, HOUSE, PHASES, ROOMS
from tf1mem.checking import remembered
from tf1mem.codemod.trees import known

from .imports import ROOT, circles, graph, modules
from .patches import LIBRARIES, changes

PACKAGES = {"tf1mem": ROOMS, "tf1mem.codemod": CODEMOD}


def room(package, module):
    """Returns the room of a module; None for the package's own __init__ and for modules outside of the package."""
    return module[len(package) + 1 :].split(".")[0] if module.startswith(package + ".") else None


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_has_its_place_in_the_order(package):
    rooms = {room(package, module) for module in modules()} - {None, "__main__"}
    assert rooms == set(PACKAGES[package])


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_climbs(package):
    """A room imports only from rooms before it. The package's __init__ and __main__ come after all rooms."""
    rooms = PACKAGES[package]
    climbs = []
    for module, other in ((module, other) for module, others in graph().items() for other in others):
        lower, higher = room(package, module), room(package, other)
        if {lower, higher} <= set(rooms) and rooms.index(lower) < rooms.index(higher):
            climbs.append(f"{module} imports {other}")
    assert not climbs


def test_no_files_import_each_other():
    assert circles(graph()) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}) == [["b", "c"], ["d"]]


@pytest.mark.parametrize(("start", "rooms"), [("tf1mem.codemod", known.ROOMS), ("tf1mem.checking", remembered.ROOMS)])
def test_a_cache_knows_the_rooms_that_decide(start, rooms):
    """A cached result depends on the code of these files; errors and pages only show it."""
    imports, waiting, reached = graph(), [start], set()
    waiting += [module for module in imports if module.startswith(start + ".")]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += imports.get(module, ())
    assert {room("tf1mem", module) for module in reached} - {None, "errors", "pages"} == set(rooms)


def test_the_arrows_of_the_house_are_imports():
    edges = {(room("tf1mem", module), room("tf1mem", other)) for module, others in graph().items() for other in others}
    arrows = [flow for flow in FLOWS if flow[:2] != ("runner", "v1")]  # it writes the import into programs instead
    for flow in arrows:
        assert (flow.end, flow.start) in edges or (flow.start, flow.end) in edges, flow


def test_the_label_of_an_arrow_is_a_class_of_the_room_at_its_start():
    drawn = [(flow.start, flow.label) for flow in FLOWS]
    for rooms in HOUSE.values():
        drawn += [(above.name, this_room.takes) for above, this_room in zip(rooms, rooms[1:])]
        drawn += [(this_room.name, this_room.gives) for this_room in rooms]
    named = {(start, label) for start, label in drawn if re.fullmatch("[A-Z][a-z]+", label)}
    assert named == {("machine", "Runtime"), ("settings", "Settings"), ("planning", "Plan"), ("applying", "Report")}
    for start, label in named:
        sources = [path for module, path in modules().items() if room("tf1mem", module) == start]
        classes = {
            node.name
            for path in sources
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef)
        }
        assert label in classes, (start, label)


# The function that returns when a phase is over, and the path of its file within its room.
ENDS = {
    "prefilter": ("is_about", "prefilter.py"),
    "files": ("extract", "__init__.py"),
    "source": ("__init__", "tree.py"),
    "facts": ("__init__", "module.py"),
    "targets": ("plan", "__init__.py"),
    "rules": ("findings", "__init__.py"),
    "rewriting": ("_written", "module_changes.py"),
}


def test_a_file_goes_through_the_phases_in_their_order():
    from tf1mem.codemod import rewrite

    over = []

    def note(frame, event, _argument):
        path = Path(frame.f_code.co_filename)
        for phase, (function, file) in ENDS.items():
            called = (frame.f_code.co_name, path.name) == (function, file) and path.parent.name in (phase, "codemod")
            if event == "return" and called:
                over.append(phase)

    sys.setprofile(note)
    try:
        result = rewrite(
            b"import tensorflow as tf\nsess = tf.Session(config=tf.ConfigProto(log_device_placement=True))\n"
        )
    finally:
        sys.setprofile(None)
    assert result.changes
    drawn = [phase.name for rooms in PHASES.values() for phase in rooms]
    assert [*dict.fromkeys(over), "trees"] == drawn
    assert set(drawn) <= set(CODEMOD)
    assert any("tf1mem.codemod.rewriting" in others for module, others in graph().items() if ".trees." in module)


def test_tensorflow_is_changed_by_hooks_alone():
    """Exempt are the files that the doctor and the runner load into processes that may have no tf1mem."""
    withins = (ROOT / "tf1mem" / "doctor" / "watch" / "within", ROOT / "tf1mem" / "runner" / "within")
    allowed = (ROOT / "tf1mem" / "hooks", *withins)
    changed = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in modules().values()
        if not set(allowed) & set(path.parents)
        for line, text in changes(path.read_text(encoding="utf-8"))
    ]
    assert not changed, "call a function of tf1mem/hooks/wrappers.py instead"


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    import tensorflow as tf\n    tf.add = None",
        "from tensorflow.python.framework import ops\nops.Tensor.__repr__ = str",
        "def f(tf):\n    tf.Tensor.__repr__ = lambda self: ''",
        "def f(tf):\n    def g():\n        setattr(tf.nn, 'relu', None)",
        "def f():\n    ops = loaded_module('python.framework.ops')\n    cls = ops.Tensor\n    cls.x = 1",
        "def f():\n    for cls in (keras.Model, keras.Layer):\n        del cls.apply\nimport keras",
        "import tf_keras\ntf_keras.backend._config['x'] = 1",
        "def f(owner, name):\n    setattr(owner, name, 1)",
        "context_module().context()._devices.clear()",
        "import_module('tensorflow.python.ops').x += (1,)",
    ],
)
def test_a_change_of_tensorflow_is_seen(code):
    assert len(list(changes(code))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow as tf\ngraph = tf.Graph()\ngraph.colocate_with = None",
        "import numpy as np\nnp.bool = bool",
        "def f(self, tf):\n    self.tf = tf",
        "def f():\n    command = import_module('tf1mem.cli.run')\n    command.name = 'run'",
        "import tensorflow as tf\ndef f(tf_config):\n    rows = []\n    rows.append(tf.add)",
    ],
)
def test_code_may_change_its_own_objects(code):
    assert list(changes(code)) == []


@pytest.mark.parametrize("pure", ["settings", "planning"])
def test_settings_and_planning_have_no_effects(pure):
    """The two rooms change no module, no environment and no file, import no TensorFlow, and start no process."""
    acting = {"open", "print", "exec", "eval", "write_text", "write_bytes", "mkdir", "unlink", "Popen", "system"}
    effects = []
    for module, path in modules().items():
        if room("tf1mem", module) == pure:
            source = path.read_text(encoding="utf-8")
            effects += [f"{module}:{line}: {text}" for line, text in changes(source, (*LIBRARIES, "os", "sys"))]
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    is_reading = name == "open" and pure == "settings"  # a file with settings
                    if name in acting and not is_reading:
                        effects.append(f"{module}:{node.lineno}: {ast.unparse(node)}")
                elif isinstance(node, (ast.Import, ast.ImportFrom)):
                    names = (
                        [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                    )
                    if any(name.split(".")[0] in (*LIBRARIES, "subprocess") for name in names):
                        effects.append(f"{module}:{node.lineno}: {ast.unparse(node)}")
    assert not effects


def test_rooms_that_patch_tensorflow_are_marked_in_the_house():
    """The map marks the rooms that use hooks, and the doctor, whose own files patch TensorFlow in other processes."""
    patching = {"tf1mem.hooks.finder", "tf1mem.hooks.wrappers"}
    patching_rooms = {room("tf1mem", module) for module, others in graph().items() if others & patching}
    marked = {each.name for rooms in HOUSE.values() for each in rooms if each.changes}
    assert marked == patching_rooms - {None} | {"doctor"}
