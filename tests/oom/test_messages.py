"""Out-of-memory errors are recognized by their messages, which differ between TensorFlow versions."""

from __future__ import annotations

import pytest

from tf1mem.oom.messages import FailedAllocation, parse
from tf1mem.oom.oom_errors import request_of

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU_1 = "/job:localhost/replica:0/task:0/device:GPU:1"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (  # 1.15
            "OOM when allocating tensor with shape[3,268435456] and type float on " + GPU + " by allocator GPU_0_bfc\n"
            "\t [[node Fill (defined at a.py:12) ]]\nHint: ...",
            FailedAllocation(3221225472, True, (3, 268435456), "float", "Fill", "GPU:0", None, "GPU_0_bfc"),
        ),
        (  # 2.21, eager
            "{{function_node __wrapped__Fill_device_" + GPU_1 + "}} OOM when allocating tensor with shape[8] and type "
            "bfloat16 on " + GPU_1 + " by allocator GPU_1_bfc [Op:Fill] name: ",
            FailedAllocation(16, True, (8,), "bfloat16", "Fill", "GPU:1", None, "GPU_1_bfc"),
        ),
        (  # 2.4 to 2.22, in a function
            "{{function_node __inference_<lambda>_95}} OOM when allocating tensor of shape [256,1024] and type double\n"
            "\t [[{{node add}}]] [Op:__inference_<lambda>_95]",
            FailedAllocation(2097152, True, (256, 1024), "double", "add"),
        ),
        (
            "OOM when allocating tensor with shape[] and type int64 on "
            + GPU.replace("GPU", "CPU")
            + " by allocator cpu",
            FailedAllocation(8, True, (), "int64", None, "CPU:0", None, "cpu"),
        ),
        (
            "OOM when allocating tensor with shape[2] and type string on /job:worker/replica:0/task:3/device:GPU:0 by "
            "allocator GPU_0_bfc",
            FailedAllocation(None, True, (2,), "string", None, "GPU:0", "worker:3", "GPU_0_bfc"),
        ),
        ("Out of memory while trying to allocate 34359738368 bytes.", FailedAllocation(34359738368)),
        ("Out of memory while trying to allocate 2.50GiB.", FailedAllocation(2684354560, False)),
        ("failed to allocate memory [Op:AddV2]", FailedAllocation(op="AddV2")),
        ("Dst tensor is not initialized. [Op:_EagerConst]", FailedAllocation(op="_EagerConst")),
        ("No space left on device", None),
        ("Received message larger than max (5 vs. 4)", None),
    ],
)
def test_messages_of_all_ages(message, expected):
    assert parse(message) == expected


def test_a_runtime_error_is_about_memory_where_a_copy_to_a_full_gpu_says_so():
    assert request_of(RuntimeError("Dst tensor is not initialized.")) == FailedAllocation()
    assert request_of(RuntimeError("the runtime has started")) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Failed to allocate scratch buffer for device 1\n\t [[{{node _SOURCE}}]]", FailedAllocation(device="GPU:1")),
        ("Attempting to use uninitialized value trying_to_allocate_memory\n\t [[{{node out of memory}}]]", None),
    ],
)
def test_a_failed_precondition_is_about_memory_where_a_scratch_buffer_has_no_room(message, expected):
    assert request_of(an_error("FailedPreconditionError", message)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (  # 2.10 to 2.22
            "CUDNN failed to allocate the scratch space for the runner or to find a working no-scratch runner.\n"
            "\t [[{{node net/conv3/Conv2D}}]]",
            FailedAllocation(op="net/conv3/Conv2D"),
        ),
        ("ValueError: out of memory, said a function of the program's\n\t [[{{node PyFunc}}]]", None),
    ],
)
def test_an_unknown_error_is_about_memory_where_cudnn_has_no_room(message, expected):
    assert request_of(an_error("UnknownError", message)) == expected


def an_error(name, message):
    return type(name, (Exception,), {"__module__": "tensorflow.python.framework.errors_impl"})(message)
