# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""How an experiment exports its model."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any, Callable


class ExportStrategy(namedtuple("ExportStrategy", ["name", "export_fn", "strip_default_attrs"])):
    """A kind of export.

    Args:
        name: The folder's name below the exports.
        export_fn: Takes an estimator and a folder and, if it has arguments of these names, checkpoint_path,
            eval_result and strip_default_attrs. Returns the export's folder.
        strip_default_attrs: Whether attributes are left out that have their defaults.
    """

    def __new__(
        cls, name: str, export_fn: Callable[..., Any], strip_default_attrs: bool | None = None
    ) -> ExportStrategy:
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self, estimator: Any, export_path: Any, checkpoint_path: str | None = None, eval_result: Any = None
    ) -> Any:
        """Exports a model.

        Args:
            estimator: Its estimator.
            export_path: The folder.
            checkpoint_path: The checkpoint; the latest by default.
            eval_result: What its evaluation returned.

        Returns:
            The export's folder.

        Raises:
            ValueError: The function takes eval_result, and no checkpoint_path.
        """
        arguments = inspect.signature(self.export_fn).parameters
        if "eval_result" in arguments and "checkpoint_path" not in arguments:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        taken = {name: value for name, value in given.items() if name in arguments}
        return self.export_fn(estimator, export_path, **taken)
