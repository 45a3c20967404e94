"""What a TPUEstimator checks numbers and initializes data sets by."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import file

MultiHostDatasetInitializerHook = file("util").MultiHostDatasetInitializerHook
check_positive_integer = file("util").check_positive_integer
