"""Fits DeepFM to random clicks, as its README does, without YellowFin: an optimizer of another repository."""

import sys
import types

import numpy as np

sys.modules["yellowfin"] = types.ModuleType("yellowfin")
sys.modules["yellowfin"].YFOptimizer = None

from DeepFM import DeepFM  # noqa: E402

FIELDS, VALUES = 6, 20
draw = np.random.RandomState(0)
indices = draw.randint(0, VALUES, (640, FIELDS))
labels = (draw.rand(640) < 0.2 + 0.03 * indices[:, 0]).astype(int)
indices += VALUES * np.arange(FIELDS)
values = [[1.0] * FIELDS for _ in indices]
model = DeepFM(
    feature_size=FIELDS * VALUES,
    field_size=FIELDS,
    dropout_fm=[0.9, 0.9],
    deep_layers=[32, 16],
    epoch=4,
    batch_size=128,
    learning_rate=0.01,
    batch_norm=1,
    l2_reg=0.01,
    verbose=1,
)
model.fit(indices.tolist(), values, labels.tolist())
