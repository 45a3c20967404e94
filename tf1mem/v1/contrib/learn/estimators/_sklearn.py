"""What estimators have of scikit-learn's: parameters, and an error."""

from __future__ import annotations

from typing import Any


class NotFittedError(ValueError, AttributeError):
    """An estimator is asked for something before it is fitted."""


class BaseEstimator:
    """Reads and sets an object's parameters, which are its public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters.

        Args:
            deep: Whether those of parameters are among them, as "parameter__name".
        """
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                found.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets parameters.

        Args:
            **params: By name, or by "parameter__name".

        Returns:
            This object.

        Raises:
            ValueError: There is no such parameter.
        """
        valid = self.get_params()
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in valid:
                raise ValueError(f"Invalid parameter {outer} for estimator {self}. It has: {', '.join(sorted(valid))}.")
            if inner:
                valid[outer].set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def __repr__(self) -> str:
        parameters = (f"{name}={value}" for name, value in self.get_params(deep=False).items())
        return f"{type(self).__name__}({', '.join(parameters)})"
