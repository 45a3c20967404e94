"""What tf1mem itself has changed in this process, as far as a later plan has to know: the routes note it here."""

from __future__ import annotations

from typing import Any

# The ConfigProto that the eager context was given, while it could be given one.
eager_config: Any = None

# The GPUs, by their numbers before, that CUDA was started with, in order; None where tf1mem did not choose them.
cuda_order: tuple[int, ...] | None = None

# Whether TF_FORCE_GPU_ALLOW_GROWTH was set by tf1mem, and not outside.
forces_growth = False

# The devices, by name, that tf1mem gave logical devices by tf.config.
limited: set[str] = set()

# Whether the GPUs that tf.config shows are tf1mem's choice.
chose_visible = False
