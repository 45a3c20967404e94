"""Names of estimators' problems, predictions and metrics."""

from __future__ import annotations

COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS = "input_feature_keys"


class ProblemType:
    """What kind of problem a model solves, by which an export has its signature."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3
