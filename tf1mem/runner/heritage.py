"""What a program runs under, and what the processes get that multiprocessing starts afresh for it: the same."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, Callable, NamedTuple, NoReturn, Sequence

from tf1mem.era import doors
from tf1mem.era.python2 import program
from tf1mem.errors import BAD_INPUT, Tf1memError, complain
from tf1mem.machine import asked_names
from tf1mem.oom import origins
from tf1mem.runner import assertions, texts
from tf1mem.runner.finder import Observer, ProgramFinder
from tf1mem.runner.policy import Policy
from tf1mem.runner.territory import Territory

# What a child imports the program's script as. It is never seen: multiprocessing calls it __mp_main__.
_MAIN = "__tf1mem_main__"


class Era(NamedTuple):
    """What a program is given of the libraries that it was written for.

    Attributes:
        is_as_is: Nothing: it runs with today's.
        trusts_data: It may load data that can run code as it is read.
        packages: Installed packages that it is given as its own.
    """

    is_as_is: bool = False
    trusts_data: bool = False
    packages: Sequence[str] = ()


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
        era: What the program is given of older libraries.
        python2: The program's main file, if it is certainly Python 2: then its other files are, which both compile.
        main: In a child: the script's file, if it has a script to import.
    """

    def __init__(  # noqa: PLR0917
        self,
        root: str,
        package: str | None,
        always: bool,
        outside: Any,
        era: Era,
        python2: str = "",
        main: str | None = None,
    ) -> None:
        self.root = root
        self.package = package
        self.always = always
        self.outside = outside
        self.era = era
        self.python2 = python2
        self.main = main

    def __reduce__(self) -> Any:
        return _arrive, (*self.parts(), self.main)

    def parts(self) -> tuple[Any, ...]:
        """All but `main`, in the order of the arguments, as a Python takes it over that isn't multiprocessing's."""
        return self.root, self.package, self.always, self.outside, self.era, self.python2

    @classmethod
    def of(cls, parts: tuple[Any, ...], root: str) -> Heritage:
        """Returns the heritage for the tree of another script of the program's.

        Args:
            parts: What `parts` has returned.
            root: The tree.
        """
        return cls(root, *parts[1:])

    def check(self) -> None:
        """Refuses settings from outside where there is no TensorFlow, and notes where they come from.

        Raises:
            Tf1memError: They can't be used.
        """
        if self.outside is not None:
            from tf1mem.machine.tensorflow import check_installed

            check_installed()
            self.note_origins()

    def note_origins(self) -> None:
        """Notes where settings from outside come from."""
        if self.outside is not None:
            for given in (self.outside.override, self.outside.config):
                if given is not None:
                    origins.note(given.settings(), given.name)

    def install(self, give_up: Callable[[Tf1memError], Any] | None = None) -> ProgramFinder:
        """Puts the import hook into this process, and keeps the settings ready.

        Args:
            give_up: What is done about settings that turn out not to hold here; by default the program is ended.
        """
        asked_names.with_those_before_1 = True
        doors.is_open = self.era.trusts_data
        policy = Policy(self._territory(), self.always, not self.era.is_as_is)
        program.main = "" if self.era.is_as_is else self.python2
        texts.follow(policy)
        observers: dict[str, Observer] = dict.fromkeys(texts.COMPILING, texts.follow_module)
        observers["multiprocessing.spawn"] = self._follow
        observers[assertions.MODULE] = partial(assertions.follow, policy)
        finder = ProgramFinder(policy, observers)
        if self.main is not None:
            finder.alias(_MAIN, self.main)
        finder.install()
        if self.outside is not None:
            from tf1mem.applying.pending import keep_ready

            # Applied when the runtime starts, not before: what the program does first, such as setting
            # CUDA_VISIBLE_DEVICES or forking workers, has to count.
            keep_ready(self.outside, give_up or _give_up)
        return finder

    def join(self, finder: ProgramFinder) -> None:
        """Takes over the heritage in a process that has it already by the environment.

        Args:
            finder: Its import hook.
        """
        finder.policy.territory = self._territory()
        if self.main is not None:
            finder.alias(_MAIN, self.main)

    def _territory(self) -> Territory:
        return Territory(self.root, [*self.era.packages, *([] if self.package is None else [self.package])])

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


def _arrive(*what: Any) -> Heritage:
    heritage = Heritage(*what)
    for finder in sys.meta_path:
        if isinstance(finder, ProgramFinder):
            heritage.join(finder)
            return heritage
    heritage.install()
    return heritage
