# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""contrib.learn's RunConfig, which passes its session_config to `tf1mem.apply`, like tf.estimator's under tf1mem."""

from __future__ import annotations

import json
import os
from typing import Any

import tf1mem.v1 as tf

# Fields that `uid` leaves out by default.
_DEFAULT_UID_WHITE_LIST = [
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]


class Environment:
    """Holds the values of "environment" in TF_CONFIG."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class TaskType:
    """Holds the roles of a cluster's processes in TF_CONFIG."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


def _tf_config() -> dict[str, Any]:
    config: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return config


class ClusterConfig:
    """Reads this process's place in a cluster from TF_CONFIG.

    TF_CONFIG is JSON, such as `{"cluster": {"ps": ["h:1"], "worker": ["h:2"]}, "task": {"type": "ps", "index": 0}}`.

    Args:
        master: Address of the session's target; by default this task's address in the cluster.
        evaluation_master: Address of the session's target for evaluation; "" by default.

    Raises:
        ValueError: TF_CONFIG names a task that its cluster lacks.
    """

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        config = _tf_config()
        self._task_type: str | None = config.get("task", {}).get("type")
        self._task_id = self.get_task_id()
        self._cluster_spec = tf.train.ClusterSpec(config.get("cluster", {}))
        jobs = self._cluster_spec.as_dict()
        self._master = self._address() if master is None else master
        self._num_ps_replicas = len(jobs.get("ps", ()))
        self._num_worker_replicas = len(jobs.get("worker", ())) + len(jobs.get("master", ()))
        self._environment: str = config.get("environment", Environment.LOCAL)
        chief = TaskType.MASTER if self._environment == Environment.CLOUD else TaskType.WORKER
        self._is_chief = self._task_id == 0 and self._task_type in (None, chief)
        self._evaluation_master = evaluation_master or ""

    def _address(self) -> str:
        """Returns the address of this task, or "" if it is the only one."""
        jobs = self._cluster_spec.as_dict()
        if not self._task_type or sum(len(tasks) for tasks in jobs.values()) < 2:
            return ""
        if self._task_type not in jobs:
            raise ValueError(f"{self._task_type} is not a valid task_type in the cluster_spec of TF_CONFIG: {jobs}")
        tasks = jobs[self._task_type]
        if not 0 <= self._task_id < len(tasks):
            raise ValueError(
                f"{self._task_id} is not a valid task_id for task_type {self._task_type} in the cluster_spec of "
                f"TF_CONFIG: {jobs}"
            )
        return f"grpc://{tasks[self._task_id]}"

    @property
    def cluster_spec(self) -> Any:
        """Returns the tf.train.ClusterSpec."""
        return self._cluster_spec

    @property
    def environment(self) -> str:
        """Returns the environment, one of the values of `Environment`."""
        return self._environment

    @property
    def evaluation_master(self) -> str:
        """Returns the session's target for evaluation, such as "grpc://host:2222"; "" runs in this process."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Returns True if this task saves checkpoints: worker 0, in the cloud master 0, or task 0 without a type."""
        return self._is_chief

    @property
    def master(self) -> str:
        """Returns the session's target, such as "grpc://host:2222"; "" runs in this process."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        """Returns the number of parameter servers."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """Returns the number of workers, including masters."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> int:
        """Returns this task's index among the tasks of its type, from 0."""
        return self._task_id

    @property
    def task_type(self) -> str | None:
        """Returns this task's role, one of the values of `TaskType`, or None."""
        return self._task_type

    @staticmethod
    def get_task_id() -> int:
        """Returns the task's index in TF_CONFIG, 0 by default."""
        return int(_tf_config().get("task", {}).get("index") or 0)


class RunConfig(ClusterConfig, tf.estimator.RunConfig):  # type: ignore[misc]
    """Configures how an estimator runs.

    Args:
        master: Address of the session's target.
        num_cores: Threads within an op and between ops in `tf_config`; 0 leaves the number to TensorFlow.
        log_device_placement: True if `tf_config` logs the ops' devices.
        gpu_memory_fraction: Fraction of each GPU's memory in `tf_config`, from 0 to 1.
        tf_random_seed: Seed of the graph.
        save_summary_steps: Steps between two summaries.
        save_checkpoints_secs: Seconds between two checkpoints; 600 unless `save_checkpoints_steps` is set.
        save_checkpoints_steps: Steps between two checkpoints.
        keep_checkpoint_max: Number of checkpoints to keep.
        keep_checkpoint_every_n_hours: Hours between two checkpoints that are kept for good.
        log_step_count_steps: Steps between two logs of the speed.
        protocol: Protocol of the server.
        evaluation_master: Address of the session's target for evaluation.
        model_dir: Folder for checkpoints and summaries; TF_CONFIG's by default.
        session_config: ConfigProto of the sessions, in any form that `tf1mem.apply` takes.

    Raises:
        ValueError: TF_CONFIG has another model_dir.
    """

    _USE_DEFAULT = 0

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: int | None = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: int = 10000,
        log_step_count_steps: int = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
    ) -> None:
        ClusterConfig.__init__(self, master=master, evaluation_master=evaluation_master)
        # Fields of tf.estimator's RunConfig, whose __init__ isn't called: it rejects clusters without a chief.
        self._train_distribute = self._eval_distribute = self._experimental_distribute = None
        self._experimental_max_worker_delay_secs = self._device_fn = self._distribute_coordinator_mode = None
        self._session_creation_timeout_secs = 7200
        self._checkpoint_save_graph_def = True

        self._tf_config = tf.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        if save_checkpoints_secs == RunConfig._USE_DEFAULT:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        self._save_checkpoints_secs = save_checkpoints_secs
        self._save_checkpoints_steps = save_checkpoints_steps
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._protocol = protocol
        self._session_config = None
        if session_config is not None:  # Applied now, so that its errors come here.
            self._session_config = tf.estimator.RunConfig(session_config=session_config).session_config
        self._model_dir = _model_dir(model_dir)

    def uid(self, whitelist: list[str] | None = None) -> str:
        """Returns a text that differs between different configs.

        Args:
            whitelist: Names of fields to ignore.
        """
        ignored = {"_" + name for name in (_DEFAULT_UID_WHITE_LIST if whitelist is None else whitelist)}
        state = {name: value for name, value in vars(self).items() if name not in ignored and name[:2] != "__"}
        if "_cluster_spec" in state:  # Its repr has its address, which differs from run to run.
            state["_cluster_spec"] = sorted(state["_cluster_spec"].as_dict().items())
        return ", ".join(f"{name}={value!r}" for name, value in sorted(state.items()))

    @property
    def tf_config(self) -> Any:
        """Returns the ConfigProto of num_cores, log_device_placement and gpu_memory_fraction; only servers use it."""
        return self._tf_config


def _model_dir(model_dir: str | None) -> str | None:
    in_tf_config: str | None = _tf_config().get("model_dir")
    if model_dir is not None and in_tf_config is not None and model_dir != in_tf_config:
        raise ValueError(
            f'model_dir: {model_dir} was given, but TF_CONFIG["model_dir"] is {in_tf_config}. Give one of them.'
        )
    return model_dir or in_tf_config
