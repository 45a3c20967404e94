"""Which of TensorFlow's names, used unguarded, say that a program is written for TensorFlow 1, or for TensorFlow 2."""

from __future__ import annotations

import re

from tf1mem.codemod.tables import tf1_names

# By which a program says that TensorFlow 2's behavior is off; the last one is minded by graphs only.
TOGGLES = ("disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape")

# By which a program says that it runs in TensorFlow 1's graphs, or in its eager mode.
GRAPHS, EAGER = TOGGLES[:2], ("enable_eager_execution",)
# What only a module uses that is written for TensorFlow 2 too, in whichever branch; TF2 is its API asked for by name.
TF2 = "compat.v2"
_OF_BOTH = ("function", "GradientTape", TF2)
# By which it asks for the mode, or by a helper that is named after it.
ASKS_MODE = re.compile(rb"\b\w*executing_eagerly\b")

# What of Keras was gone with TensorFlow 2.0 already. Later ones lost more names, but those say nothing of TensorFlow 1.
_OLD_KERAS = re.compile(r"keras\.(?:backend\.get_session|layers\.CuDNN\w+)(?:\.|\Z)")
# TensorFlow 2 had these, up to some version, or has them still for the asking.
_OF_TF2_TOO = re.compile(
    r"(?:data\.experimental|train\.experimental|config|losses\.mean_squared_error|metrics\.mean_\w+_error"
    r"|(?:en|dis)able_v2_(?:behavior|tensorshape))(?:\.|\Z)"
)
# What only a program for TensorFlow 2 uses; unless it switches eager execution on itself, as in TensorFlow 1.
_TF2_IN_USE = re.compile(
    r"(?:function|GradientTape|enable_v2_behavior|config\.(?:experimental\.)?\w*physical_devices)\Z"
)
# And what only one for TensorFlow 1 does, whatever else is in the file.
_GRAPHS_IN_USE = re.compile(
    r"(?:Session|InteractiveSession|ConfigProto|GPUOptions|placeholder|get_default_session|get_variable|variable_scope"
    rf"|global_variables_initializer|initialize_all_variables|{TOGGLES[0]}|{TOGGLES[1]}"
    r"|enable_eager_execution|contrib|estimator|summary\.FileWriter|train\.Saver|layers|losses|OptimizerOptions"
    r"|get_collection|add_to_collection)(?:\.|\Z)"
)


def is_evidence(dotted: str) -> bool:
    """Whether a TF1 name, used unguarded, says that a program is written for TensorFlow 1.

    Args:
        dotted: Such as "train.AdamOptimizer". What is asked for as "compat.v1.…" says nothing: TensorFlow 2 has it.
    """
    if dotted.startswith(("keras", "compat.")):
        return is_of_old_keras(dotted)
    if dotted == TOGGLES[0]:
        return True
    return tf1_names.gone(dotted) and _OF_TF2_TOO.match(dotted) is None


def is_of_old_keras(dotted: str) -> bool:
    """Whether a name of Keras's went with TensorFlow 1."""
    return _OLD_KERAS.match(dotted) is not None


def is_gone_from_v1(dotted: str) -> bool:
    """Whether such a name is gone from TensorFlow 2's compat.v1 too, Keras 2 left out."""
    return tf1_names.gone("compat.v1." + dotted)


def knows_tf2(dotted: str) -> bool:
    """Whether a name says, wherever it is used, that a module is written for TensorFlow 2 too."""
    return dotted in _OF_BOTH


def is_graph_in_use(dotted: str) -> bool:
    """Whether a name says that a program builds graphs, whatever of TensorFlow 2 it has beside."""
    return _GRAPHS_IN_USE.match(dotted) is not None


def is_tf2_in_use(dotted: str) -> bool:
    """Whether a name, used unguarded, says that a program is written for TensorFlow 2."""
    return _TF2_IN_USE.match(dotted) is not None or tf1_names.tf2_only(dotted)
