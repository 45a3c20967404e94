"""TF32: how GPUs from compute capability 8.0 on multiply float32, which gives other numbers than TensorFlow 1.15's.

From 2.4 on TensorFlow lets cuBLAS and cuDNN round the factors of float32 matmuls and convolutions to 10 bits
(tensorflow/core/platform/tensor_float_32_utils.cc). No ConfigProto has a field for it.
"""

from __future__ import annotations

import os
from typing import Any, Mapping

from tf1mem.machine.switches import is_off

# "false" turns TF32 off, as in TensorFlow 1.15.
VARIABLE = "TF1MEM_TF32"
# NVIDIA's libraries compute nothing in TF32 while it is 0, whatever TensorFlow requests.
OVERRIDE = "NVIDIA_TF32_OVERRIDE"
FIRST_CAPABILITY = (8, 0)
SETTER = "config.experimental.enable_tensor_float_32_execution"
GETTER = "config.experimental.tensor_float_32_execution_enabled"


def is_refused(environ: Mapping[str, str]) -> bool:
    """Returns True if the user wants no TF32."""
    return is_off(environ, VARIABLE)


def is_in_use(tf: Any) -> bool:
    """Returns True if this TensorFlow computes float32 in TF32 on GPUs that can."""
    from tf1mem.machine.tensorflow import lookup  # imports packaging, so late: `tf1mem run` imports this module

    enabled = lookup(tf, GETTER)
    return enabled is not None and bool(enabled()) and os.environ.get(OVERRIDE) != "0"
