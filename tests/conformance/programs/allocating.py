"""Allocates memory on logical GPUs in a Session or by eager ops, and runs the steps that come before the config.

The op `Empty` allocates on the GPU; it copies nothing and launches no kernel.
"""

from __future__ import annotations

from google.protobuf import json_format

KIB, MIB = 2**10, 2**20


def parse_config(tf: object, tree: dict) -> object:
    """Returns the ConfigProto that a dict describes, by the field names of its JSON form."""
    return json_format.ParseDict(tree, tf.compat.v1.ConfigProto())


def run_earlier_steps(tf: object, notes: object, make_session: object, apply: object = None) -> list[object]:
    """Runs the steps that come before the config; returns the Sessions and tensors that they made, to be kept alive.

    Args:
        tf: TensorFlow, or `tf1mem.v1`.
        notes: The `Notes` of this run.
        make_session: A function that returns a Session with a config, which is a dict.
        apply: `tf1mem.apply`; None in a program without it, in which the steps named "apply" are left out.
    """
    kept = []
    for step, config in notes.request.get("earlier_steps", ()):
        if step == "eager op":
            notes.note_allocation(0, lambda: kept.append(_eager_op(tf)))
        elif step == "list_local_devices":
            from tensorflow.python.client import device_lib

            kept.append(device_lib.list_local_devices())
        elif step == "is_gpu_available":
            notes.note(step, bool(tf.compat.v1.test.is_gpu_available()))
        elif step == "list_physical_devices":
            kept.append(tf.config.experimental.list_physical_devices("GPU"))
        elif step == "growth of GPU 0":
            tf.config.experimental.set_memory_growth(tf.config.experimental.list_physical_devices("GPU")[0], True)
        elif step == "Session":
            with tf.Graph().as_default():
                session = make_session(config)
            kept.append(session)
            notes.note_allocation(0, lambda session=session: kept.append(_allocate(tf, session, 0, MIB)()))
        elif step == "apply":
            if apply is not None:
                apply(parse_config(tf, config))
        else:
            raise ValueError(step)
    return kept


def _eager_op(tf: object) -> object:
    with tf.device("/gpu:0"):
        return _empty(MIB)


def allocate_in_session(tf: object, session: object, notes: object) -> None:
    """Makes the requested allocations on a Session's GPUs; all of them live until the program ends."""
    gpus = [device for device in session.list_devices() if device.device_type == "GPU"]
    gpus.sort(key=lambda device: int(device.name.rsplit(":", 1)[1]))
    notes.note_limits([device.memory_limit_bytes for device in gpus])
    kept = []
    for gpu, size in notes.request["allocations"]:
        allocate = _allocate(tf, session, gpu, size)
        notes.note_allocation(gpu, lambda allocate=allocate: kept.append(allocate()))


def _allocate(tf: object, session: object, gpu: int, size: int) -> object:
    with session.graph.as_default(), tf.device(f"/gpu:{gpu}"):
        # A handle keeps the tensor in the Session's state, on its device.
        handle = tf.compat.v1.get_session_handle(_empty(size))
    return lambda: session.run(handle)


def allocate_eagerly(tf: object, notes: object) -> None:
    """Makes the requested allocations by eager ops; all of them live until the program ends."""
    notes.note_limits(_eager_limits())
    kept = []

    def allocate(gpu: int, size: int) -> None:
        with tf.device(f"/gpu:{gpu}"):
            kept.append(_empty(size))

    for gpu, size in notes.request["allocations"]:
        notes.note_allocation(gpu, lambda gpu=gpu, size=size: allocate(gpu, size))


def _empty(size: int) -> object:
    """Returns an uninitialized tensor of a number of bytes, a multiple of 1024."""
    from tensorflow.python.framework import dtypes
    from tensorflow.python.ops import gen_array_ops

    return gen_array_ops.empty([size // KIB, 256], dtypes.float32, init=False)


def _eager_limits() -> list[int]:
    """Returns the memory limit of each GPU of the eager context.

    No public call returns it; this calls the same C functions as tf.Session.list_devices.
    """
    from tensorflow.python.client.session import tf_session
    from tensorflow.python.eager import context

    try:
        from tensorflow.python import pywrap_tfe
    except ImportError:  # before 2.2
        from tensorflow.python import pywrap_tensorflow as pywrap_tfe
    eager = context.context()
    eager.ensure_initialized()
    devices = pywrap_tfe.TFE_ContextListDevices(eager._context_handle)
    limits = {}
    for number in range(tf_session.TF_DeviceListCount(devices)):
        name = tf_session.TF_DeviceListName(devices, number)
        if "/device:GPU:" in name:
            limits[int(name.rsplit(":", 1)[1])] = tf_session.TF_DeviceListMemoryBytes(devices, number)
    return [limits[gpu] for gpu in sorted(limits)]
