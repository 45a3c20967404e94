# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A writer that records summaries in memory, for tests."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Mapping, Sequence

import tf1mem.v1 as tf

# The modules whose FileWriter TensorFlow uses to create writers.
_FILES = ("tensorflow.python.summary.writer.writer", "tensorflow.python.summary.writer.writer_cache")


class FakeSummaryWriter:
    """Records summaries in place of a FileWriter.

    Args:
        logdir: Folder of the summaries, which isn't created.
        graph: The tf.Graph.
    """

    _replaced_summary_writer: ClassVar[Any] = None

    @classmethod
    def install(cls) -> None:
        """Replaces TensorFlow's FileWriter with this class.

        Raises:
            ValueError: It is installed already.
        """
        if cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced_summary_writer = _set_file_writer(FakeSummaryWriter)

    @classmethod
    def uninstall(cls) -> None:
        """Restores TensorFlow's FileWriter.

        Raises:
            ValueError: It isn't installed.
        """
        if not cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter not installed.")
        _set_file_writer(cls._replaced_summary_writer)
        cls._replaced_summary_writer = None

    def __init__(self, logdir: str, graph: Any = None) -> None:
        self._logdir, self._graph = logdir, graph
        self._summaries: dict[Any, list[Any]] = {}
        self._added_graphs: list[Any] = []
        self._added_meta_graphs: list[Any] = []
        self._added_session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}

    @property
    def summaries(self) -> dict[Any, list[Any]]:
        """Returns a dict of step -> list of summaries."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: str | None = None,
        expected_graph: Any = None,
        expected_summaries: Mapping[Any, Mapping[str, float]] | None = None,
        expected_added_graphs: Sequence[Any] | None = None,
        expected_added_meta_graphs: Sequence[Any] | None = None,
        expected_session_logs: Sequence[Any] | None = None,
    ) -> None:
        """Checks the recorded values; expectations of None aren't checked.

        Args:
            test_case: A unittest.TestCase, whose assertions are used.
            expected_logdir: Folder of the summaries.
            expected_graph: The tf.Graph of the constructor.
            expected_summaries: Dict of step -> (tag -> number); the tag "global_step/sec" is ignored.
            expected_added_graphs: Graphs, in order.
            expected_added_meta_graphs: MetaGraphDefs, in order.
            expected_session_logs: SessionLogs, in order.

        Raises:
            AssertionError: A recorded value differs.
        """
        same, true = test_case.assertEqual, test_case.assertTrue
        if expected_logdir is not None:
            same(expected_logdir, self._logdir)
        if expected_graph is not None:
            true(expected_graph is self._graph)
        for step, numbers in (expected_summaries or {}).items():
            true(step in self._summaries, f"Missing step {step}")
            values = {value.tag: value.simple_value for added in self._summaries[step] for value in added.value}
            values.pop("global_step/sec", None)
            same(dict(numbers), values)
        if expected_added_graphs is not None:
            same(expected_added_graphs, self._added_graphs)
        if expected_added_meta_graphs is not None:
            same(len(expected_added_meta_graphs), len(self._added_meta_graphs))
            same_graphs: Any = import_module("tensorflow.python.framework.test_util").assert_meta_graph_protos_equal
            for expected, added in zip(expected_added_meta_graphs, self._added_meta_graphs):
                same_graphs(test_case, expected, added)
        if expected_session_logs is not None:
            same(expected_session_logs, self._added_session_logs)

    def add_summary(self, summ: Any, current_global_step: Any) -> None:
        """Records a summary.

        Args:
            summ: Summary message, or its serialized bytes.
            current_global_step: Number of the step.
        """
        summary = tf.Summary.FromString(summ) if isinstance(summ, bytes) else summ
        self._summaries.setdefault(current_global_step, []).append(summary)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Records a graph.

        Args:
            graph: The tf.Graph.
            global_step: Number of the step, at least 0, or None.
            graph_def: Must be None.

        Raises:
            ValueError: The step is negative, or a GraphDef is set.
        """
        _check(global_step)
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._added_graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Records a MetaGraphDef.

        Args:
            meta_graph_def: The MetaGraphDef.
            global_step: Number of the step, at least 0, or None.

        Raises:
            ValueError: The step is negative.
        """
        _check(global_step)
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Records a SessionLog.

        Args:
            session_log: The SessionLog.
            global_step: Not used.
        """
        self._added_session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Records the metadata of a run.

        Args:
            run_metadata: The RunMetadata.
            tag: Tag of the metadata.
            global_step: Number of the step, at least 0, or None.

        Raises:
            ValueError: The step is negative.
        """
        _check(global_step)
        self._added_run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Does nothing."""

    def reopen(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def _set_file_writer(writer: Any) -> Any:
    """Replaces the FileWriter of both modules, and returns the former class."""
    files: list[Any] = [import_module(file) for file in _FILES]
    before = files[0].FileWriter
    for file in files:
        file.FileWriter = writer
    return before


def _check(global_step: Any) -> None:
    if global_step is not None and global_step < 0:
        raise ValueError(f"Invalid global_step {global_step}.")
