"""What editors know of tf1mem.v1, whose namespaces are laid out when it is imported: stubs, made as a wheel is built.

An editor reads them beside the TensorFlow that is installed, and runs nothing. So a stub takes all names from each
place where one TensorFlow or another has the namespace: a place that isn't there gives none.
"""

from __future__ import annotations

from typing import Iterable, Iterator

from tf1mem.machine.contrib import MODULES, TABLE
from tf1mem.machine.modules import below

ROOT = "tf1mem.v1"

# Where TensorFlows have compat.v1: 1.13 and 1.14, 1.15, 2.0, and later.
_V1 = (
    "tensorflow._api.v1.compat.v1",
    "tensorflow_core._api.v1.compat.v1",
    "tensorflow_core._api.v2.compat.v1",
    "tensorflow._api.v2.compat.v1",
)
# Of the namespaces that lie elsewhere, or elsewhere too: the packages that have them.
_ELSEWHERE = {
    "estimator": ("tensorflow_estimator._api.v1",),
    "flags": ("tensorflow_core.python.platform", "tensorflow.python.platform"),
    "keras": (
        "tensorflow._api.v1",  # 1.13
        "tensorflow_core.python.keras.api._v1",  # 1.15 and 2.0
        "tensorflow.python.keras.api._v1",  # to 2.5
        "keras.api._v1",  # to 2.15
        "tf_keras.api._v1",
    ),
    "layers": (*_V1, "keras.api._v1.keras.__internal__.legacy", "tf_keras.api._v1.keras.__internal__.legacy"),
}

# The namespaces that compat.v1 has in every TensorFlow (estimator.tpu from 1.14 on), by the one that they lie in.
_NAMESPACES = {
    "": "app audio autograph bitwise config data debugging distribute distributions dtypes errors estimator "
    "experimental feature_column flags gfile graph_util image initializers io keras layers linalg lite logging lookup "
    "losses manip math metrics nest nn profiler python_io quantization queue ragged random raw_ops resource_loader "
    "saved_model sets signal sparse spectral strings summary sysconfig test tpu train user_ops version xla",
    "autograph": "experimental",
    "config": "experimental optimizer threading",
    "data": "experimental",
    "distribute": "cluster_resolver experimental",
    "estimator": "experimental export inputs tpu",
    "io": "gfile",
    "keras": "activations applications backend callbacks constraints datasets estimator experimental initializers "
    "layers losses metrics models optimizers preprocessing regularizers utils",
    "keras.applications": "densenet inception_resnet_v2 inception_v3 mobilenet mobilenet_v2 nasnet resnet50 vgg16 "
    "vgg19 xception",
    "keras.datasets": "boston_housing cifar10 cifar100 fashion_mnist imdb mnist reuters",
    "keras.preprocessing": "image sequence text",
    "lite": "constants experimental",
    "lookup": "experimental",
    "nn": "rnn_cell",
    "random": "experimental",
    "saved_model": "builder constants experimental loader main_op signature_constants signature_def_utils "
    "tag_constants utils",
    "tpu": "experimental",
    "train": "experimental queue_runner",
    "xla": "experimental",
}


def namespaces() -> list[str]:
    """Those of compat.v1 that have a stub."""
    return [below(above, name) for above, names in _NAMESPACES.items() for name in names.split()]


def made() -> Iterator[tuple[str, str]]:
    """Every stub: the folder below tf1mem/v1 whose `__init__.pyi` it is, and its text."""
    for namespace in ["", *namespaces()]:
        children = _NAMESPACES.get(namespace, "").split() + ([] if namespace else ["contrib"])
        lines = [*_everything(namespace), *(_line(below(ROOT, namespace), name) for name in children)]
        yield namespace.replace(".", "/"), _stub(lines)
    for namespace, names in _of_contrib().items():
        yield below("contrib", namespace).replace(".", "/"), _stub(line for _, line in sorted(names.items()))


def _everything(namespace: str) -> Iterable[str]:
    places = _ELSEWHERE.get(namespace.partition(".")[0], _V1)
    return (f"from {below(place, namespace)} import *" for place in places)


def _of_contrib() -> dict[str, dict[str, str]]:
    """The namespaces of contrib, but for those that are a file; of each, its names, and the line that brings each."""
    found: dict[str, dict[str, str]] = {}
    for dotted in {*(name.rpartition(".")[0] for name in TABLE), *MODULES} - {""}:
        parts = dotted.split(".")
        for size, leaf in enumerate(parts):
            above = ".".join(parts[:size])
            found.setdefault(above, {})[leaf] = _line(below(ROOT, "contrib", above), leaf)
    for path, home in TABLE.items():
        namespace, _, name = path.rpartition(".")
        found.setdefault(namespace, {})[name] = _from_home(home, name)
    return {namespace: names for namespace, names in found.items() if namespace not in MODULES}


def _from_home(home: str, name: str) -> str:
    """The line that brings a name of contrib from its home in the table."""
    module, _, leaf = home.rpartition(".")
    top = home.partition(".")[0]
    if top == "python":
        module = below("tensorflow", module)
    elif top not in ("tensorboard", "tensorflow", "tf1mem"):
        module = below(ROOT, module)
    return _line(module, leaf, name)


def _line(module: str, leaf: str, name: str | None = None) -> str:
    if name in (None, leaf):
        return f"from {module} import {leaf} as {leaf}"
    return f"from {module} import {leaf} as _{name}\n{name} = _{name}"  # imported by another name it isn't the stub's


def _stub(lines: Iterable[str]) -> str:
    # Whatever else is asked for, one TensorFlow or another has it. It has no type here: where stubs import each other,
    # mypy takes one for a name that it doesn't know.
    return "\n".join([*lines, "def __getattr__(name): ...", ""])
