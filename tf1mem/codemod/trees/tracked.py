"""What git tracks of a folder: git itself is asked, as an index has several formats.

Of git's settings, those that would start a program for this question are off: the repository may be a stranger's.
"""

from __future__ import annotations

import os
import subprocess
from functools import cached_property
from itertools import accumulate

_COMMAND = ("git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached")
# What a hook of git's is told about the repository that it runs for, which needn't be the folder's.
_OF_ANOTHER = frozenset(("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"))
_PATIENCE_S = 60


class Tracked:
    """What git tracks below a folder; it is asked when somebody wants to know.

    Args:
        folder: A folder in a repository, absolute.
        path: As it is named to a person.

    Attributes:
        folder: The same.
        path: The same.
        problem: Why git could not be asked, once it was; or "".
    """

    def __init__(self, folder: str, path: str) -> None:
        self.folder = folder
        self.path = path
        self.problem = ""

    def __contains__(self, real: str) -> bool:
        """Whether git tracks a file, or something in a folder; both absolute."""
        return os.path.relpath(real, self.folder).replace(os.sep, "/") in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        environment = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER}
        try:
            done = subprocess.run(
                _COMMAND, cwd=self.folder, env={**environment, "GIT_ALLOW_PROTOCOL": ""}, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=_PATIENCE_S, check=False,
            )  # fmt: skip
        except FileNotFoundError:
            self.problem = "git isn't installed"
        except (OSError, subprocess.TimeoutExpired) as error:
            self.problem = f"git: {error}"
        else:
            if not done.returncode:
                files = os.fsdecode(done.stdout).split("\0")
                return frozenset(name for file in files for name in accumulate(file.split("/"), "{}/{}".format))
            self.problem = (os.fsdecode(done.stderr).strip() or "git failed").splitlines()[0]
        return frozenset()
