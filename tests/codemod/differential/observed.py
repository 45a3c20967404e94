"""Runs a program in this process, and records the settings that TensorFlow gets.

Usage: observed.py PROGRAM NOTES [graph]; "graph" is TensorFlow 1's graph mode, which tf_upgrade_v2 leaves to a person.
It writes {"given": [[who, {setting: value}], …], "applied": {setting: value}, "error"}.

It stands alone: it runs on every TensorFlow's Python.
"""

from __future__ import annotations

import functools
import importlib
import json
import runpy
import sys

GIVEN = []


def note(who, config, is_program=True):
    """Records a config that TensorFlow got, unless it is empty.

    `is_program` is False for the eager context's config, which a Session takes if it gets none. TensorFlow itself adds
    the number of devices and the list of all GPUs to it, so these aren't recorded.
    """
    from tf1mem.planning.steps import shown
    from tf1mem.settings.settings import Settings

    if config is None:
        return
    values = {path: shown(value) for path, value in Settings.of(config).values.items()}
    if not is_program:
        values.pop("device_count", None)
        if values.get("gpu_options.visible_device_list") == "0,1":
            values.pop("gpu_options.visible_device_list")
    if values and [who, values] not in GIVEN:
        GIVEN.append([who, values])


def watch(module, owner, name, find):
    """Wraps a function of TensorFlow so that the config of each call is recorded after it."""
    holder = importlib.import_module(module)
    owner_name = name
    if owner:
        holder, owner_name = getattr(holder, owner), owner
    original = getattr(holder, name)

    @functools.wraps(original)
    def watched(*args, **kwargs):
        result = original(*args, **kwargs)
        note(owner_name, *find(*args, **kwargs))
        return result

    setattr(holder, name, watched)


def watch_all():
    """Wraps the functions by which TensorFlow takes a config, on which all others are built."""

    def of_session(self, target="", graph=None, config=None):
        return self._config, config is not None

    def of_server(self, *args, **kwargs):
        return self._server_def.default_session_config, True

    def of_listing(session_config=None):
        return session_config, True

    watch("tensorflow.python.client.session", "BaseSession", "__init__", of_session)
    watch("tensorflow.python.training.server_lib", "Server", "__init__", of_server)
    watch("tensorflow.python.client.device_lib", "", "list_local_devices", of_listing)


def eager():
    """Records the eager context's config, if the context has started."""
    from tensorflow.python.eager import context

    started = context.context_safe() if hasattr(context, "context_safe") else context._context
    if started is not None and getattr(started, "_context_handle", None) is not None:
        # TensorFlow 1.13's context has only the config that was passed to it.
        note("eager", started.config if hasattr(started, "config") else started._config, is_program=False)


def main(program, notes, mode=None):
    """Runs the program."""
    watch_all()
    if mode == "graph":
        importlib.import_module("tensorflow").compat.v1.disable_v2_behavior()
    sys.argv = [program]
    error = None
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as stop:
        error = f"exit {stop.code}" if stop.code else None
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    eager()
    applied = {}
    if "tf1mem.applying.apply" in sys.modules:
        from tf1mem.planning.steps import shown

        lines = sys.modules["tf1mem"].report().lines
        applied = {line.step.setting: shown(line.step.value) for line in lines if line.step.value is not None}
    with open(notes, "w", encoding="utf-8") as file:
        json.dump({"given": GIVEN, "applied": applied, "error": error}, file)
    if error is not None:
        raise SystemExit(error)


if __name__ == "__main__":
    main(*sys.argv[1:])
