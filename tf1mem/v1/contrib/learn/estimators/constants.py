# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Constants of estimators: problem types and the collection of feature keys."""

from __future__ import annotations

COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS = "input_feature_keys"


class ProblemType:
    """Holds the kinds of problems that a model solves; they decide an export's signature.

    A regression exports `[batch]` or `[batch, num_outputs]` numbers, a classification `[batch, num_classes]` scores.
    """

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3
