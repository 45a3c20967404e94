"""The advice on an out-of-memory error, for given numbers; this needs no TensorFlow."""

from __future__ import annotations

from dataclasses import replace

from tf1mem.machine.nvml import Holder
from tf1mem.oom.advice import FULL, NOT_KNOWN, OTHERS, PIECES, TOO_LARGE, judge
from tf1mem.oom.messages import FailedAllocation
from tf1mem.oom.shortage import BY_DEFAULT, BY_FRACTION, Cap, Growth, OtherGpu, Physical, Shortage
from tf1mem.oom.snapshots import Snapshot

GIB = 2**30

# A request of 1 GiB under a cap of 2 GiB, of which 1.5 GiB are in use, on a GPU of 8 GiB without other processes.
SHORTAGE = Shortage(
    FailedAllocation(GIB, True, (64, 4194304), "float", "Fill", "GPU:0"),
    "GPU:0",
    (2, 21),
    cap=Cap(2 * GIB, BY_FRACTION, "per_process_gpu_memory_fraction=0.25"),
    growth=Growth(False),
    held=Snapshot("GPU_0_bfc", 3 * GIB // 2, 3 * GIB // 2, 2 * GIB, GIB // 2, True),
    gpu=Physical("", 0, 8 * GIB, 6 * GIB, 2 * GIB),
)


def test_no_room_under_the_cap():
    verdict = judge(SHORTAGE)
    assert verdict.kind == FULL
    assert [line.split(":")[0] for line in verdict.remedies] == [
        "a smaller batch, if 64 of [64,4194304] is the batch size",
        "a larger fraction",
    ]
    assert "0.32 at least (2.5 GiB)" in verdict.remedies[1]


def test_a_larger_fraction_only_where_the_gpu_has_it():
    crowded = replace(SHORTAGE, gpu=Physical("", 0, 8 * GIB, 0, 2 * GIB, (Holder(7, 6 * GIB),)))
    assert not any("fraction" in line for line in judge(crowded).remedies)
    default = replace(SHORTAGE, cap=Cap(2 * GIB, BY_DEFAULT))
    assert not any("fraction" in line for line in judge(default).remedies)


def test_a_batch_only_where_one_fits():
    full = replace(SHORTAGE, held=Snapshot("GPU_0_bfc", 2 * GIB, 2 * GIB, 2 * GIB, 0, True))
    assert not any("batch" in line for line in judge(full).remedies)
    scalar = replace(SHORTAGE, request=FailedAllocation(GIB, True, (), "float", None, "GPU:0"))
    assert not any("batch" in line for line in judge(scalar).remedies)


def test_a_request_larger_than_the_gpu():
    other = OtherGpu(1, "GPU:1", 8 * GIB)
    large = replace(SHORTAGE, request=FailedAllocation(10 * GIB, True, (1, 7), "float", None, "GPU:0"), others=(other,))
    verdict = judge(large)
    assert verdict.kind == TOO_LARGE
    assert verdict.remedies == ("splitting it over GPU:0 and GPU:1, which have room for it together",)
    assert not judge(replace(large, others=())).remedies


def test_memory_that_other_processes_hold_is_named_as_the_cause():
    held = Snapshot("GPU_0_bfc", GIB // 4, GIB // 4, GIB // 2, GIB // 4, True)
    gpu = Physical("", 0, 8 * GIB, GIB // 2, GIB // 2, (Holder(7, 7 * GIB, "python"),))
    verdict = judge(replace(SHORTAGE, held=held, gpu=gpu, others=(OtherGpu(3, "", 6 * GIB),)))
    assert verdict.kind == OTHERS
    assert "only 512 MiB are free on the GPU" in verdict.why
    assert [line.split(":")[0] for line in verdict.remedies[1:]] == [
        "growth or a fraction in process 7 (python), if it is TensorFlow",
        "moving to GPU 3 of this machine (CUDA_VISIBLE_DEVICES=3)",
        "waiting for the GPU's other processes, or ending them",
    ]


def test_free_memory_in_pieces_is_named_as_the_cause():
    held = Snapshot("GPU_0_bfc", GIB // 2, GIB, 2 * GIB, GIB // 8, True)
    verdict = judge(replace(SHORTAGE, held=held, growth=Growth(True, "allow_growth=True")))
    assert verdict.kind == PIECES
    assert "growth took the memory in several regions" in verdict.why
    assert any(line.startswith("growth off") for line in verdict.remedies)
    assert any("cuda_malloc_async" in line for line in verdict.remedies)
    old = judge(replace(SHORTAGE, held=held, tensorflow=(2, 4)))
    assert not any("growth" in line or "cuda_malloc_async" in line for line in old.remedies)


def test_an_unknown_shortage_gets_no_advice():
    assert judge(Shortage(FailedAllocation(), "GPU:0")).remedies == ()
    assert judge(Shortage(FailedAllocation(GIB), "GPU:0")).kind == NOT_KNOWN
