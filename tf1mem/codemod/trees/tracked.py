"""Asks git which files it tracks in a folder: its index has several formats, which aren't read here.

Settings of git that would start a program are switched off: the repository may be a stranger's.
"""

from __future__ import annotations

import os
import stat
import subprocess
from functools import cached_property
from itertools import accumulate

_COMMAND = ("git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached")
# Git sets these variables for its hooks: they describe the hook's repository, which may not be the folder's.
_OF_ANOTHER = frozenset(("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"))
_PATIENCE_S = 60
# Files that git reads for the answer.
_READ_BY_GIT = ("HEAD", "commondir", "config", "config.worktree", "gitdir", "index", "objects/info/alternates")


class Tracked:
    """The files that git tracks below a folder; git runs on first use.

    Args:
        folder: A folder in a repository, absolute.
        path: The folder's path, as shown to people.

    Attributes:
        folder: The folder, absolute.
        path: The folder's path, as shown to people.
        problem: The reason why git's answer is missing, once git has run; or "".
    """

    def __init__(self, folder: str, path: str) -> None:
        self.folder = folder
        self.path = path
        self.problem = ""

    def __contains__(self, real: str) -> bool:
        """Returns True if git tracks a file, or something in a folder; both absolute."""
        return os.path.relpath(real, self.folder).replace(os.sep, "/") in self._names

    def _blocking(self) -> str:
        """Returns the path of a pipe or device where git expects a file, and would block; "" if there is none."""
        folder = self.folder
        while not os.path.lexists(os.path.join(folder, ".git")) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        top = os.path.join(folder, ".git")
        for path in (top, *(os.path.join(top, *name.split("/")) for name in _READ_BY_GIT)):
            try:
                mode = os.stat(path).st_mode
            except OSError:
                continue
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                return os.path.relpath(path, folder).replace(os.sep, "/")
        return ""

    @cached_property
    def _names(self) -> frozenset[str]:
        """Returns the tracked files, and their folders, as git lists them; none if there is a `problem`."""
        blocking = self._blocking()
        if blocking:
            self.problem = f"{blocking} is not a file"
            return frozenset()
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
