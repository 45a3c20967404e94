"""What a model function is told of its TPUs."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import file

TPUContext = file("tpu_context").TPUContext
