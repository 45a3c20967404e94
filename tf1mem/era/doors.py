"""What opens a door: data that can run code as it is read. It takes the flag of `tf1mem run`."""

from __future__ import annotations

from tf1mem.errors import DataNotTrustedError

FLAG = "--trust-data"

# What a person does who trusts it.
way = f"run the program by tf1mem run {FLAG}"

# Whether the program of this process may be given such data.
is_open = False


def refused(asked: str) -> DataNotTrustedError:
    """The error for a program that asks for such data without the flag.

    Args:
        asked: What it asked for: "np.load of pickles".
    """
    return DataNotTrustedError(
        asked,
        "such data can run code as it is read",
        f"If you trust where it comes from, {way}",
    )
