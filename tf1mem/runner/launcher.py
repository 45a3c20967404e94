"""Runs a program as `__main__`, as Python itself would."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from importlib.machinery import BuiltinImporter, SourceFileLoader
from importlib.util import decode_source
from types import CodeType, ModuleType, TracebackType
from typing import Any, Callable

from tf1mem.era import repair_notes
from tf1mem.era.python2 import PYTHON_2
from tf1mem.era.python2 import program as python2
from tf1mem.errors import ScriptError, TensorFlowNotFoundError, TensorFlowTooOldError, Tf1memError, chain
from tf1mem.hooks import own_log
from tf1mem.machine.child import LEFT_ALONE
from tf1mem.oom.explanation import explain_oom
from tf1mem.runner import children, packages, recursion, reporting, unchanged_packages
from tf1mem.runner.policy import Policy
from tf1mem.runner.process_setup import ProcessSetup, RepairOptions
from tf1mem.runner.program_finder import ProgramFinder
from tf1mem.runner.program_imports import compile_rewritten
from tf1mem.runner.programs import COMMAND, DIRECTORY, MODULE, NOTEBOOK, SCRIPT, STDIN, Program
from tf1mem.runner.ready import give_builtins
from tf1mem.runner.records import RecordWriter, as_text, read
from tf1mem.settings.variable_names import TF_VERSION

_OURS = os.path.dirname(__file__) + os.sep  # tracebacks omit frames of files below it
# And those of these modules.
_OPERATORS = ("tf1mem.era.operators", "tf1mem.era.targets", "tf1mem.runner.imports_by_name")


class Refused(Exception):  # noqa: N818 - says what happened to the program
    """The program cannot be run, and the fault is not the program's.

    A class apart, so that a `Tf1memError` that the program itself raises stays the program's.

    Attributes:
        error: The reason.
    """

    def __init__(self, error: Tf1memError) -> None:
        super().__init__(error)
        self.error = error


def launch(
    program: Program,
    outside: Any = None,
    report: bool = False,
    repair_options: RepairOptions = RepairOptions(),  # noqa: B008
    *,
    verbosity: int = 0,
    with_children: bool = True,
) -> None:
    """Runs a program in this process.

    `sys.argv`, `sys.path`, `__main__` and tracebacks are those that Python gives the program. The program's exceptions
    pass through to the caller, who passes them on.

    Args:
        program: The program to run.
        outside: Settings from outside the program (`tf1mem.applying.outside.Outside`), or None.
        report: True to print what happened to the settings, and the repairs, when the process ends.
        repair_options: The repairs that the program gets where it uses what newer libraries lack.
        verbosity: -1: hide tf1mem's warnings; 1: show what TensorFlow logs as it starts, and tf1mem's own log.
        with_children: True to pass the settings and repairs on to Python processes that the program starts.

    Raises:
        Refused: The program can't be run, and the fault is not the program's.
    """
    handed = children.handed_to_this()
    is_part = handed is not None and handed.is_of_this_tf1mem  # started by a program of `tf1mem run`
    outer = ProcessSetup.of(handed.parts, "").outside if handed is not None and is_part else None
    if outer is not None:
        from tf1mem.applying.outside import within

        outside = within(outside, outer)
    setup = ProcessSetup(
        root=program.path_entry or os.getcwd(),
        package=program.name.partition(".")[0] if program.kind == MODULE else None,
        always=report or outside is not None or bool(os.environ.get(TF_VERSION, "").strip()),
        outside=outside,
        repair_options=repair_options,
        verbosity=verbosity,
    )
    _set_argv_and_path(program)
    try:
        packages.check(repair_options.packages)
    except Tf1memError as error:
        raise Refused(error) from None
    records = handed.records if handed is not None else ""
    if is_part and records:
        command = " ".join([str(program), *program.arguments])
        RecordWriter(records, command, lambda: reporting.as_text(repair_options), is_own=True).follow()
    if report:
        records = tempfile.mkdtemp(prefix="tf1mem-run-")
        _report_at_exit(repair_options, records)
    sys.meta_path[:] = [finder for finder in sys.meta_path if not _is_inherited(finder)]
    finder = setup.install()
    try:
        run = _prepare(program, finder.policy)
        setup.check()
        setup.python2 = _python2_main(program, finder.policy)
        if with_children:
            children.pass_on(setup, records)
        else:
            children.stop_passing_on()
    except Tf1memError as error:
        raise Refused(error) from None
    except SyntaxError as error:
        _hide_our_frames(error, program)
        raise
    _execute(run, program, finder.policy)


def _is_inherited(finder: object) -> bool:
    """Returns True for a finder of the parent program; this process installs its own."""
    return isinstance(finder, ProgramFinder) or type(finder).__module__ == "_tf1mem_child"


def launch_in_child(program: Program, policy: Policy) -> None:
    """Runs a program in a child process of a program, as `launch` does.

    If Python would refuse the program, Python itself reports it.

    Args:
        program: The program to run.
        policy: Decides what to rewrite in it.
    """
    _set_argv_and_path(program)
    try:
        run = _prepare(program, policy)
    except Tf1memError:
        _let_python_report(program)
        raise
    except SyntaxError as error:
        _hide_our_frames(error, program)
        raise
    _python2_main(program, policy)
    _execute(run, program, policy, in_child=True)


def _set_argv_and_path(program: Program) -> None:
    # With -P and -I, Python puts nothing in front of the path, neither for tf1mem nor for the program.
    if not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated):
        del sys.path[0]
        sys.path.insert(0, program.path_entry)
    elif program.kind == DIRECTORY:
        sys.path.insert(0, program.path_entry)
    sys.argv = ["-m" if program.kind == MODULE else program.name, *program.arguments]


def _prepare(program: Program, policy: Policy) -> Callable[[], None]:
    """Creates the program's `__main__`, and returns a function that runs the program."""
    main = ModuleType("__main__")
    names = main.__dict__
    names["__annotations__"] = {}
    names["__builtins__"] = sys.modules["builtins"]
    if program.kind in (SCRIPT, STDIN, COMMAND):
        code = _compile(program, policy)
        give_builtins(names, code)
        if program.kind != COMMAND:
            names["__file__"] = program.filename
            names["__cached__"] = None
        names["__loader__"] = (
            SourceFileLoader("__main__", program.filename) if program.kind == SCRIPT else BuiltinImporter
        )
        _install_main(main)
        return lambda: _execute_code(code, names)
    _install_main(main)
    if program.kind == NOTEBOOK:
        from tf1mem.runner import notebooks

        return lambda: notebooks.run(program, policy, main)
    import runpy

    # The function that Python itself calls for -m, directories and zip files: its frames are in their tracebacks.
    run_module: Callable[..., None] = getattr(runpy, "_run_module_as_main")  # noqa: B009
    if program.kind == DIRECTORY:
        return lambda: run_module("__main__", False)
    return lambda: run_module(program.name)


def _execute_code(code: CodeType, names: dict[str, Any]) -> None:
    recursion.make_up_for_frames_below()
    exec(code, names)


def _install_main(main: ModuleType) -> None:
    sys.modules["__main__"] = main
    # multiprocessing's name for the main module, set when multiprocessing is imported: children that start afresh send
    # back objects of the program's classes under that name.
    if "__mp_main__" in sys.modules:
        sys.modules["__mp_main__"] = main


def _compile(program: Program, policy: Policy) -> CodeType:
    """Returns a program's code, rewritten where it needs that; Python itself reports a SyntaxError."""
    _check_that_it_is_text(program)
    # If Python itself reports a syntax error, it doesn't show the warnings before it.
    with warnings.catch_warnings(record=True) as caught:
        try:
            arguments = program.source, program.filename, policy.roots, policy.repairs
            code = compile_rewritten(*arguments, is_known=True)
            try:
                code = code or compile(program.source, program.filename, "exec", dont_inherit=True)
            except SyntaxError:
                code = compile_rewritten(*arguments)
                if code is None:
                    raise
                caught.clear()
        except SyntaxError:
            _let_python_report(program)
            raise
    for warning in caught:
        warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
    return code


def _python2_main(program: Program, policy: Policy) -> str:
    """Returns the file that makes this program, or the program it is a part of, Python 2; "" if none."""
    source, filename = _main_file(program)
    if source and policy.repairs and python2.is_certain(source, filename):
        python2.main = filename
    return python2.main


def _main_file(program: Program) -> tuple[bytes, str]:
    """Returns the source and traceback filename of a program's main file; empty if it has none or it is Python 3."""
    if program.kind in (SCRIPT, STDIN):
        was_translated = repair_notes.has_file(PYTHON_2, program.filename)
        return (program.source, program.filename) if was_translated else (b"", "")
    inner = ["__main__.py"]
    if program.kind == MODULE:
        path = os.path.join(program.path_entry, *program.name.split("."))
        inner = [path + ".py", os.path.join(path, "__main__.py")]
    elif program.kind != DIRECTORY:
        inner = []
    for name in inner:
        path = os.path.join(program.path_entry, name)
        try:
            with open(path, "rb") as file:
                return file.read(), path
        except OSError:
            continue
    return b"", ""


def _let_python_report(program: Program) -> None:
    """Makes Python itself fail on the script: `compile` words errors at a file's end differently, by version."""
    if sys.executable and (program.kind != SCRIPT or os.path.isfile(program.name)):
        flags: list[str] = getattr(subprocess, "_args_from_interpreter_flags", list)()
        text = [os.fsdecode(program.source)] if program.kind == COMMAND else []
        command = [sys.executable, *flags, program.name or "-", *text, *program.arguments]
        standard_input = program.source if program.kind == STDIN else None
        environment = {**os.environ, **LEFT_ALONE}
        raise SystemExit(subprocess.run(command, input=standard_input, env=environment, check=False).returncode)


def _check_that_it_is_text(program: Program) -> None:
    # `compile` accepts undecodable bytes in comments; Python, running the file, does not.
    if program.source.isascii():
        return
    try:
        decode_source(program.source)
    except (UnicodeDecodeError, SyntaxError) as error:
        raise ScriptError(
            str(program),
            f"it is not Python source: {error}",
            "If it is text, save it as UTF-8, or name its encoding in the first line: # -*- coding: latin-1 -*-",
        ) from None


def _execute(run: Callable[[], None], program: Program, policy: Policy, *, in_child: bool = False) -> None:
    """Runs the program; raises `Refused` if its TensorFlow is missing or too old."""
    try:
        with explain_oom():
            run()
    except SystemExit as stop:
        if sys.flags.inspect:  # Python shows it as an error in this mode
            _hide_our_frames(stop, program)
        raise
    except BaseException as error:
        reason = None if in_child else _without_tensorflow(error)
        if reason is not None:
            raise Refused(reason) from None
        _hide_our_frames(error, program, policy)
        raise


def _without_tensorflow(error: BaseException) -> Tf1memError | None:
    """Returns the error to show if a missing or too old TensorFlow, and not the program, caused an error."""
    if isinstance(error, (TensorFlowNotFoundError, TensorFlowTooOldError)):
        return error
    if isinstance(error, ModuleNotFoundError) and error.name == "tensorflow":
        from tf1mem.machine.tensorflow import import_tensorflow

        try:
            import_tensorflow()
        except Tf1memError as reason:
            return reason
    return None


def _hide_our_frames(error: BaseException, program: Program, policy: Policy | None = None) -> None:
    """Makes the displayed traceback of `error` begin at the program's frames, without those of its operators.

    With a policy, a remark follows it if an installed package may have to be rewritten as well.

    The error still has to pass tf1mem's frames. So `sys.excepthook`, which the program may have set, is wrapped at the
    last moment; everything else at exit stays Python's.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    clean = trace
    for shown in chain(error):
        _leave_out_operators(shown.__traceback__)
    show = sys.excepthook
    if program.kind == NOTEBOOK and show is sys.__excepthook__:
        # Before 3.13 Python's own hook finds source lines in files only, and cells aren't files.
        import traceback

        show = traceback.print_exception

    def excepthook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = show
        if value is error:
            trace = value.__traceback__ = clean
        show(kind, value, trace)
        # Python ends an interrupted program by SIGINT, unless other code was evaluated after the interrupt.
        if value is error and isinstance(error, Exception) and policy is not None and policy.roots():
            remark = unchanged_packages.remark(error, policy.territory)
            if remark:
                print(remark, file=sys.stderr)

    sys.excepthook = excepthook


def _leave_out_operators(trace: TracebackType | None) -> None:
    """Takes the frames of `_OPERATORS` out of a traceback."""
    while trace is not None:
        while trace.tb_next is not None and trace.tb_next.tb_frame.f_globals.get("__name__") in _OPERATORS:
            trace.tb_next = trace.tb_next.tb_next
        trace = trace.tb_next


def _report_at_exit(repair_options: RepairOptions, records: str) -> None:
    """Prints the report to stderr when this process ends; forked children print nothing.

    Args:
        repair_options: The repairs that the program gets where it uses what newer libraries lack.
        records: Folder of the children's records.
    """
    from tf1mem.applying.pending import close_pending

    process = os.getpid()
    stream = sys.stderr

    def show() -> None:
        if os.getpid() != process:
            return
        try:
            child_records = read(records)
            close_pending(any(record.has_settings for record in child_records))
            log = [own_log.REMARK] if own_log.was_left_out else []
            print(reporting.as_text(repair_options, as_text(child_records)), *log, sep="\n", file=stream, flush=True)
        except (OSError, ValueError):
            pass  # stderr is closed, or its reader is gone
        finally:
            shutil.rmtree(records, ignore_errors=True)

    atexit.register(show)
    # A fork of this process has no command of its own, and reports on its settings.
    RecordWriter(records, "", lambda: reporting.as_text(repair_options), is_own=False).follow_forks()
