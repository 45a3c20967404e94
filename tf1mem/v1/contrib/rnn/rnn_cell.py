# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The cells of contrib.rnn; their code is in `cells`, by family."""

from __future__ import annotations

from tf1mem.v1.contrib.rnn.cells.convolution import Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell, ConvLSTMCell
from tf1mem.v1.contrib.rnn.cells.frequency import BidirectionalGridLSTMCell, GridLSTMCell, TimeFreqLSTMCell
from tf1mem.v1.contrib.rnn.cells.gated import (
    CFNCell,
    IntersectionRNNCell,
    MinimalRNNCell,
    NASCell,
    SRUCell,
    UGRNNCell,
)
from tf1mem.v1.contrib.rnn.cells.independent import IndRNNCell, IndyGRUCell, IndyLSTMCell
from tf1mem.v1.contrib.rnn.cells.lstm import (
    CoupledInputForgetGateLSTMCell,
    GLSTMCell,
    LayerNormBasicLSTMCell,
    LayerNormLSTMCell,
    PhasedLSTMCell,
    WeightNormLSTMCell,
)
from tf1mem.v1.contrib.rnn.cells.memory import NTMCell, NTMControllerState
from tf1mem.v1.contrib.rnn.cells.wrappers import AttentionCellWrapper, CompiledWrapper, HighwayWrapper
from tf1mem.v1.contrib.rnn.core_rnn_cell import _Linear

__all__ = [
    "AttentionCellWrapper",
    "BidirectionalGridLSTMCell",
    "CFNCell",
    "CompiledWrapper",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell",
    "GLSTMCell",
    "GridLSTMCell",
    "HighwayWrapper",
    "IndRNNCell",
    "IndyGRUCell",
    "IndyLSTMCell",
    "IntersectionRNNCell",
    "LayerNormBasicLSTMCell",
    "LayerNormLSTMCell",
    "MinimalRNNCell",
    "NASCell",
    "NTMCell",
    "NTMControllerState",
    "PhasedLSTMCell",
    "SRUCell",
    "TimeFreqLSTMCell",
    "UGRNNCell",
    "WeightNormLSTMCell",
    "_Linear",
]
