"""The programs' names, and what is known about each: where it can't run, and what TensorFlow adds to its settings.

Each program shows one *shape*, a way to write GPU settings, and is named after it: before/SHAPE.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BEFORE, AFTER = HERE / "before", HERE / "after"
TARGETS = ("shim", "apply", "native")
# Targets whose programs run only on TensorFlow 2.
TF2_ONLY = ("native",)

# Programs to run without GPUs: an Estimator of TensorFlow 1.15 waits for values from its GPU.
WITHOUT_GPUS = ("estimator_replace", "estimator_run_config")

# Settings that a Session adds to its config (client/session.py, framework/test_util.py).
ADDED = {
    "interactive": {"graph_options.place_pruned_graph"},
    "in_a_test_case": {
        "graph_options.optimizer_options.opt_level",
        "graph_options.rewrite_options.constant_folding",
        "graph_options.rewrite_options.pin_to_host_optimization",
    },
}
# Programs in which the codemod removes a Session that was only made for its settings. Other Sessions then have these
# settings (such as Keras's, which adds soft placement), and so do eager ops.
WITHOUT_SESSION = {
    "apply": ("keras_by_variable", "keras_from_import", "keras_set_session", "only_for_its_options"),
    "shim": ("keras_by_variable", "keras_from_import", "keras_set_session"),
    "native": (),
}
# Settings that no program sets, and that are applied because TensorFlow 2 has another default.
TF1_DEFAULTS = (("allow_soft_placement", "False"),)
# Programs that the codemod leaves to a person, with a remark that says why.
LEFT_FOR_A_PERSON = {
    "apply": ("nobody_consumes",),
    "native": (
        "another_alias by_dotted_names by_text_format compat_v1_in_full from_imports gpu_options_variable"
        " helper_returns_config helper_returns_session in_a_class in_a_test_case inline_gpu_options interactive"
        " keras_from_import nobody_consumes under_if"
    ).split(),
    "shim": (),
}
# Settings that need no call of tf.config, since they are its defaults.
NATIVE_DEFAULTS = (("device_count", "{'CPU': 1}"),)


def names() -> list[str]:
    """Returns the programs' names."""
    return sorted(path.stem for path in BEFORE.glob("*.py"))


def before(shape: str) -> bytes:
    """Returns the original program."""
    return (BEFORE / (shape + ".py")).read_bytes()


def after(shape: str, to: str) -> bytes:
    """Returns a program as the codemod leaves it for a target."""
    return (AFTER / to / (shape + ".py")).read_bytes()


def differences(shape: str, to: str, truth: dict[str, Any], observation: dict[str, Any], version: str) -> list[str]:
    """Lists what a program after the codemod does differently from the one before on TensorFlow 1.15.5.

    Args:
        shape: The name of the program's shape.
        to: The target.
        truth: The observation of the program before, on TensorFlow 1.15.5.
        observation: The observation of the program after.
        version: TensorFlow's version for the program after.
    """
    lines = []
    if observation["error"] != truth["error"]:
        lines.append("it ends with {}, before with {}".format(observation["error"], truth["error"]))
    if to == "native":
        return lines + _not_native(truth, observation)
    settings_before: dict[str, str] = {}
    for _, settings in truth["given"]:
        settings_before.update({name: value for name, value in settings.items() if name not in ADDED.get(shape, ())})
    applied = {
        name: value
        for name, value in observation["applied"].items()
        if (name, value) not in TF1_DEFAULTS and not name.startswith("(")  # a line about all settings together
    }
    if applied != settings_before:
        lines.append(f"applied: {applied}, before: {settings_before}")
    settings_given = [
        settings for holder, settings in observation["given"] if holder != "eager" or version.startswith("1.")
    ]
    for holder, settings in truth["given"]:
        if shape in WITHOUT_SESSION[to]:
            is_set = not version.startswith("1.") or any(settings.items() <= other.items() for other in settings_given)
        elif holder == "eager":  # tf1mem's own tests check what tf.config does with it
            is_set = not version.startswith("1.") or settings in settings_given
        else:
            is_set = settings in settings_given
        if not is_set:
            lines.append(
                "no Session or eager context has {} any more; they have {}".format(settings, observation["given"])
            )
    return lines


def _not_native(truth: dict[str, Any], observation: dict[str, Any]) -> list[str]:
    """Returns TensorFlow 1's settings that neither a Session nor the eager context has, though tf.config sets both."""
    settings_given = [settings for _, settings in observation["given"]]
    lines = []
    for _, settings in truth["given"]:
        others = {name: value for name, value in settings.items() if (name, value) not in NATIVE_DEFAULTS}
        if others and not any(others.items() <= other.items() for other in settings_given):
            lines.append("no Session or eager context has {}; they have {}".format(others, observation["given"]))
    return lines
