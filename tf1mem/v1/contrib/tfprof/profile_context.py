# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Traces steps of Sessions, profiles them and writes the profiles (tf.contrib.tfprof.ProfileContext)."""

from __future__ import annotations

import os
import random
import sys
import threading
from typing import Any, Callable, Iterable

from tensorflow.python.client import session
from tensorflow.python.profiler import model_analyzer

import tf1mem.v1 as tf
from tf1mem.hooks.wrappers import put_around

__all__ = ["MAX_TRACED_STEPS", "WARMUP_STEPS", "ProfileContext"]

# Steps that are never traced unless the program lists them.
WARMUP_STEPS = 10
# Maximum number of traced steps, and the step whose end writes the profile by default.
MAX_TRACED_STEPS = 100

# While fewer than half of the ops were traced, a generator with this seed traces a step with a chance of 2 in 11.
_SEED, _CHANCES, _TRACED_CHANCES = 111, 10, 2
_ENOUGH_COVERAGE = 0.5

# View of a profile -> method of tf.profiler.Profiler.
_VIEWS = {
    "graph": "profile_graph",
    "scope": "profile_name_scope",
    "op": "profile_operations",
    "code": "profile_python",
}


class ProfileContext:
    """Context in which each `run` of a Session is a step that can be traced, profiled and written to a file.

    Steps count from 0, for all Sessions together. Of several threads that run steps at once, only one is traced.

    Args:
        profile_dir: Folder for the files, `profile_<step>`; created when the first is written.
        trace_steps: Steps to trace, at most 100. By default, after ten steps, those with fetches that were not traced
            yet, and some others.
        dump_steps: Steps after which the profile is written; 100 by default.
        enabled: False to do nothing.
        debug: True to write each trace to `run_meta_<step>` and messages to stderr.

    Raises:
        ValueError: There is no `profile_dir`, or there are more than 100 `trace_steps`.
    """

    _active: ProfileContext | None = None

    def __init__(
        self,
        profile_dir: str,
        trace_steps: Iterable[int] | None = None,
        dump_steps: Iterable[int] | None = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self._enabled = enabled
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        self._profiler_dir = tf.compat.as_str_any(profile_dir)
        self._debug = debug
        self._auto_tracing = trace_steps is None
        self._trace_steps = set(trace_steps or ())
        if len(self._trace_steps) > MAX_TRACED_STEPS:
            raise ValueError("Only support tracing up to 100 steps.\n")
        self._dump_steps = {MAX_TRACED_STEPS} if dump_steps is None else set(dump_steps)
        self._slow_path_steps = self._dump_steps | self._trace_steps
        self._rng = random.Random(_SEED)
        self._fetched: set[str] = set()
        self._trace_next_step = self._dump_next_step = False
        self._step = self._traced_steps = 0
        self._auto_profiles: list[tuple[str, Any, list[int]]] = []
        self._profiler: Any = None
        self._views: dict[str, dict[int, Any]] = {}
        self._lock = threading.Lock()
        self._restore: Callable[[], None] = lambda: None

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """Returns the profiles of a view by step: MultiGraphNodeProto for "code" and "op", else GraphNodeProto.

        Args:
            cmd: The view, as in `add_auto_profiling`.

        Raises:
            ValueError: No step was profiled in this view.
        """
        if cmd not in self._views:
            raise ValueError(f"No autoprofiler for command: {cmd}, was run")
        return self._views[cmd]

    def add_auto_profiling(self, cmd: str, options: Any, profile_steps: Iterable[int]) -> None:
        """Traces and profiles some steps.

        Args:
            cmd: The view: "scope", "op", "code" or "graph".
            options: The options of the profile, such as of tf.profiler.ProfileOptionBuilder.
            profile_steps: Numbers of the steps, counted from 0.
        """
        if not self._enabled:
            return
        steps = list(profile_steps)
        self._auto_profiles.append((cmd, options, steps))
        self._slow_path_steps.update(steps)
        self._trace_steps.update(steps)

    @property
    def profiler(self) -> Any:
        """Returns the tf.profiler.Profiler to which traces are added, or None if nothing is enabled."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = model_analyzer.Profiler(tf.get_default_graph())
        return self._profiler

    def trace_next_step(self) -> None:
        """Traces the next step."""
        if self._enabled:
            self._trace_next_step = True
            self._slow_path_steps.add(self._step)

    def dump_next_step(self) -> None:
        """Writes the profile after the next step."""
        if self._enabled:
            self._dump_next_step = True
            self._slow_path_steps.add(self._step)

    def __enter__(self) -> ProfileContext:
        if not self._enabled:
            return self
        if ProfileContext._active is not None:
            raise tf.errors.InternalError(None, None, "Already in context or context not cleaned.")

        def traced(original: Callable[..., Any]) -> Callable[..., Any]:
            """Returns a `Session.run` whose calls are steps of this context."""

            def run(
                sess: Any, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
            ) -> Any:
                """Runs a step; returns the values of the fetches, arrays of their shapes."""
                return self._run(original, sess, fetches, feed_dict, options, run_metadata)

            return run

        ProfileContext._active = self
        self._restore = put_around(session.BaseSession, "run", traced)
        return self

    def __exit__(self, exec_type: Any, exec_value: Any, exec_tb: Any) -> None:
        if self._enabled:
            ProfileContext._active = None
            self._restore()
            model_analyzer.print_mdl.DeleteProfiler()

    def _run(
        self, original: Callable[..., Any], sess: Any, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        """Runs a step by `original`, TensorFlow's `Session.run`, and returns its result."""
        alone = self._lock.acquire(False)
        try:
            if not alone or self._is_fast_path(self._step):
                return original(sess, fetches, feed_dict, options, run_metadata)
            if self._should_trace(self._step, sess.graph, fetches):
                result = self._trace(original, sess, fetches, feed_dict, options, run_metadata)
            else:
                result = original(sess, fetches, feed_dict, options, run_metadata)
            self._maybe_dump(self._step)
            self._profile(self._step)
            return result
        finally:
            self._step += 1
            self._trace_next_step = self._dump_next_step = False
            if alone:
                self._lock.release()

    def _trace(
        self, original: Callable[..., Any], sess: Any, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        step = self._step
        self._note(f"tracing step: {step}")
        run_metadata = tf.RunMetadata() if run_metadata is None else run_metadata
        full = tf.RunOptions()
        if options is not None:
            full.CopyFrom(options)
        full.trace_level = tf.RunOptions.FULL_TRACE
        result = original(sess, fetches, feed_dict, full, run_metadata)
        if self._debug:
            self._write(f"run_meta_{step}", str(run_metadata))
        self.profiler._graph = sess.graph
        self.profiler.add_step(step, run_metadata)
        return result

    def _is_fast_path(self, step: int) -> bool:
        """Returns True for a step that is neither traced nor profiled nor followed by a file."""
        may_trace = self._auto_tracing and step > WARMUP_STEPS and self._traced_steps <= MAX_TRACED_STEPS
        return step not in self._slow_path_steps and not may_trace

    def _should_trace(self, step: int, graph: Any, fetches: Any) -> bool:
        if self._traced_steps > MAX_TRACED_STEPS:
            return False
        traced = step in self._trace_steps or self._trace_next_step
        if not traced and self._auto_tracing and step > WARMUP_STEPS:
            traced = self._is_worth_tracing(step, graph, fetches)
        self._traced_steps += traced
        return traced

    def _is_worth_tracing(self, step: int, graph: Any, fetches: Any) -> bool:
        """Returns True for fetches that were not traced yet and, while few ops were traced, for a few random steps."""
        with graph.as_default():
            tensors = session._FetchMapper.for_fetch(fetches).unique_fetches()
        names = "-".join(sorted(tensor.name for tensor in tensors))
        self._note(f"trace fetches: {names}")
        if names not in self._fetched:
            self._fetched.add(names)
            return True
        return bool(
            self.profiler._coverage < _ENOUGH_COVERAGE
            and step < MAX_TRACED_STEPS
            and self._rng.randint(0, _CHANCES) < _TRACED_CHANCES
        )

    def _maybe_dump(self, step: int) -> None:
        if step in self._dump_steps or self._dump_next_step:
            self._note(f"dumping file at step: {step}")
            tf.gfile.MakeDirs(self._profiler_dir)
            path = os.path.join(self._profiler_dir, f"profile_{step}")
            self.profiler._write_profile(tf.compat.as_bytes(path))  # 2.0 takes bytes only

    def _profile(self, step: int) -> None:
        for view, options, steps in self._auto_profiles:
            if step in steps:
                profiles = self._views.setdefault(view, {})
                self._note(f"profiling {view} step: {step}")
                if view not in _VIEWS:
                    raise ValueError(f"Unknown cmd: {view}\n")
                profiles[step] = getattr(self.profiler, _VIEWS[view])(options)

    def _write(self, name: str, text: str) -> None:
        tf.gfile.MakeDirs(self._profiler_dir)
        with tf.gfile.Open(os.path.join(self._profiler_dir, name), "w") as file:
            file.write(text)

    def _note(self, message: str) -> None:
        if self._debug:
            sys.stderr.write(f"debug: {message}\n")
