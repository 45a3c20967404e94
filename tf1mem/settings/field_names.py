"""The fields of ConfigProto that tf1mem treats by name, as TF1 spells them."""

from __future__ import annotations

FRACTION = "gpu_options.per_process_gpu_memory_fraction"
GROWTH = "gpu_options.allow_growth"
VISIBLE = "gpu_options.visible_device_list"
VIRTUAL = "gpu_options.experimental.virtual_devices"
SOFT = "allow_soft_placement"
LOG = "log_device_placement"
COUNT = "device_count"
INTRA_THREADS = "intra_op_parallelism_threads"
MANAGED = "gpu_options.experimental.use_unified_memory"
