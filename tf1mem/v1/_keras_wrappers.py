"""keras.wrappers.scikit_learn, which Keras had up to 2.11: Keras models as scikit-learn estimators."""

from __future__ import annotations

import copy
import inspect
import types
from importlib import import_module
from typing import Any, Callable

import numpy as np

from tf1mem.v1._namespace import ROOT


def _takes(function: Callable[..., Any], name: str) -> bool:
    parameter = inspect.signature(function).parameters.get(name)
    return parameter is not None and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)


def _methods() -> Any:
    return import_module(ROOT).keras.models.Sequential


class BaseWrapper:
    """Base class of both wrappers.

    Args:
        build_fn: Function that returns a compiled model; None if a subclass defines __call__ to do so.
        sk_params: Arguments of `build_fn`, and of the model's fit, predict and evaluate.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn, self.sk_params = build_fn, sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Any]:
        """Returns the function that builds the model, in a form whose signature can be inspected."""
        if self.build_fn is None:
            return self.__call__  # type: ignore[operator,no-any-return]  # a subclass defines it
        is_function = isinstance(self.build_fn, (types.FunctionType, types.MethodType))
        return self.build_fn if is_function else self.build_fn.__call__  # type: ignore[no-any-return]

    def check_params(self, params: dict[str, Any]) -> None:
        """Checks the names of parameters.

        Raises:
            ValueError: A name is an argument of neither `build_fn` nor one of the model's methods.
        """
        methods = _methods()
        takers = [methods.fit, methods.predict, methods.evaluate, self._builder()]
        for name in params:
            if name != "nb_epoch" and not any(_takes(taker, name) for taker in takers):
                raise ValueError(f"{name} is not a legal parameter: neither build_fn nor the model takes it.")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """Returns the parameters and build_fn; arguments, such as scikit-learn's `deep`, are ignored."""
        return dict(copy.deepcopy(self.sk_params), build_fn=self.build_fn)

    def set_params(self, **params: Any) -> BaseWrapper:
        """Changes parameters, and returns the wrapper.

        Raises:
            ValueError: See `check_params`.
        """
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, trains it, and returns its History.

        Args:
            x: Training samples, `[samples, features]`.
            y: Targets, `[samples]` or `[samples, outputs]`.
            **kwargs: Arguments of the model's fit, which replace `sk_params`.
        """
        builder = self._builder()
        build = builder if self.build_fn is None else self.build_fn
        self.model = build(**self.filter_sk_params(builder))
        if self._is_categorical() and len(y.shape) != 2:
            y = import_module(ROOT).keras.utils.to_categorical(y)
        return self.model.fit(x, y, **{**copy.deepcopy(self.filter_sk_params(_methods().fit)), **kwargs})

    def _is_categorical(self) -> bool:
        loss = self.model.loss
        return bool(getattr(loss, "__name__", loss) == "categorical_crossentropy")

    def filter_sk_params(self, fn: Callable[..., Any], override: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the stored parameters that a function takes; `override` adds to them and replaces equal names."""
        arguments = {name: value for name, value in self.sk_params.items() if _takes(fn, name)}
        return {**arguments, **(override or {})}


class KerasClassifier(BaseWrapper):
    """A classifier; labels can be of any sortable type."""

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, trains it, and returns its History.

        Args:
            x: Training samples, `[samples, features]`.
            y: Labels, `[samples]` or `[samples, 1]`, or one-hot `[samples, classes]`.
            **kwargs: Arguments of the model's fit.

        Raises:
            ValueError: `y` has another rank.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}. Give one label, or a one-hot row, for each example.")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the label of each sample."""
        scores = self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs))
        return self.classes_[scores.argmax(axis=-1) if scores.shape[-1] > 1 else (scores > 0.5).astype("int32")]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """Returns class probabilities, `[samples, classes]`; a single output is the second of two classes."""
        scores = self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs))
        return np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the mean accuracy.

        Raises:
            ValueError: The model wasn't compiled with metrics=["accuracy"].
        """
        y = np.searchsorted(self.classes_, y)
        if self._is_categorical() and y.ndim != 2:
            y = import_module(ROOT).keras.utils.to_categorical(y)
        results = self.model.evaluate(x, y, **self.filter_sk_params(_methods().evaluate, kwargs))
        for name, value in zip(self.model.metrics_names, results if isinstance(results, list) else [results]):
            if name in ("accuracy", "acc"):
                return value
        raise ValueError("score: the model reports no accuracy. Compile it with metrics=['accuracy'].")


class KerasRegressor(BaseWrapper):
    """A regressor."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the model's outputs, without axes of size 1."""
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Returns the negative loss, so that more is better."""
        results = self.model.evaluate(x, y, **self.filter_sk_params(_methods().evaluate, kwargs))
        return -(results[0] if isinstance(results, list) else results)
