# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""SavedModels: folders, signatures, and export strategies."""

from __future__ import annotations

import os
import time
from collections import namedtuple
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.estimators.constants import ProblemType
from tf1mem.v1.contrib.learn.estimators.metric_key import MetricKey
from tf1mem.v1.contrib.learn.estimators.model_fn import ModelFnOps, classes_of, scores_of
from tf1mem.v1.contrib.learn.estimators.prediction_key import PredictionKey
from tf1mem.v1.contrib.learn.export_strategy import ExportStrategy
from tf1mem.v1.contrib.learn.utils import input_fn_utils

DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"
_ONLY_OUTPUT = "default_output_alternative"
_ATTEMPTS = 10

Path = namedtuple("Path", ["path", "export_version"])


def build_standardized_signature_def(input_tensors: Any, output_tensors: Any, problem_type: int) -> Any:
    """Returns a SignatureDef with the standard names of a problem's inputs and outputs.

    Args:
        input_tensors: Dict of name -> `[batch, ...]` tensor.
        output_tensors: Dict of name -> `[batch, ...]` tensor.
        problem_type: One of the values of `ProblemType`.

    Raises:
        ValueError: A dict is empty.
    """
    if not input_tensors:
        raise ValueError("input_tensors must be provided.")
    if not output_tensors:
        raise ValueError("output_tensors must be provided.")
    utils = tf.saved_model.signature_def_utils
    outputs = list(output_tensors.values())
    if len(input_tensors) == 1:
        examples = next(iter(input_tensors.values()))
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            classes, scores = classes_of(output_tensors), scores_of(output_tensors)
            if classes is None and scores is None and len(outputs) == 1:
                classes, scores = (outputs[0], None) if outputs[0].dtype == tf.string else (None, outputs[0])
            if classes is not None or scores is not None:
                return utils.classification_signature_def(examples, classes, scores)
        if problem_type == ProblemType.LINEAR_REGRESSION and len(outputs) == 1:
            return utils.regression_signature_def(examples, outputs[0])
    return utils.predict_signature_def(input_tensors, output_tensors)


def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """Returns a served model's features, and its input alternatives: the sets of placeholders that a call may feed.

    Args:
        input_ops: `InputFnOps`, or a pair of features and labels.

    Returns:
        Dict of the alternative's name -> dict of placeholders, and the dict of features, `[batch, ...]` tensors.

    Raises:
        ValueError: There are no features.
    """
    alternatives = {}
    features = input_ops[0]
    if isinstance(input_ops, input_fn_utils.InputFnOps):
        alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = input_ops.default_inputs
    if not features:
        raise ValueError("Features must be defined.")
    return alternatives, features


def get_output_alternatives(
    model_fn_ops: ModelFnOps, default_output_alternative_key: str | None = None
) -> tuple[dict[str, Any], str]:
    """Returns a model's heads by name, and the name of the default head.

    Args:
        model_fn_ops: The `ModelFnOps`.
        default_output_alternative_key: Name of the default head; required for several heads.

    Returns:
        Dict of head name -> (`ProblemType`, dict of name -> `[batch, ...]` tensor), and the name of the default
        head.

    Raises:
        ValueError: No head has that name, or there are several heads and no name.
    """
    key, heads = default_output_alternative_key, model_fn_ops.output_alternatives
    if key and key not in (heads or ()):
        raise ValueError(
            f"Requested default_output_alternative: {key}, but available output_alternatives are: {sorted(heads or ())}"
        )
    if not heads:
        outputs = model_fn_ops.predictions
        if not isinstance(outputs, dict):
            outputs = {PredictionKey.GENERIC: outputs}
        return {_ONLY_OUTPUT: (ProblemType.UNSPECIFIED, outputs)}, _ONLY_OUTPUT
    if not key:
        if len(heads) > 1:
            raise ValueError(
                f"Please specify a default_output_alternative.  Available output_alternatives are: {sorted(heads)}"
            )
        key = next(iter(heads))
    return heads, key


def build_all_signature_defs(
    input_alternatives: dict[str, Any], output_alternatives: dict[str, Any], actual_default_output_alternative_key: str
) -> dict[str, Any]:
    """Returns a SignatureDef for every pair of inputs and outputs, and the default one.

    Args:
        input_alternatives: Dict of name -> dict of `[batch, ...]` placeholders.
        output_alternatives: Dict of name -> (`ProblemType`, dict of name -> `[batch, ...]` tensor).
        actual_default_output_alternative_key: Name of the outputs that are served by default.

    Returns:
        Dict of signature name -> SignatureDef.

    Raises:
        ValueError: There are no default inputs.
    """
    build = build_standardized_signature_def
    signatures = {
        f"{input_key}:{output_key or 'None'}": build(inputs, outputs, problem_type)
        for input_key, inputs in input_alternatives.items()
        for output_key, (problem_type, outputs) in output_alternatives.items()
    }
    inputs = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if not inputs:
        raise ValueError("A default input_alternative must be provided.")
    problem_type, outputs = output_alternatives[actual_default_output_alternative_key]
    default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    signatures[default] = build(inputs, outputs, problem_type)
    return signatures


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """Returns a folder that doesn't exist yet, named by the time in seconds.

    Args:
        export_dir_base: Folder of the exports.

    Raises:
        RuntimeError: Ten such folders exist already.
    """
    for _ in range(_ATTEMPTS):
        folder = os.path.join(os.fsencode(export_dir_base), str(int(time.time())).encode())
        if not tf.gfile.Exists(folder):
            return folder
        time.sleep(1)
    raise RuntimeError(f"Failed to obtain a unique export directory name after {_ATTEMPTS} attempts.")


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """Returns the temporary folder of an unfinished export: its name with the prefix "temp-".

    Args:
        timestamped_export_dir: Folder of the export.
    """
    folder, name = os.path.split(os.fsencode(timestamped_export_dir))
    return os.path.join(folder, b"temp-" + name)


def _exports(export_dir_base: Any) -> list[str]:
    """Returns the exports in a folder, the oldest first."""
    base = os.fsdecode(export_dir_base)
    names = (name.strip("/") for name in tf.gfile.ListDirectory(base))
    return [os.path.join(base, name) for name in sorted(name for name in names if len(name) == 10 and name.isdigit())]


def get_most_recent_export(export_dir_base: Any) -> Any:
    """Returns the newest export in a folder with its `path` and `export_version`, or None.

    Args:
        export_dir_base: Folder of the exports.
    """
    exports = _exports(export_dir_base)
    return Path(exports[-1], int(os.path.basename(exports[-1]))) if exports else None


def garbage_collect_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """Deletes the oldest exports in a folder.

    Args:
        export_dir_base: Folder of the exports.
        exports_to_keep: Number of exports to keep; None keeps all.
    """
    if exports_to_keep is None:
        return
    exports = _exports(export_dir_base)
    for path in exports[: max(len(exports) - exports_to_keep, 0)]:
        try:
            tf.gfile.DeleteRecursively(path)
        except tf.errors.NotFoundError as error:
            tf.logging.warning("Can not delete %s recursively: %s", path, error)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy that writes SavedModels.

    Args:
        serving_input_fn: Function that returns `InputFnOps` of `[batch, ...]` placeholders, or a ServingInputReceiver
            for an estimator of tf.estimator.
        default_output_alternative_key: Name of the head that is served by default; required for several heads.
        assets_extra: Dict of path below assets.extra -> file to copy there.
        as_text: True to write protocol buffers as text.
        exports_to_keep: Number of exports to keep; None keeps all.
        strip_default_attrs: True to write no node attributes that have their default values.
    """

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: Any = None, strip_default_attrs: Any = False
    ) -> Any:
        options = {"assets_extra": assets_extra, "as_text": as_text, "checkpoint_path": checkpoint_path}
        if not isinstance(estimator, tf.estimator.Estimator):
            options["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. "
                f"Given: {default_output_alternative_key}"
            )
        export_dir = estimator.export_savedmodel(
            export_dir_base, serving_input_fn, strip_default_attrs=bool(strip_default_attrs), **options
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return export_dir

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy for models whose features are parsed from serialized Examples, a `[batch]` string tensor.

    Args:
        feature_columns: Feature columns of tf.contrib.layers.
        default_output_alternative_key: Name of the head that is served by default; required for several heads.
        assets_extra: Dict of path below assets.extra -> file to copy there.
        as_text: True to write protocol buffers as text.
        exports_to_keep: Number of exports to keep; None keeps all.
        target_core: True for an estimator of tf.estimator.
        strip_default_attrs: True to write no node attributes that have their default values.
    """
    spec = tf.contrib.layers.create_feature_spec_for_parsing(feature_columns)
    build_receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn
    return make_export_strategy(
        build_receiver_fn(spec) if target_core else input_fn_utils.build_parsing_serving_input_fn(spec),
        default_output_alternative_key=default_output_alternative_key,
        assets_extra=assets_extra,
        as_text=as_text,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )


def _lower_loss(best: Any, candidate: Any) -> bool:
    for name, result in (("curr_best_eval_result", best), ("cand_eval_result", candidate)):
        if not result or MetricKey.LOSS not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    return bool(best[MetricKey.LOSS] > candidate[MetricKey.LOSS])


class BestModelSelector:
    """Keeps track of the best evaluation.

    Args:
        event_file_pattern: Glob pattern of event files with earlier evaluations.
        compare_fn: Function of two results, dicts of metric name -> number or array, that returns true if the
            second is better; by default, if its loss is lower.
    """

    def __init__(
        self, event_file_pattern: str | None = None, compare_fn: Callable[[Any, Any], bool] | None = None
    ) -> None:
        self._compare_fn = compare_fn or _lower_loss
        self._best_eval_result: Any = None
        for file in tf.gfile.Glob(event_file_pattern) if event_file_pattern else ():
            for event in tf.train.summary_iterator(file):
                if event.HasField("summary"):
                    values = event.summary.value
                    self._update_best({each.tag: each.simple_value for each in values if each.HasField("simple_value")})

    def _update_best(self, result: Any) -> bool:
        better = self._best_eval_result is None or self._compare_fn(self._best_eval_result, result)
        if better:
            self._best_eval_result = result
        return better

    def update(self, checkpoint_path: str, eval_result: Any) -> tuple[str, Any]:
        """Compares an evaluation with the best so far.

        Args:
            checkpoint_path: Path of the evaluated checkpoint.
            eval_result: Results of the evaluation, a dict of metric name -> number or array.

        Returns:
            Both arguments if they are the best so far, otherwise "" and None.

        Raises:
            ValueError: The path is empty, or there are no results.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{checkpoint_path} has empty evaluation results.")
        return (checkpoint_path, eval_result) if self._update_best(eval_result) else ("", None)


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[[Any, Any], bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy that exports a model only if it is the best so far.

    Args:
        serving_input_fn: Function that returns `InputFnOps` of `[batch, ...]` placeholders, or a ServingInputReceiver
            for an estimator of tf.estimator.
        exports_to_keep: Number of exports to keep per checkpoint.
        model_dir: Folder of the estimator, to take earlier evaluations into account.
        event_file_pattern: Glob pattern of event files below `model_dir`.
        compare_fn: Argument of `BestModelSelector`.
        default_output_alternative_key: Name of the head that is served by default; required for several heads.
        strip_default_attrs: True to write no node attributes that have their default values.
    """
    strategy = make_export_strategy(
        serving_input_fn,
        exports_to_keep=exports_to_keep,
        default_output_alternative_key=default_output_alternative_key,
        strip_default_attrs=strip_default_attrs,
    )
    earlier = os.path.join(model_dir, event_file_pattern) if model_dir and event_file_pattern else None
    selector = BestModelSelector(earlier, compare_fn)

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: Any, eval_result: Any = None) -> Any:
        checkpoint = checkpoint_path or tf.train.latest_checkpoint(estimator.model_dir)
        best, result = selector.update(checkpoint, eval_result)
        if not best or result is None:
            return ""
        folder = os.path.join(os.fsdecode(export_dir_base), os.path.basename(best))
        return strategy.export(estimator, folder, best, result)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, Any], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """Returns a strategy whose exports are processed further by a function.

    Args:
        base_export_strategy: The strategy whose exports are processed.
        post_export_fn: Function of the export's folder and an output folder; it writes a folder below the output
            folder, and returns its path.
        post_export_name: Name of the new strategy, and of the folder of its exports; that of the base strategy by
            default.
    """

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: Any = None) -> str:
        base = os.fsdecode(export_dir_base)

        def make_temporary(name: str) -> str:
            folder = os.path.join(base, f"temp-{name}-export-{int(time.time())}")
            if tf.gfile.Exists(folder):
                raise RuntimeError(f"Failed to obtain {name} export directory")
            tf.gfile.MakeDirs(folder)
            return folder

        base_folder, post_folder = make_temporary("base"), make_temporary("post")
        exported = base_export_strategy.export(estimator, base_folder, checkpoint_path)
        written = os.fsdecode(post_export_fn(exported, post_folder))
        if not written.startswith(post_folder):
            raise ValueError(f"post_export_fn must return a sub-directory of {post_folder}")
        final = os.path.join(base, os.path.relpath(written, post_folder))
        if tf.gfile.Exists(final):
            raise RuntimeError(f"{final}: this export folder exists already. Remove it, or export to another.")
        tf.gfile.Rename(written, final)
        tf.gfile.DeleteRecursively(base_folder)
        tf.gfile.DeleteRecursively(post_folder)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)
