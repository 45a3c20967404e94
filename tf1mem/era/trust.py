"""The consent for data that can run code when it is read: the flag `--trust-data` of `tf1mem run`."""

from __future__ import annotations

from tf1mem.errors import DataNotTrustedError

FLAG = "--trust-data"

# Advice for errors: the command by which a person consents to reading such data.
how_to_consent = f"run the program by tf1mem run {FLAG}"

# True if this process's program may read data that can run code.
trusts_data = False


def refused(request: str) -> DataNotTrustedError:
    """Returns the error for a program that reads such data without the flag.

    Args:
        request: The attempted call: "np.load of pickles".
    """
    return DataNotTrustedError(
        request,
        "such data can run code when it is read",
        f"If you trust where it comes from, {how_to_consent}",
    )
