"""The settings and repairs of a program's run, passed on to the processes that multiprocessing starts afresh."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, Callable, NamedTuple, NoReturn, Sequence

from tf1mem.era import operators, printing, promotes_by_dtype, trust
from tf1mem.era.python2 import program
from tf1mem.errors import BAD_INPUT, Tf1memError, complain
from tf1mem.hooks import own_log
from tf1mem.names import used_names
from tf1mem.oom import origins
from tf1mem.runner import assertions, executed_texts, unchanged_packages
from tf1mem.runner.policy import Policy
from tf1mem.runner.program_finder import Observer, ProgramFinder
from tf1mem.runner.territory import Territory

# Module name under which a child imports the program's script. Nobody sees it: multiprocessing renames it __mp_main__.
_MAIN = "__tf1mem_main__"


class RepairOptions(NamedTuple):
    """The repairs that a program gets where it uses what newer libraries lack.

    Attributes:
        is_as_is: True for no repairs (--as-is).
        trusts_data: True if the program may load data that can run code when it is read (--trust-data).
        packages: Installed packages that are rewritten like the program's own files.
    """

    is_as_is: bool = False
    trusts_data: bool = False
    packages: Sequence[str] = ()


class ProcessSetup:
    """The settings and repairs of this process and its children. Unpickling one installs it in the process.

    A child of multiprocessing's spawn and forkserver methods is a bare Python. It unpickles the result of
    `multiprocessing.spawn.get_preparation_data`, and then imports the program's main module. This class adds an entry
    to that data, and gives the script a module name.

    Args:
        root: Folder of the program's files.
        package: Top-level package named by -m, or None.
        always: True to rewrite on TensorFlow 1 too.
        outside: Settings from outside the program (`tf1mem.applying.outside.Outside`), or None.
        repair_options: The repairs that the program gets where it uses what newer libraries lack.
        verbosity: -1 to hide tf1mem's warnings; 0 to show them; 1 to show what TensorFlow logs as it starts, and
            tf1mem's own log, too.
        python2: The program's main file if it is certainly Python 2, else "": files that both Pythons compile are then
            taken for Python 2, too.
        main: In a child of multiprocessing: path of the script to import; None without one.
    """

    def __init__(  # noqa: PLR0917
        self,
        root: str,
        package: str | None,
        always: bool,
        outside: Any,
        repair_options: RepairOptions,
        verbosity: int,
        python2: str = "",
        main: str | None = None,
    ) -> None:
        self.root = root
        self.package = package
        self.always = always
        self.outside = outside
        self.repair_options = repair_options
        self.verbosity = verbosity
        self.python2 = python2
        self.main = main

    def __reduce__(self) -> Any:
        return _unpickle, (*self.parts(), self.main)

    def parts(self) -> tuple[Any, ...]:
        """Returns all arguments but `main`, in order, for child processes that multiprocessing doesn't start."""
        return self.root, self.package, self.always, self.outside, self.repair_options, self.verbosity, self.python2

    @classmethod
    def of(cls, parts: tuple[Any, ...], root: str) -> ProcessSetup:
        """Returns the setup for another script of the program, in its own folder.

        Args:
            parts: The result of `parts`.
            root: The script's folder.
        """
        return cls(root, *parts[1:])

    def check(self) -> None:
        """Refuses settings from outside if there is no TensorFlow, and records their origins.

        Raises:
            Tf1memError: The settings can't be used.
        """
        if self.outside is not None:
            from tf1mem.machine.tensorflow import check_installed

            check_installed()
            self.note_origins()

    def note_origins(self) -> None:
        """Records the origins of settings from outside, for error messages."""
        if self.outside is not None:
            for settings_source in (self.outside.override, self.outside.config):
                if settings_source is not None:
                    origins.note(settings_source.settings(), settings_source.name)

    def install(self, give_up: Callable[[Tf1memError], Any] | None = None) -> ProgramFinder:
        """Installs the import hook in this process, and keeps the settings ready.

        Args:
            give_up: Function called with the error when settings turn out to be invalid here; None for one that ends
                the program.

        Returns:
            The import hook.
        """
        if self.verbosity < 1:
            own_log.leave_out_start()
        if self.verbosity < 0:
            own_log.hide_warnings()
        used_names.supplies_names_before_1 = True
        trust.trusts_data = self.repair_options.trusts_data
        policy = Policy(self._territory(), self.always, not self.repair_options.is_as_is)
        program.main = "" if self.repair_options.is_as_is else self.python2
        executed_texts.follow(policy)
        observers: dict[str, Observer] = dict.fromkeys(executed_texts.COMPILING, executed_texts.follow_module)
        observers["multiprocessing.spawn"] = self._follow
        observers[assertions.MODULE] = partial(assertions.follow, policy)
        observers["keras"] = partial(unchanged_packages.follow_keras, policy.territory)
        if policy.repairs:
            observers["numpy"] = _follow_numpy
            if promotes_by_dtype():
                operators.install()
        finder = ProgramFinder(policy, observers)
        if self.main is not None:
            finder.alias(_MAIN, self.main)
        finder.install()
        if self.outside is not None:
            from tf1mem.applying.pending import keep_ready

            # The settings are applied just before the runtime starts: what the program does first, such as setting
            # CUDA_VISIBLE_DEVICES or forking workers, must still have its effect.
            keep_ready(self.outside, give_up or _give_up)
        return finder

    def join(self, finder: ProgramFinder) -> None:
        """Takes over the setup in a process that has the import hook already.

        Args:
            finder: The import hook.
        """
        finder.policy.territory = self._territory()
        if self.main is not None:
            finder.alias(_MAIN, self.main)

    def _territory(self) -> Territory:
        return Territory(self.root, [*self.repair_options.packages, *([] if self.package is None else [self.package])])

    def _follow(self, spawn: Any) -> None:
        """Adds this setup to the data that multiprocessing passes to a child."""
        original = spawn.get_preparation_data

        def get_preparation_data(name: str) -> dict[str, Any]:
            data: dict[str, Any] = original(name)
            script = data.pop("init_main_from_path", None)
            if script is not None:
                self.main = script
                data["init_main_from_name"] = _MAIN
            data["tf1mem"] = self  # multiprocessing ignores it; unpickling it installs the setup
            return data

        spawn.get_preparation_data = get_preparation_data


def _follow_numpy(numpy: Any) -> None:
    """Makes NumPy, which the program has just loaded, print and promote as older versions did."""
    printing.print_as_before(numpy)
    if promotes_by_dtype():
        operators.know_numpy(numpy)


def _give_up(error: Tf1memError) -> NoReturn:
    """Ends the program with the error, since its settings can't be applied here."""
    complain(error)
    raise SystemExit(BAD_INPUT)


def _unpickle(*arguments: Any) -> ProcessSetup:
    """Returns a setup, installed in this process, or joined to the import hook that the process has already."""
    setup = ProcessSetup(*arguments)
    for finder in sys.meta_path:
        if isinstance(finder, ProgramFinder):
            setup.join(finder)
            return setup
    setup.install()
    return setup
