"""keras.utils.multi_gpu_model, which tf.keras had up to TensorFlow 2.3: splits each batch among GPUs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tf1mem.v1._namespace import ROOT


def multi_gpu_model(model: Any, gpus: Any, cpu_merge: bool = True, cpu_relocation: bool = False) -> Any:
    """Returns a model that runs a part of each batch on each GPU, and concatenates the outputs.

    Args:
        model: A Keras model with inputs `[batch, …]`. Its replicas on the GPUs share its weights.
        gpus: Number of GPUs, or a list of their indices.
        cpu_merge: True to concatenate the outputs on the CPU; False for the first of the GPUs.
        cpu_relocation: True to rebuild the model on the CPU first.

    Raises:
        ValueError: `gpus` is fewer than two GPUs, or TensorFlow lacks one of them.
    """
    tf = import_module(ROOT)
    K = tf.keras.backend  # noqa: N806 - as everyone calls it
    numbers = list(gpus) if isinstance(gpus, (list, tuple)) else list(range(gpus))
    if len(numbers) < 2:
        raise ValueError(f"multi_gpu_model with gpus={gpus}: that is one GPU at most; ask for two or more.")
    existing = {"/" + device.name.lower().partition("/device:")[2] for device in K.get_session().list_devices()}
    lacking = [device for device in (f"/gpu:{number}" for number in numbers) if device not in existing]
    if lacking:
        raise ValueError(
            f"multi_gpu_model with gpus={gpus}: TensorFlow has no {', '.join(lacking)} here, only "
            f"{', '.join(sorted(existing))}. Ask for fewer GPUs."
        )
    if cpu_relocation:
        with tf.device("/cpu:0"):
            model = tf.keras.models.clone_model(model)

    replicas = []
    for part, number in enumerate(numbers):
        with tf.device(f"/gpu:{number}"), K.name_scope(f"replica_{number}"):
            arguments = {"part": part, "parts": len(numbers)}
            shared = [
                tf.keras.layers.Lambda(_part_of, output_shape=tuple(x.shape.as_list())[1:], arguments=arguments)(x)
                for x in model.inputs
            ]
            outputs = model(shared if len(shared) > 1 else shared[0])
            replicas.append(outputs if isinstance(outputs, list) else [outputs])
    with tf.device("/cpu:0" if cpu_merge else f"/gpu:{numbers[0]}"):
        merged = [
            tf.keras.layers.concatenate(list(parts), axis=0, name=name)
            for name, parts in zip(_unique_names(model.output_names), zip(*replicas))
        ]
        return tf.keras.models.Model(model.inputs, merged)


def _part_of(batch: Any, part: int, parts: int) -> Any:
    """Returns a part of a batch, `[batch // parts, …]`; the last part also has the remainder."""
    tf = import_module(ROOT)
    size = tf.shape(batch)[0] // parts
    return batch[part * size :] if part == parts - 1 else batch[part * size : (part + 1) * size]


def _unique_names(names: list[str]) -> list[str]:
    """Returns the names of outputs, with a number after names that occur more than once."""
    return [f"{name}_{names[: at + 1].count(name)}" if names.count(name) > 1 else name for at, name in enumerate(names)]
