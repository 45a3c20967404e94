"""keras.wrappers.scikit_learn, which Keras had up to 2.11: a model with the methods that scikit-learn asks for."""

from __future__ import annotations

import copy
import inspect
import types
from importlib import import_module
from typing import Any, Callable

import numpy as np

from tf1mem.v1._namespace import ROOT


def _takes(function: Callable[..., Any], name: str) -> bool:
    found = inspect.signature(function).parameters.get(name)
    return found is not None and found.kind in (found.KEYWORD_ONLY, found.POSITIONAL_OR_KEYWORD)


def _methods() -> Any:
    return import_module(ROOT).keras.models.Sequential


class BaseWrapper:
    """What both wrappers share.

    Args:
        build_fn: Makes a compiled model; None where a class of the program's own has a __call__ that does.
        sk_params: Arguments of `build_fn`, and of the model's fit, predict and evaluate.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn, self.sk_params = build_fn, sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Any]:
        """The function that makes the model, whose arguments can be looked at."""
        if self.build_fn is None:
            return self.__call__  # type: ignore[operator,no-any-return]  # of a class of the program's
        is_function = isinstance(self.build_fn, (types.FunctionType, types.MethodType))
        return self.build_fn if is_function else self.build_fn.__call__  # type: ignore[no-any-return]

    def check_params(self, params: dict[str, Any]) -> None:
        """Refuses what nobody takes.

        Raises:
            ValueError: A name is no argument of `build_fn` nor of a method of the model's.
        """
        methods = _methods()
        takers = [methods.fit, methods.predict, methods.evaluate, self._builder()]
        for name in params:
            if name != "nb_epoch" and not any(_takes(taker, name) for taker in takers):
                raise ValueError(f"{name} is not a legal parameter: neither build_fn nor the model takes it.")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """The parameters, build_fn among them; what is given says nothing here."""
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
        """Makes a model and trains it; returns its History."""
        builder = self._builder()
        made = builder if self.build_fn is None else self.build_fn
        self.model = made(**self.filter_sk_params(builder))
        if self._is_categorical() and len(y.shape) != 2:
            y = import_module(ROOT).keras.utils.to_categorical(y)
        return self.model.fit(x, y, **{**copy.deepcopy(self.filter_sk_params(_methods().fit)), **kwargs})

    def _is_categorical(self) -> bool:
        loss = self.model.loss
        return bool(getattr(loss, "__name__", loss) == "categorical_crossentropy")

    def filter_sk_params(self, fn: Callable[..., Any], override: dict[str, Any] | None = None) -> dict[str, Any]:
        """The parameters that a function takes, and those of `override`, which go before them."""
        own = {name: value for name, value in self.sk_params.items() if _takes(fn, name)}
        return {**own, **(override or {})}


class KerasClassifier(BaseWrapper):
    """A classifier: labels of any kind, told apart by their order."""

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model and trains it; returns its History.

        Raises:
            ValueError: The labels are neither a column, nor a row for each example.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}. Give one label for each example, or a row of them.")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The label of each example."""
        found = self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs))
        return self.classes_[found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """The probability of each class; of two classes both, where the model gives that of the second alone."""
        found = self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs))
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The mean accuracy.

        Raises:
            ValueError: The model wasn't compiled with metrics=["accuracy"].
        """
        y = np.searchsorted(self.classes_, y)
        if self._is_categorical() and y.ndim != 2:
            y = import_module(ROOT).keras.utils.to_categorical(y)
        found = self.model.evaluate(x, y, **self.filter_sk_params(_methods().evaluate, kwargs))
        for name, value in zip(self.model.metrics_names, found if isinstance(found, list) else [found]):
            if name in ("accuracy", "acc"):
                return value
        raise ValueError("score: the model doesn't say its accuracy. Compile it with metrics=['accuracy'].")


class KerasRegressor(BaseWrapper):
    """A regressor."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """What the model says of each example."""
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(_methods().predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The loss, negative: more is better."""
        found = self.model.evaluate(x, y, **self.filter_sk_params(_methods().evaluate, kwargs))
        return -(found[0] if isinstance(found, list) else found)
