"""Records the changes that tf1mem itself has made in this process, for later plans. The routes set these variables."""

from __future__ import annotations

from typing import Any

# The ConfigProto that tf1mem gave the eager context, or None.
eager_config: Any = None

# The GPUs that CUDA was started with, in order, by their original numbers, or None if tf1mem didn't choose them.
cuda_order: tuple[int, ...] | None = None

# True if tf1mem has set TF_FORCE_GPU_ALLOW_GROWTH.
forces_growth = False

# The names of the devices that tf1mem has split into logical devices by tf.config.
limited: set[str] = set()

# True if tf1mem has chosen the GPUs that tf.config shows.
chose_visible = False
