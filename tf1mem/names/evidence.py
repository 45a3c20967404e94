"""Names that, used without a version test, show that a program is for TensorFlow 1, or for TensorFlow 2."""

from __future__ import annotations

import re

from tf1mem.names import tf1_names

# Calls that switch TensorFlow 2's behavior off; the last one only that of shapes.
TOGGLES = ("disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape")

# Calls that choose TensorFlow 1's graphs, or its eager mode.
GRAPHS, EAGER = TOGGLES[:2], ("enable_eager_execution",)
# Stands for any name in `tf.compat.v2`: only modules that support TensorFlow 2 too use these, in whichever branch.
TF2 = "compat.v2"
_OF_BOTH = ("function", "GradientTape", TF2)
# A test whether execution is eager, or a helper named after that test.
ASKS_MODE = re.compile(rb"\b\w*executing_eagerly\b")

# Names of Keras that TensorFlow 2.0 had already lost. Later versions lost more, but those prove nothing.
_OLD_KERAS = re.compile(r"keras\.(?:backend\.get_session|layers\.CuDNN\w+)(?:\.|\Z)")
# Names that TensorFlow 2 had up to some version, or still has on demand.
_OF_TF2_TOO = re.compile(
    r"(?:data\.experimental|train\.experimental|config|losses\.mean_squared_error|metrics\.mean_\w+_error"
    r"|(?:en|dis)able_v2_(?:behavior|tensorshape))(?:\.|\Z)"
)
# Names that only programs for TensorFlow 2 use, unless they switch eager execution on in TensorFlow 1.
_TF2_IN_USE = re.compile(
    r"(?:function|GradientTape|enable_v2_behavior|config\.(?:experimental\.)?\w*physical_devices)\Z"
)
# Names that only programs for TensorFlow 1 use, whatever else is in the file.
_GRAPHS_IN_USE = re.compile(
    r"(?:Session|InteractiveSession|ConfigProto|GPUOptions|placeholder|get_default_session|get_variable|variable_scope"
    rf"|global_variables_initializer|initialize_all_variables|{TOGGLES[0]}|{TOGGLES[1]}"
    r"|enable_eager_execution|contrib|estimator|summary\.FileWriter|train\.Saver|layers|losses|OptimizerOptions"
    r"|get_collection|add_to_collection)(?:\.|\Z)"
)


def is_evidence(dotted: str) -> bool:
    """Returns True if a TF1 name, used without a version test, shows that a program is for TensorFlow 1.

    Args:
        dotted: Name such as "train.AdamOptimizer". "compat.v1.…" shows nothing: TensorFlow 2 has it.
    """
    if dotted.startswith(("keras", "compat.")):
        return is_of_old_keras(dotted)
    if dotted == TOGGLES[0]:
        return True
    return tf1_names.gone(dotted) and _OF_TF2_TOO.match(dotted) is None


def is_of_old_keras(dotted: str) -> bool:
    """Returns True for a name of Keras that TensorFlow 2 never had."""
    return _OLD_KERAS.match(dotted) is not None


def is_gone_from_v1(dotted: str) -> bool:
    """Returns True if a name is gone from TensorFlow 2's compat.v1 too, legacy Keras aside."""
    return tf1_names.gone("compat.v1." + dotted)


def knows_tf2(dotted: str) -> bool:
    """Returns True if a name, anywhere in a module, shows that the module supports TensorFlow 2 too."""
    return dotted in _OF_BOTH


def is_graph_in_use(dotted: str) -> bool:
    """Returns True if a name shows that a program builds graphs, whatever else it uses of TensorFlow 2."""
    return _GRAPHS_IN_USE.match(dotted) is not None


def is_tf2_in_use(dotted: str) -> bool:
    """Returns True if a name, used without a version test, shows that a program is for TensorFlow 2."""
    return _TF2_IN_USE.match(dotted) is not None or tf1_names.tf2_only(dotted)
