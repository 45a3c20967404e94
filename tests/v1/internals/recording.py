"""Generates or checks tf1mem/names/data/internals.txt: the places today of the names in TensorFlow 1's own files.

Usage, from the root of the repository:

    python -m tests.v1.internals.recording            on every TensorFlow, the oldest first: notes the names in its
                                                      files, in build/internals/; after the last, writes the table
    python -m tests.v1.internals.recording --write    only writes the table
    python -m tests.v1.internals.recording --check    on each of these: ends with 1 if the table is wrong there
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections import defaultdict
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Iterator, NamedTuple

from tests.names import generating
from tf1mem.machine.versions import TESTED
from tf1mem.names import internals

from . import walking

HERE = Path(__file__).resolve().parent
NOTES = HERE.parents[2] / "build" / "internals"
# Names of the table that a TensorFlow 2 lacks: not yet, or no longer.
ABSENT = HERE / "absent.txt"
VERSIONS = [row.version for row in TESTED]
TF1 = [version for version in reversed(VERSIONS) if version.startswith("1.")]  # the newer one takes precedence
TF2 = [version for version in reversed(VERSIONS) if not version.startswith("1.")]

_OF_KERAS = ("python.keras", "python.estimator")
# Files whose names mean other objects than equal names elsewhere.
_OF_THEIR_OWN = (
    "python.autograph",
    "python.training.learning_rate_decay_v2",
    "python.distribute.strategy_combinations",
)


class Place(NamedTuple):
    """The place of an object: a namespace below tf1mem.v1, and the name there."""

    home: str
    name: str


# Objects that have another name today, or whose old name has another meaning, or whose arguments can't be read.
RENAMED = {
    "python.data.util.nest.is_sequence": Place("python.data.util.nest", "is_nested"),
    "python.keras.engine.network.Network": Place("keras", "Model"),  # all of Keras's networks are instances of it
    "python.training.tracking.tracking.CapturableResource": Place("python.trackable.resource", "CapturableResource"),
    "python.training.tracking.tracking.TrackableResource": Place("python.trackable.resource", "TrackableResource"),
    "python.util.nest.is_sequence": Place("python.util.nest", "is_nested"),
}


def version_here() -> str:
    """Returns the installed TensorFlow's version, as the matrix names it."""
    import tensorflow as tf

    version = str(tf.__version__)
    return version if version in VERSIONS else "candidate"


def note() -> None:
    """Notes the names in the installed TensorFlow's files."""
    import tensorflow as tf

    version = version_here()
    ids: dict[int, int] = {}
    names_asked: dict[str, set[str]] = defaultdict(set)  # names that a module may have without listing them
    if version in TF1:
        roots = {"python": "tensorflow.python"}
        public: dict[int, list[str]] = defaultdict(list)
        for name, value in generating.walk(tf):
            if callable(value):
                public[id(value)].append(name)
    else:
        import tf1mem.v1
        from tf1mem.v1 import _internals

        roots = {"python": "tensorflow.python"}
        roots.update({old: _internals.origin(old) if _there(_internals.origin, old) else "" for old in _OF_KERAS})
        for tf1 in TF1:
            for file, names in _notes(tf1)["files"].items():
                names_asked[file].update(names)
        looked_up = {name for tf1 in TF1 for file in _notes(tf1)["files"].values() for facts_by_name in file.values()
                     for name in facts_by_name["public"]}  # fmt: skip
        values = {name: _look_up(tf1mem.v1, name) for name in sorted(looked_up)}
        public_now = {name: walking.described(value, roots, ids) for name, value in values.items() if value is not None}
    files = {}
    objects = []  # keeps all objects alive, so that no two have the same id
    for dotted, module in walking.modules(roots).items():
        values = walking.names(module, names_asked[dotted])
        objects.append(values)
        files[dotted] = {name: walking.described(value, roots, ids) for name, value in values.items()}
        if version in TF1:
            for name, value in values.items():
                files[dotted][name]["public"] = public.get(id(value), [])
    NOTES.mkdir(parents=True, exist_ok=True)
    noted = {"files": files} if version in TF1 else {"files": files, "public": public_now}
    (NOTES / (version + ".json")).write_text(json.dumps(noted), encoding="utf-8")
    print(f"TensorFlow {version}: {sum(map(len, files.values()))} names in {len(files)} files")


def _there(function: Any, *arguments: Any) -> bool:
    try:
        function(*arguments)
    except Exception:  # whatever a TensorFlow without Keras 2 or the Estimator says
        return False
    return True


def _look_up(root: Any, name: str) -> Any:
    try:
        return attrgetter(name)(root)
    except Exception:
        return None


@lru_cache(maxsize=None)
def _notes(version: str) -> dict[str, Any]:
    noted: dict[str, Any] = json.loads((NOTES / (version + ".json")).read_text("utf-8"))
    return noted


class Generator:
    """Makes the table from the notes."""

    def __init__(self) -> None:
        self.old: dict[str, dict[str, Any]] = {}
        for version in TF1:
            files = _notes(version)["files"]
            for file in files.keys() - self.old.keys():
                self.old[file] = {name: {**facts, "beside": files} for name, facts in files[file].items()}
        self.new = {version: _notes(version) for version in TF2}
        self.by_name = {version: self._by_name(self.new[version]["files"]) for version in TF2}
        self.differing: set[str] = set()

    def _by_name(self, files: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
        by_name: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        for file, names in files.items():
            for name, facts in names.items():
                if facts["home"] in (file, None):
                    by_name[name].append((file, facts))
        return by_name

    def rows(self) -> Iterator[tuple[str, str, list[Place]]]:
        """Yields file and name in TensorFlow 1, and the name's place today."""
        for file, names in sorted(self.old.items()):
            for name, facts in names.items():
                public = self._public(file, facts["public"])
                if public is not None:
                    if any(self._differs(version, file, name, public) for version in TF2):
                        home, _, leaf = public.rpartition(".")
                        yield file, name, [Place(home, leaf)]
                    continue
                if facts["home"] is None and facts["kind"] in ("class", "function"):
                    continue  # not TensorFlow's
                places: list[Place] = []
                for version in TF2:
                    if name not in self.new[version]["files"].get(file, ()):
                        place = self._moved(version, file, name, facts)
                        if place is not None and place not in places:
                            places.append(place)
                if places:
                    yield file, name, places

    def _public(self, file: str, names: list[str]) -> str | None:
        """Returns the public name that most of the TensorFlow 2 versions have."""
        of_keras = file.startswith(_OF_KERAS)

        def fitness(name: str) -> tuple[int, bool, int, str]:
            count = sum(name in self.new[version]["public"] for version in TF2)
            return -count, name.startswith("keras.") is not of_keras, len(name), name

        best = min(names, key=fitness, default=None)
        return best if best is not None and fitness(best)[0] else None

    def _differs(self, version: str, file: str, name: str, public: str) -> bool:
        then = self.new[version]["public"].get(public)
        now = self.new[version]["files"].get(file, {}).get(name)
        if then is None or (now is not None and then["id"] == now["id"]):
            return False
        old = self.old[file][name]
        if not walking.accepts(then["parameters"], old["parameters"]):
            self.differing.add(f"{public} {version} {old['parameters']} {then['parameters']}")
        return True

    def _moved(self, version: str, file: str, name: str, facts: Any) -> Place | None:
        files = self.new[version]["files"]
        renamed = RENAMED.get(f"{file}.{name}")
        if renamed is not None and (renamed.home == "keras" or renamed.name in files.get(renamed.home, ())):
            return renamed
        written = facts["home"]
        if written not in (None, file):
            if written.startswith("python.util."):
                return None  # a tool of the file's own
            if name in files.get(written, ()):
                return Place(written, name)
        constant = facts["kind"] not in ("class", "function")
        if file.startswith(_OF_THEIR_OWN) or file.endswith("_pb2"):
            return None
        if constant and not (name.isupper() and " " in facts["kind"]):
            return None
        fits = [
            (place, other)
            for place, other in self.by_name[version].get(name, ())
            if other["kind"] == facts["kind"]
            and (constant or (other["home"] and walking.accepts(other["parameters"], facts["parameters"])))
            # If TensorFlow 1 already had another object there, this isn't the moved one.
            and facts["beside"].get(place, {}).get(name, facts)["id"] == facts["id"]
        ]
        if file.endswith("_v2"):
            fits = [fit for fit in fits if not fit[0].endswith("_v1")]
        leaf = (written or file).rpartition(".")[2]
        named_alike = [fit for fit in fits if fit[0].rpartition(".")[2] == leaf]
        for chosen in (fits, named_alike):
            if len({other["id"] for _, other in chosen}) == 1 and (not constant or len(chosen) == 1):
                return Place(chosen[0][0], name)
        return None

    def text(self) -> str:
        """Returns the table's text."""
        lines: dict[tuple[str, str], list[str]] = defaultdict(list)
        for file, name, places in self.rows():
            for place in places:
                entry = name if place.name == name else f"{name}={place.name}"
                lines[file, place.home].append(entry)
        head = (
            "# Generated by tests/v1/internals/recording.py: file of TensorFlow 1, namespace that has them now, names."
        )
        return (
            "\n".join([head, *(" ".join((file, home or ".", *names)) for (file, home), names in lines.items())]) + "\n"
        )

    def absent(self) -> str:
        """Returns the names of the table that some TensorFlow lacks: versions, and names without "python"."""
        where: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for file, name, places in self.rows():
            versions = tuple(version for version in TF2 if not self._is_in(version, Place(file, name), places))
            if versions:
                where[versions].append(f"{file}.{name}")
        return "".join(" ".join([*versions, *names]) + "\n" for versions, names in sorted(where.items()))

    def _is_in(self, version: str, old: Place, places: list[Place]) -> bool:
        files, public = self.new[version]["files"], self.new[version]["public"]
        if not places[0].home.startswith("python."):
            return f"{places[0].home}.{places[0].name}".lstrip(".") in public
        if any(old.home.startswith(package) and package not in files for package in _OF_KERAS):
            return False  # that package isn't installed
        return any(place.name in files.get(place.home, ()) for place in (old, *places))


def write() -> None:
    """Writes the table."""
    generator = Generator()
    internals.PATH.write_text(generator.text(), encoding="utf-8")
    ABSENT.write_text(generator.absent(), encoding="utf-8")
    print(f"written: {internals.PATH}, {ABSENT}")
    for line in sorted(generator.differing):
        print("takes other arguments:", line)


def recorded_absent(version: str) -> set[str]:
    """Returns the recorded names of the table that a TensorFlow lacks."""
    lines = [line.split() for line in ABSENT.read_text("utf-8").splitlines()]
    return {name for line in lines if version in line for name in line if name.startswith("python")}


def missing_here() -> set[str]:
    """Returns the names of the table that the installed TensorFlow lacks."""
    if version_here() in TF1:
        from importlib import import_module

        def look_up(file: str, name: str) -> Any:
            try:
                module = import_module("tensorflow." + file)
            except ImportError:  # another TensorFlow 1's
                return None
            return getattr(module, name)
    else:
        import tf1mem.v1

        def look_up(file: str, name: str) -> Any:
            return attrgetter(f"{file}.{name}")(tf1mem.v1)

    return {row.path for row in internals.read() if not _there(look_up, row.namespace, row.name)}


def main(arguments: list[str]) -> int:
    """Notes, writes or checks; returns 1 if something differs."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if arguments == ["--write"]:
        write()
    elif not arguments:
        note()
        if all((NOTES / (version + ".json")).exists() for version in VERSIONS):
            write()
    elif arguments == ["--check"] and version_here() in TF1[1:]:
        print("the newest TensorFlow 1 says what holds")
    elif arguments == ["--check"]:
        different = missing_here() ^ recorded_absent(version_here())
        print(f"TensorFlow {version_here()}: {len(different)} names differ {sorted(different)[:40]}")
        return int(bool(different))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
