"""What a program runs under, and what the processes get that multiprocessing starts afresh for it: the same."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

from tf1mem.errors import BAD_INPUT, Tf1memError, complain
from tf1mem.runner import assertions
from tf1mem.runner.finder import ProgramFinder
from tf1mem.runner.policy import Policy
from tf1mem.runner.territory import Territory

# What a child imports the program's script as. It is never seen: multiprocessing calls it __mp_main__.
_MAIN = "__tf1mem_main__"


class Heritage:
    """What this process was given, and its children are to have too. Pickled, it installs itself where it arrives.

    A child started by multiprocessing's spawn and forkserver methods is a bare Python that unpickles what
    `multiprocessing.spawn.get_preparation_data` returned, and then imports the program's main module. Both are
    made use of here: the data gets one entry more, and the script a name to be imported by.

    Args:
        root: The program's tree.
        package: The package named by -m, or None.
        always: Rewrite on TensorFlow 1 too.
        outside: Settings from outside the program (`tf1mem.applying.outside.Outside`), or None.
        main: In a child: the script's file, if it has a script to import.
    """

    def __init__(self, root: str, package: str | None, always: bool, outside: Any, main: str | None = None) -> None:
        self.root = root
        self.package = package
        self.always = always
        self.outside = outside
        self.main = main

    def __reduce__(self) -> Any:
        return _arrive, (self.root, self.package, self.always, self.outside, self.main)

    def install(self) -> ProgramFinder:
        """Puts the import hook into this process, and keeps the settings ready."""
        policy = Policy(Territory(self.root, self.package), self.always)
        finder = ProgramFinder(
            policy, {"multiprocessing.spawn": self._follow, assertions.MODULE: partial(assertions.follow, policy)}
        )
        if self.main is not None:
            finder.alias(_MAIN, self.main)
        finder.install()
        if self.outside is not None:
            from tf1mem.applying.pending import keep_ready

            # Applied when the runtime starts, not before: what the program does first, such as setting
            # CUDA_VISIBLE_DEVICES or forking workers, has to count.
            keep_ready(self.outside, _give_up)
        return finder

    def _follow(self, spawn: Any) -> None:
        original = spawn.get_preparation_data

        def get_preparation_data(name: str) -> dict[str, Any]:
            data: dict[str, Any] = original(name)
            script = data.pop("init_main_from_path", None)
            if script is not None:
                self.main = script
                data["init_main_from_name"] = _MAIN
            data["tf1mem"] = self
            return data

        spawn.get_preparation_data = get_preparation_data


def _give_up(error: Tf1memError) -> NoReturn:
    """Ends the program: the settings that it was to run under can't hold here."""
    complain(error)
    raise SystemExit(BAD_INPUT)


def _arrive(root: str, package: str | None, always: bool, outside: Any, main: str | None) -> Heritage:
    heritage = Heritage(root, package, always, outside, main)
    heritage.install()
    return heritage
