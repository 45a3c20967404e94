"""Releases of libraries in which old programs compute other values, where no repair can take the changes back."""

from __future__ import annotations

from typing import NamedTuple


class Release(NamedTuple):
    """A release of a library in which old programs compute other values, in ways that their files don't show.

    Attributes:
        since: The release: "pandas 3.0".
        changes: The changes, for people.
    """

    since: str
    changes: str

    @property
    def pin(self) -> str:
        """Returns pip's requirement for an older release, "pandas<3.0"."""
        return self.since.replace(" ", "<")


# Module -> the release.
OTHER_VALUES = {
    "pandas": Release(
        "pandas 3.0",
        'df["a"][0] = 1 and df["a"].fillna(0, inplace=True) no longer change df, texts have the dtype str in place of '
        "object, df.values can't be written to, and series[0] is no longer a position",
    )
}
