"""Records what Sessions run: feeds, data, fetches, gradients, and the variables before each training run."""

from __future__ import annotations

import os
import sys
import threading
import zlib
from typing import Any, Callable, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from tf1mem.hooks.wrappers import put, put_around
from tf1mem.machine.modules import loaded_module
from tf1mem.verifying.array_records import summed_by_row
from tf1mem.verifying.recording import graphs, starting
from tf1mem.verifying.recording.causes import cause
from tf1mem.verifying.recording.data import Data
from tf1mem.verifying.recording.eager import EagerRecorder
from tf1mem.verifying.recording.inside import CalledFunctions, Inside
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import Notes
from tf1mem.verifying.recording.order import Reads

# With more elements than this, variables and gradients are recorded only at some of the training runs.
_SMALL = 2_000_000
# The most elements of several variables that are read at once, and of all gradients that are read.
_AT_ONCE = 1 << 24
_Feeds = List[Tuple[Any, Any]]

# The largest number of other runs that are recorded between two training runs.
_BETWEEN = 50


class _Run(NamedTuple):
    """The plan for recording runs with certain targets, fetches and feeds.

    Attributes:
        ops: The ops that the run executes.
        trains: True if it trains: it changes variables, or is fed the weights that an optimizer outside of TensorFlow
            tries.
        variables: The graph's variables, if it trains.
        weights: The names of the variables whose values are fed -> the tensors that are fed.
        elements: The number of elements of all these variables.
        extra: "gradient:NAME", "rows:NAME", "loss:NAME" or "data:NAME" -> a tensor that is fetched in addition to the
            program's own fetches.
        jumps: The names of fetched tensors whose values jump.
    """

    ops: list[Any]
    trains: bool
    variables: list[Any]
    weights: dict[str, Any]
    elements: int
    extra: dict[str, Any]
    jumps: frozenset[str]


class Recorder:
    """Wraps the Sessions of a process, and records their runs.

    Args:
        job: The process's job.
        notes: The Notes that get the recorded runs.
        finish: Function that writes the notes; its argument, "steps" or "exit", says how the program ended.
    """

    def __init__(self, job: Job, notes: Notes, finish: Callable[[str], None]) -> None:
        self.job, self.notes, self.finish = job, notes, finish
        self._lock = threading.RLock()  # of the notes
        self._training = threading.RLock()  # of runs that train
        self._thread = threading.local()
        self._known: dict[Any, _Run] = {}  # by graph, targets, fetches and feeds
        self._kept: list[Any] = []  # objects whose ids are keys
        self.trained = 0
        self._is_off = False
        self._between = 0  # runs since the last one that trained
        self._last: tuple[Any, _Run] | None = None  # the Session and the plan of that one
        self._wraps_savers = False
        self.eager = EagerRecorder(job, notes, self._eager_step)
        # Tensors of which gradients were added to graphs, each with the names of the gradients' ops.
        self._losses: list[tuple[Any, set[str]]] = []
        # Graphs, and the gradients that were added to each.
        self._gradients: list[tuple[Any, dict[str, graphs.Gradient]]] = []
        self.data = Data(job, notes.fields)
        self._reads = Reads()
        self._unread: set[str] = set()  # variables that weren't initialized when they were first read

    def around(self, module: Any) -> None:
        """Wraps the Sessions of `module`: `tensorflow.python.client.session`, just loaded."""
        base = module.BaseSession
        put_around(base, "_do_run", self._around_run)
        put_around(base, "make_callable", lambda original: _callable_by_run)
        put_around(base, "_make_callable_from_options", self._around_options)
        put_around(base, "close", self._around_close)
        put_around(base, "__init__", self._around_start)
        graph = loaded_module("python.framework.ops").Graph
        put_around(graph, "__init__", self._with_seed)
        put(graph, "seed", property(graph.seed.fget, self._around_seed(graph.seed.fset)))

    def turn_off(self) -> None:
        """Ends recording in this process, which has been forked from the recorded one."""
        self._is_off = self.eager.is_off = True

    def around_gradients(self, module: Any) -> None:
        """Wraps the function that adds gradients to a graph, of `module`: `gradients_util`, just loaded."""
        put_around(module, "_GradientsHelper", self._around_helper)

    def _around_helper(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps the function that adds gradients to a graph: records losses and gradients."""

        def helper(ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
            gradients = original(ys, xs, *args, **kwargs)
            tensors = ys if isinstance(ys, (list, tuple)) else [ys]
            names = {getattr(each, "values", each).op.name for each in gradients if each is not None}
            self._losses += [(each, names) for each in tensors if hasattr(each, "op") and each.shape.ndims == 0]
            graph = loaded_module("python.framework.ops").get_default_graph()
            self._gradients.append((graph, graphs.pure_gradients(xs, gradients)))
            return gradients

        return helper

    def _eager_step(self) -> None:
        self.trained += 1
        self._write_count()
        if self.trained >= self.job.steps:
            self.end()

    def _with_seed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init(graph: Any, *args: Any, **kwargs: Any) -> None:
            original(graph, *args, **kwargs)
            self._name_seeds()
            # Through the property: tf1mem.v1 may have wrapped it since, and then gives ops the seeds of TensorFlow 1.
            graph.seed = self.job.seed if graph.seed is None and _is_programs(graph) else graph.seed

        return init

    def _around_seed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps the setter of a graph's seed: None, as an Estimator without a seed sets it, becomes the job's seed."""

        def set_seed(graph: Any, seed: int | None) -> None:
            original(graph, self.job.seed if seed is None and _is_programs(graph) else seed)

        return set_seed

    def _name_seeds(self) -> None:
        """Makes ops draw by their names if the job says so; called with the first graph, when TensorFlow is loaded."""
        module = loaded_module("python.framework.random_seed")
        if self.job.named_seeds and module is not None and not hasattr(module.get_seed, "__wrapped__"):
            put_around(module, "get_seed", _seed_by_name)

    def _around_start(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a Session's constructor: notes its config."""

        def init(session: Any, *args: Any, **kwargs: Any) -> None:
            original(session, *args, **kwargs)
            self._wrap_savers()
            config = getattr(session, "_config", None)
            is_own = kwargs.get("config", args[2] if len(args) > 2 else None) is not None
            is_own = is_own and not _is_of_keras(config)
            for each in [config] if is_own or config is None else _of_eager_mode(config):
                self.notes.note_config(each)

        return init

    def _wrap_savers(self) -> None:
        saver = getattr(loaded_module("python.training.saver"), "Saver", None)
        if saver is not None and not self._wraps_savers:
            self._wraps_savers = True
            put_around(saver, "restore", self._around_restore)

    def _around_restore(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def restore(saver: Any, session: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(saver, session, path, *args, **kwargs)
            names = saver._var_list if saver._var_list is not None else session.graph.get_collection_ref("variables")
            listed = names.values() if isinstance(names, dict) else names
            variables = sorted(getattr(each, "name", str(each)) for each in listed)
            self.notes.note("restores", {"step": self.trained, "variables": variables})
            return result

        return restore

    def _around_close(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def close(session: Any, *args: Any, **kwargs: Any) -> Any:
            if self._last is not None and self._last[0] is session:
                self.note_final()
            return original(session, *args, **kwargs)

        return close

    def _around_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a Session's run: records it, with more fetches and feeds."""

        def do_run(  # noqa: PLR0917 - TensorFlow's own
            session: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, options: Any, metadata: Any
        ) -> Any:
            def run(more: list[Any], kept: Mapping[str, Any]) -> list[Any]:
                tensors = [*fetches, *more]
                missing = [each for each in tensors if each.name not in kept]
                fed = {**feeds, **{_reference(session.graph.get_tensor_by_name(name)): kept[name] for name in kept}}
                is_run = bool(missing or targets)  # TensorFlow refuses a run of nothing
                results = iter(original(session, handle, targets, missing, fed, options, metadata) if is_run else ())
                return [kept[each.name] if each.name in kept else next(results) for each in tensors]

            if handle is not None or self._is_off or getattr(self._thread, "is_reading", False):
                return original(session, handle, targets, fetches, feeds, options, metadata)
            return self._run_in_turn(
                session, targets, fetches, [(_tensor(key), value) for key, value in feeds.items()], run
            )

        return do_run

    def _around_options(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a Session's callables in the same way; these can't be fed more."""

        def make(session: Any, options: Any) -> Any:
            graph = session.graph
            by_name = graph.as_graph_element
            fetches = [by_name(name) for name in options.fetch]
            fed = [by_name(name) for name in options.feed]
            targets = [by_name(name) for name in options.target]
            plan = self._plan(graph, targets, fetches, fed)
            more = type(options)()
            more.CopyFrom(options)
            more.fetch.extend(tensor.name for tensor in plan.extra.values())
            call = original(session, more)

            places = {tensor.name: len(fetches) + index for index, tensor in enumerate(plan.extra.values())}

            def called(*values: Any, **kwargs: Any) -> Any:
                if self._is_off:
                    return list(call(*values, **kwargs))[: len(fetches)]

                def run(tensors: list[Any], _: Mapping[str, Any]) -> list[Any]:
                    results = list(call(*values, **kwargs))
                    return results[: len(fetches)] + [results[places[each.name]] for each in tensors]

                return self._run_in_turn(session, targets, fetches, list(zip(fed, values)), run, can_feed=False)

            return called

        return make

    def _plan(self, graph: Any, targets: Any, fetches: Any, fed: Any) -> _Run:
        """Returns the plan for runs with these targets, fetches and fed tensors, made at the first of them."""
        self._reads.order(graph)
        key = (id(graph), tuple(map(id, targets)), tuple(map(id, fetches)), tuple(map(id, fed)), graph.version)
        if key not in self._known:
            ops = graphs.needed(targets, fetches, fed, self._reads.added)
            weights = graphs.fed_weights(graph, fed)
            trains = bool(weights or graphs.training_ops(graph, ops))
            variables = graphs.variables_of(graph) if trains else []
            ordered = self.notes.fields["ordered"]
            ordered += [each for each in self._reads.of_run(ops) if each not in ordered]
            elements = sum(_elements(each) for each in variables)
            extra = {"data:" + each.name: each for each in graphs.data(ops, fed)}
            if trains:
                names = {op.name for op in ops}
                for name, gradient in self._gradients_of(graph, ops, names).items():
                    extra["gradient:" + name] = gradient.values
                    if gradient.rows is not None:
                        extra["rows:" + name] = gradient.rows
                losses = [each for each, gradients in self._losses if each.graph is graph and gradients & names]
                losses = [each for each in losses[:1] if graphs.is_free(each, names, fed)]
                extra.update({"loss:" + each.name: each for each in losses})
            jumping = frozenset(each.name for each in fetches if graphs.jumps(each))
            self._known[key] = _Run(ops, trains, variables, weights, elements, extra, jumping)
            self._kept.append((graph, targets, fetches, fed))
        return self._known[key]

    def _gradients_of(self, graph: Any, ops: list[Any], names: set[str]) -> dict[str, graphs.Gradient]:
        """Returns the gradients that a run computes: those that optimizers' ops take, and those of other variables."""
        pure = {
            name: gradient
            for owner, gradients in self._gradients
            for name, gradient in gradients.items()
            if owner is graph and gradient.values.op.name in names
        }
        every = {**pure, **graphs.gradients(ops)}
        # For a large model, only the gradients of the variables that were created first are recorded: they depend on
        # the other layers' gradients and are computed last. Fetching a gradient from the middle may keep all later ones
        # in memory, too.
        sizes = {graphs.own_op(each): _elements(each) for each in graphs.variables_of(graph)}
        kept, elements = {}, 0
        for name in sorted(every, key=lambda each: graph.get_operation_by_name(each)._id):
            # The shape of a gradient may be unknown, such as that of the values of IndexedSlices.
            more = _elements(every[name].values) or sizes.get(name, 0)
            if elements + more <= _AT_ONCE:
                elements += more
                kept[name] = every[name]
        return kept

    def _run_in_turn(
        self,
        session: Any,
        targets: Any,
        fetches: Any,
        feeds: _Feeds,
        run: Callable[[list[Any], Mapping[str, Any]], list[Any]],
        *,
        can_feed: bool = True,
    ) -> Any:
        """Runs, and records the run: one training run at a time, and no run without fetches that doesn't train."""
        with self._lock:
            plan = self._plan(session.graph, targets, fetches, [tensor for tensor, _ in feeds])
        if plan.trains:
            with self._training:
                return self._recorded(session, plan, fetches, feeds, run, can_feed=can_feed)
        if not fetches:  # such as one that fills a queue, in a thread that waits for room there
            return run([], {})
        return self._recorded(session, plan, fetches, feeds, run, can_feed=can_feed)

    def _recorded(
        self,
        session: Any,
        plan: _Run,
        fetches: Any,
        feeds: _Feeds,
        run: Callable[[list[Any], Mapping[str, Any]], list[Any]],
        *,
        can_feed: bool,
    ) -> Any:
        """Runs, and records the run. No lock that other runs need is held then: it may wait for their results."""
        with self._lock:
            if plan.trains:
                key = str(self.trained)
                self._between = 0
            else:
                self._between += 1
                key = f"{self.trained}.{self._between}"
            is_full = plan.trains and (plan.elements <= _SMALL or _is_spaced(self.trained))
            weights = {tensor.name: name for name, tensor in plan.weights.items()}
            fed = {weights[tensor.name]: value for tensor, value in feeds if tensor.name in weights}
            first = plan.trains and self._begin(session, plan, fed)
            data = [tensor for name, tensor in plan.extra.items() if name.startswith("data:")] if can_feed else []
            turn = self.data.start(data)
            noted: dict[str, Any] = {"key": key, "trains": plan.trains, "values": {}, "jumps": []}
            values = noted["values"]
            is_kept = plan.trains or self._between <= _BETWEEN
            if is_kept:
                for tensor, value in feeds:
                    if tensor.name not in weights and not graphs.is_handle(tensor):
                        values["feed:" + tensor.name] = self._keep(value)
            if is_full or first:
                for name, value in self._values_of(session, plan.variables, fed):
                    values["before:" + name] = self._keep(value)
                    del value  # else it would be in memory together with the next one
            keys = [each for each in plan.extra if is_full or each.startswith("data:")]
        kept = dict(turn.values)
        if key == self.job.trace:
            kept.update(
                self._trace(session, plan, [*feeds, *((each, kept[each.name]) for each in data if each.name in kept)])
            )
        try:
            moved = starting.moved(self.job, self.trained, fed) if can_feed else {}
            moved = {plan.weights[name].name: value for name, value in moved.items()}
            results = run([plan.extra[each] for each in keys], {**kept, **moved})
        except Exception as error:
            self.data.end(turn, error)
            raise
        with self._lock:
            extra = results[len(fetches) :]
            for name, value in zip(keys, extra) if can_feed else ():
                if name.startswith("data:"):
                    self.data.keep(turn, plan.extra[name], value)
            if is_kept:
                for name, value in _with_rows_summed(dict(zip(keys, extra))):
                    values[name] = self._keep(getattr(value, "values", value))
                for name, tensor, value in _compared(fetches, results):
                    values[name] = self._keep(getattr(value, "values", value))
                    if tensor.name in plan.jumps:
                        noted["jumps"].append(name)
                self.notes.note("runs", noted)
            if plan.trains:
                self.trained += 1
                self._last = (session, plan)
                self._write_count()
                if self.trained >= self.job.steps or key == self.job.trace:
                    self.end()
            return results[: len(fetches)]

    def _keep(self, value: Any) -> dict[str, Any]:
        return self.notes.keep(value)

    def _begin(self, session: Any, plan: _Run, fed: dict[str, Any]) -> bool:
        """Records initial values of variables that are new in this run, and assigns the values of the job.

        Args:
            session: The Session that is about to run.
            plan: The run.
            fed: The variables' names -> the values that are fed. They stay: an optimizer outside of TensorFlow has its
                own weights already.

        Returns:
            True if there are new variables.
        """
        first = self.notes.fields["first"]
        new = [each for each in plan.variables if each.name not in first and each.name not in self._unread]
        if not new:
            return False
        new.sort(key=lambda each: getattr(each.op, "_id", 0))  # in the order in which the program created them
        variables, trainable = {each.name: each for each in new}, graphs.trainable(session.graph)
        noted = {}
        for name, value in self._values_of(session, new, fed):
            noted[name] = self._keep(value)
            noted[name]["trainable"] = graphs.own_op(variables[name]) in trainable
            noted[name]["recipe"] = starting.made_by(variables[name], self.job.root)
            self.notes.keep_whole(name, value)
            del value  # else it would be in memory together with the next one
        first.update(noted)
        replacement = starting.replacement(self.job, noted)
        if replacement is not None:
            for name, value in self._values_of(session, new, fed):
                other = replacement(name, value)
                if other is not None and name not in fed:
                    self._load(session, variables[name], other)
        return True

    def _load(self, session: Any, variable: Any, value: Any) -> None:
        self._unrecorded(lambda: session.run(variable.initializer, {variable.initializer.inputs[1]: value}))

    def _values_of(self, session: Any, variables: list[Any], fed: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yields variables' names and values; only some of large variables are in memory at a time.

        Args:
            session: The Session that reads the variables.
            variables: The variables to read.
            fed: The names of variables whose values are fed -> the values; these aren't read.
        """
        import numpy as np

        waiting: list[Any] = []
        for variable in variables:
            if variable.name in fed:
                yield variable.name, np.asarray(fed[variable.name])
                continue
            if waiting and sum(map(_elements, waiting)) + _elements(variable) > _AT_ONCE:
                yield from self._read(session, waiting).items()
                waiting = []
            waiting.append(variable)
        yield from self._read(session, waiting).items()

    def _read(self, session: Any, variables: list[Any]) -> dict[str, Any]:
        import numpy as np

        variables = [each for each in variables if each.name not in self._unread]
        try:
            values = self._unrecorded(lambda: session.run(variables))
        except Exception:  # one of them isn't initialized: they are read one by one
            values = [self._read_one(session, each) for each in variables]
        return {variable.name: np.asarray(value) for variable, value in zip(variables, values) if value is not None}

    def _read_one(self, session: Any, variable: Any) -> Any:
        try:
            return self._unrecorded(lambda: session.run(variable))
        except Exception:
            self._unread.add(variable.name)
            return None

    def _unrecorded(self, act: Callable[[], Any]) -> Any:
        self._thread.is_reading = True
        try:
            return act()
        finally:
            self._thread.is_reading = False

    def _trace(self, session: Any, plan: _Run, feeds: _Feeds) -> dict[str, Any]:
        """Records the tensors that a run computes. Returns its data and random numbers, to feed to its repetitions."""
        import numpy as np

        graph = session.graph
        tensors = graphs.intermediate(graph, plan.ops, [tensor for tensor, _ in feeds])
        values = self._unrecorded(lambda: session.run(tensors, dict(feeds)))
        self.notes.fields["trace"] = {
            "ops": [graphs.as_notes(op, self.job.root) for op in plan.ops],
            "tensors": {
                tensor.name: self._keep(value)
                for tensor, value in [*zip(tensors, values), *feeds]
                if not graphs.is_handle(tensor)
            },
        }
        drawn = [
            (tensor, np.asarray(value, tensor.dtype.as_numpy_dtype))
            for tensor, value in zip(tensors, values)
            if graphs.is_new_each_run(tensor)
        ]
        if self.job.deep:
            try:
                self.notes.fields["trace"]["inside"] = self._inside(session, plan, [*feeds, *drawn])
            except Exception as error:  # the outer ops are still compared
                self.notes.fields["not_inside"] = f"{type(error).__name__}: {cause(str(error))}"
        return {tensor.name: value for tensor, value in drawn}

    def _inside(self, session: Any, plan: _Run, feeds: _Feeds) -> dict[str, Any]:
        ops = graphs.before_training(session.graph, plan.ops, [tensor for tensor, _ in feeds])
        inside = Inside(session.graph, ops, self._keep)
        if inside.targets:
            fed = {_reference(tensor): value for tensor, value in feeds}
            self._unrecorded(lambda: session._do_run(None, inside.targets, [], fed, None, None))

        def run(tensors: Sequence[Any]) -> Sequence[Any]:
            return self._unrecorded(lambda: session.run(tensors, dict(feeds)))  # type: ignore[no-any-return]

        called = CalledFunctions(session.graph, ops, run, self._keep, self.job.root)
        return {**inside.as_notes(), "called": called.ops, "copies": called.figures}

    def note_final(self) -> None:
        """Notes the variables of the Session that trained last, if it is still open."""
        self.eager.note_final()
        if self._last is None:
            return
        session, plan = self._last
        self._last = None
        try:
            self.notes.note_final(self.trained, self._values_of(session, plan.variables, {}))
        except Exception:  # the Session is closed, or its server is gone
            return

    def _write_count(self) -> None:
        with open(os.path.join(self.job.folder, "steps"), "w", encoding="utf-8") as file:
            file.write(str(self.trained))

    def exit(self) -> None:
        """Writes the notes of a program that ends by itself."""
        if not self._is_off:
            self.note_final()
            self.finish("exit")
            self._is_off = True

    def end(self) -> None:
        """Writes the notes and ends the process, after the last step that is compared."""
        self.note_final()
        self.finish("steps")
        self._is_off = True
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass
        os._exit(0)


def _is_programs(graph: Any) -> bool:
    """Returns True for a graph of the program; False for a function's, which takes the seed of the graph around it."""
    return type(graph).__name__ == "Graph"


def _is_of_keras(config: Any) -> bool:
    """Returns True for the config of Keras's own Session: the eager context's config, with soft placement.

    Keras of TensorFlow 1.15 and later makes it. Source: tf_keras/src/backend.py, get_default_session_config.
    """
    context = loaded_module("python.eager.context").context()
    # The eager context's config always has device_count. Other configs don't read it, which initializes the devices.
    if not (config.device_count and hasattr(type(context), "config")):
        return False
    try:
        of_eager_mode = context.config
    except (ValueError, RuntimeError):  # growth for some GPUs only: fine for a graph, refused in eager mode
        return False
    whole = type(config)()
    whole.CopyFrom(of_eager_mode)
    whole.allow_soft_placement = True
    return bool(whole == config)


def _of_eager_mode(config: Any) -> list[Any]:
    """Returns the config that eager mode was enabled with, if any, and the one that a Session derived from it."""
    enabled_with = getattr(loaded_module("python.eager.context").context(), "_config", None)
    copy = type(config)()
    copy.CopyFrom(config)
    copy.ClearField("device_count")  # the machine's, not the program's
    return [copy] if enabled_with is None else [enabled_with, copy]


def _seed_by_name(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a `get_seed` that derives an op's seed from its name scope, not from its number in the graph."""
    counts: dict[tuple[int, str], int] = {}

    def get_seed(op_seed: Any) -> Any:
        graph = loaded_module("python.framework.ops").get_default_graph()
        if op_seed is not None or graph.building_function:
            return original(op_seed)
        seeds = original(op_seed)
        if seeds[0] is None:
            return seeds
        scope = (id(graph), graph.get_name_scope())
        counts[scope] = counts.get(scope, 0) + 1
        return seeds[0], zlib.crc32(f"{scope[1]} {counts[scope]}".encode()) & 0x7FFFFFFF

    return get_seed


def _callable_by_run(
    session: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
) -> Callable[..., Any]:
    """Returns a replacement for `make_callable`'s result that calls `Session.run`, which is recorded."""

    def call(*values: Any, **kwargs: Any) -> Any:
        return session.run(fetches, dict(zip(feed_list or (), values)), **kwargs)

    return call


def _elements(variable: Any) -> int:
    try:
        return int(variable.shape.num_elements() or 0)
    except (TypeError, ValueError):
        return 0


def _compared(fetches: Any, results: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yields the fetches of a run that are compared: their names in the record, the tensors and the values."""
    for place, (tensor, value) in enumerate(zip(fetches, results)):
        if not graphs.is_handle(tensor):
            yield f"fetch:{place}:{tensor.name}", tensor, value


def _with_rows_summed(extra: Mapping[str, Any]) -> Iterator[Tuple[str, Any]]:
    """Yields the names and values of a plan's `extra`; "rows:NAME" goes into "gradient:NAME"."""
    for name, value in extra.items():
        kind, _, variable = name.partition(":")
        rows = extra.get("rows:" + variable) if kind == "gradient" else None
        if kind != "rows":
            yield name, value if rows is None else summed_by_row(value, rows)


def _is_spaced(step: int) -> bool:
    """Returns True for steps 0 to 2 and powers of two."""
    return step < 3 or step & (step - 1) == 0


def _reference(tensor: Any) -> Any:
    """Returns a tensor as a key of `_do_run`'s feeds: TensorFlow 2.2 and newer wrap it in a reference."""
    return tensor.ref() if hasattr(tensor, "ref") else tensor


def _tensor(key: Any) -> Any:
    """Returns the tensor for a key of a feed dict, which TensorFlow 2 wraps in a reference."""
    return key.deref() if hasattr(key, "deref") else key
