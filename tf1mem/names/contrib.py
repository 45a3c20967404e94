"""A table of tf.contrib's names and their new homes, from which tf1mem.v1 builds its namespaces; the codemod reads it.

data/contrib.txt has only names with the same meaning elsewhere. Where TensorFlow has something similar that takes other
arguments or computes something else, the name has no home, and `ADVICE` names the alternative.

A home is a dotted name below tf1mem.v1 ("nn.rnn_cell"). If TensorFlow has no public name for it any more, the home is a
module of TensorFlow ("tensorflow.python.ops.lookup_ops"). If that is gone, too, it is a module of tf1mem
("tf1mem.v1.contrib.layers.regularizers").
"""

from __future__ import annotations

from typing import NamedTuple, Tuple, Union

from tf1mem.machine.modules import dotted_name
from tf1mem.names import gone
from tf1mem.names.rows import by_first_word, old_names, sections, words

Release = Tuple[int, int]

_SECTIONS = sections("contrib")
# Rows of a namespace of contrib, its home, and names: "name", or "name=name in the home".
HOMES = _SECTIONS["homes"]

# The part of TensorFlow's examples that tf1mem has, and the advice for all others.
_MNIST = "tutorials.mnist"
EXAMPLES = "Copy the file of TensorFlow 1.15 into the program"

_KEEP = "keep TensorFlow 1.15 for it, or copy its source into the program"
_GONE = "Nothing replaces it: " + _KEEP


class Advice(NamedTuple):
    """Advice that holds for some TensorFlow releases only.

    Attributes:
        text: The advice for those releases.
        last: The last of these releases.
        otherwise: The advice for all other releases.
    """

    text: str
    last: Release = (2, 99)
    otherwise: str = _GONE


def _addons(name: str) -> Advice:
    # The last release of tensorflow-addons, 0.23.0, is built for TensorFlow 2.15.
    return Advice(
        f"tensorflow-addons has it as {name}, with other arguments",
        last=(2, 15),
        otherwise=f"tensorflow-addons, which had it, ended with TensorFlow 2.15: {_KEEP}",
    )


# The last release of tensorflow-io, 0.37.1, is built for TensorFlow 2.16.
_IO = Advice(
    "Use tensorflow-io",
    last=(2, 16),
    otherwise=f"tensorflow-io, which had it, ended with TensorFlow 2.16: {_KEEP}",
)

# A name, or a namespace for all of its other names -> what to do. The longest that fits is taken.
ADVICE: dict[str, Union[str, Advice]] = {
    "": _GONE,
    "bayesflow": "Use tensorflow-probability (tfp.mcmc)",
    "cloud": _IO,
    "constrained_optimization": "Use tensorflow_constrained_optimization",
    **{f"data.{name}": f"Use tf.data.{name}, its name since TensorFlow 1.4" for name in ("Dataset", "Iterator")},
    "data.CheckpointInputPipelineHook": "Save the iterator with tf.train.Checkpoint",
    "data.LMDBDataset": _IO,
    "data.read_batch_features": "Use tf.data.experimental.make_batched_features_dataset",
    "distribute": "Use the strategies of tf.distribute; for TPUs its experimental.TPUStrategy",
    "distributions": "Use tensorflow-probability (tfp.distributions)",
    "estimator": "Use the heads of tf.estimator (tf.estimator.BinaryClassHead, …), which have other arguments",
    "estimator.boosted_trees_classifier_train_in_memory": gone.ADVICE["estimator.BoostedTreesClassifier"],
    "estimator.boosted_trees_regressor_train_in_memory": gone.ADVICE["estimator.BoostedTreesRegressor"],
    "factorization": "For GMM use scikit-learn (sklearn.mixture.GaussianMixture); it has nothing for WALS",
    "feature_column.sequence_input_layer": "Use tf.keras.experimental.SequenceFeatures",
    "ffmpeg": _IO,
    "gan": "Use tensorflow_gan",
    "image": _addons("tfa.image"),
    "integrate": "Use tensorflow-probability (tfp.math.ode)",
    "learn": "Use tf.estimator, whose classes have other arguments",
    "learn.utils.export": "Use export_savedmodel of the estimator, which TensorFlow 1 has, too",
    "learn.utils.gc": "Use exports_to_keep of tf.contrib.learn.make_export_strategy",
    "mixed_precision": "Use tf.train.experimental.enable_mixed_precision_graph_rewrite",
    "model_pruning": "Use tensorflow_model_optimization",
    "nccl": "Use tf.distribute.MirroredStrategy with tf.distribute.NcclAllReduce",
    "resampler": _addons("tfa.image.resampler"),
    "saved_model": "Use tf.keras.models.load_model and Model.save",
    "session_bundle": "Save with tf.saved_model.simple_save, which TensorFlow 1 has, too",
    "sparsemax": _addons("tfa.activations.sparsemax"),
    "tensor_forest": gone.FORESTS,
    "text": "Use tensorflow_text",
    "tpu.session_support": gone.ADVICE["python.tpu.session_support"],
    "timeseries": "Use tensorflow-probability (tfp.sts)",
}


def _read() -> dict[str, str]:
    table = {old.path: old.new_path for old in old_names(HOMES)}
    # A package of TensorFlow 1, the namespace that shows its names, and the prefix of these names' homes.
    for package, namespace, files in _SECTIONS["packages"]:
        table.update(
            {
                f"{package}.{name[len(namespace) + 1 :]}": home
                for name, home in list(table.items())
                if name.rpartition(".")[0] == namespace and home.startswith(files)
            }
        )
    in_slim = {name.partition(".")[2]: home for name, home in table.items() if _is_in_slim(name, home)}
    return {**{dotted_name("slim", name): home for name, home in in_slim.items()}, **table}


def _is_in_slim(name: str, home: str) -> bool:
    """Returns True for a name that contrib.slim has, too: all of layers; of framework variables and arg_scope."""
    files = ("train", "tf1mem.v1.contrib.framework.arg_scope", "tf1mem.v1.contrib.framework.variables")
    return name.startswith("layers.") or (name.startswith("framework.") and home.rpartition(".")[0] in files)


# "rnn.LSTMCell" -> "nn.rnn_cell.LSTMCell"
TABLE = _read()

_OURS = "tf1mem.v1.contrib."

# Every namespace of contrib. Importing any of them works, as in TensorFlow 1, because programs import more than they
# use; using a name without a home is an error.
NAMESPACES = (frozenset(name.rpartition(".")[0] for name in TABLE) | frozenset(words(_SECTIONS["namespaces"]))) - {""}

# The modules that tf1mem implements, as paths below contrib.
MODULES = frozenset(
    [home[len(_OURS) :] for _, home, *_ in HOMES if home.startswith(_OURS)] + words(_SECTIONS["modules"])
)

# Folders of TensorFlow 1 -> their files that have the names of the namespace's functions.
FOLDERS = by_first_word(_SECTIONS["folders"])

# Folders below a `python` folder in TensorFlow 1 that tf1mem.v1.contrib leaves out.
_LEVELS = frozenset(words(_SECTIONS["levels"]))

# Files that tf1mem.v1.contrib lacks -> the namespace that has their names.
FILES = {file: namespace for namespace, *files in _SECTIONS["files"] for file in files}


def shortened(dotted: str) -> str:
    """Returns the path in tf1mem.v1.contrib for one of TensorFlow 1's: "rnn.python.ops.rnn_cell" is "rnn.rnn_cell".

    Args:
        dotted: The path below contrib.
    """
    parts = dotted.split(".")
    while "python" in parts[:-1]:
        at = parts.index("python")
        level = parts[at + 1] in _LEVELS and ".".join([*parts[:at], parts[at + 1]]) not in NAMESPACES
        del parts[at : at + 1 + level]
    for size in range(len(parts), 0, -1):
        file = ".".join(parts[:size])
        if file in FILES and file not in MODULES:
            return ".".join([FILES[file], *parts[size:]])
    return ".".join(parts)


def advice(name: str, release: Release) -> str:
    """Returns advice on a name of contrib without a home.

    Args:
        name: The name below contrib.
        release: TensorFlow's release, such as (2, 21).
    """
    while name not in ADVICE:
        name = name.rpartition(".")[0]
    entry = ADVICE[name]
    if isinstance(entry, str):
        return entry
    return entry.text if release <= entry.last else entry.otherwise


def has_example(dotted: str) -> bool:
    """Returns True if tf1mem.v1 has the file or name at a path below tensorflow.examples."""
    return (_MNIST + ".").startswith(dotted + ".") or f"{dotted}.".startswith(
        (_MNIST + ".input_data.", _MNIST + ".mnist.")
    )


def lacks(dotted: str, release: Release) -> tuple[str, str] | None:
    """Returns the part of a name below contrib that tf1mem.v1 lacks, with advice.

    Args:
        dotted: The name below contrib: "layers.conv2d", "seq2seq.python.ops.attention_wrapper".
        release: TensorFlow's release, such as (2, 21).

    Returns:
        The name and the advice. None for a name that tf1mem.v1 has, and for a namespace, which may be imported unused.
    """
    dotted = shortened(dotted)
    parts = dotted.split(".")
    if any(".".join(parts[:size]) in MODULES for size in range(1, len(parts) + 1)):
        return None
    namespace = dotted
    while namespace and namespace not in NAMESPACES:
        namespace = namespace.rpartition(".")[0]
    name = dotted[len(namespace) :].lstrip(".").partition(".")[0]
    path = dotted_name(namespace, name)
    if path in TABLE or not name:
        return None
    return path, advice(dotted if name == "python" else path, release)
