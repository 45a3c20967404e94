# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""ExportStrategy: the name of an experiment's export, and the function that writes it."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any, Callable


class ExportStrategy(namedtuple("ExportStrategy", ["name", "export_fn", "strip_default_attrs"])):
    """Holds the name of an export and the function that writes it.

    Args:
        name: Name of the export, and of its folder below the export folder.
        export_fn: Function of an estimator and a folder that returns the export's folder. It also gets
            checkpoint_path, eval_result and strip_default_attrs if it has arguments of these names.
        strip_default_attrs: Passed to `export_fn`: True to write no node attributes that have their default values.
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
            estimator: The estimator to export.
            export_path: Folder for the export.
            checkpoint_path: Path of the checkpoint; the latest by default.
            eval_result: Results of the checkpoint's evaluation, a dict of metric name -> number or array.

        Returns:
            Folder of the export.

        Raises:
            ValueError: `export_fn` has an argument eval_result, but none named checkpoint_path.
        """
        arguments = inspect.signature(self.export_fn).parameters
        if "eval_result" in arguments and "checkpoint_path" not in arguments:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        options = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        accepted = {name: value for name, value in options.items() if name in arguments}
        return self.export_fn(estimator, export_path, **accepted)
