"""Plans the config for calls that create devices or a Session without one, whatever routes the settings take."""

from __future__ import annotations

from tf1mem.machine.runtime import Runtime
from tf1mem.planning.steps import ALL, CONFIG, DEFAULT_CONFIG, Step
from tf1mem.settings.field_names import COUNT
from tf1mem.settings.settings import Settings


def step(settings: Settings, runtime: Runtime) -> Step:
    """Returns the step that passes the config to Servers, listings of devices, and a Keras with its own config.

    Most programs use none of them. So the plan lists the step only if it may decide how much GPU memory is reserved:
    for a config with GPU settings, unless the machine is known to have no GPU.
    """
    calls = ["tf.{}.Server(…)".format("train" if runtime.is_tf1 else "distribute"), "device_lib.list_local_devices()"]
    if runtime.keras_has_own_config:
        calls.append("tf.keras")
    sets_gpus = any(path.startswith("gpu_options.") for path in settings.values) or "GPU" in settings.get(COUNT, {})
    return Step(
        "(without a config)",
        ALL,
        DEFAULT_CONFIG,
        ", ".join(calls),
        "each makes its own devices; without a config it uses this one",
        "set_default",
        (CONFIG, runtime.keras_has_own_config),
        listed=sets_gpus and runtime.gpus != (),
    )
