"""The math libraries: handles and descriptors are stored, and each computation is one launch without effect."""

from __future__ import annotations

import pytest
from cuda_programs import run


@pytest.fixture
def program(tmp_path):
    return lambda code, **more: run(code, tmp_path, **more)


CUBLAS = """
cublas = ctypes.CDLL(os.environ.get("SONAME", "libcublas.so.12"))
cublas.cublasGetStatusString.restype = c_char_p
handle = c_void_p()
"""


def test_a_product_is_one_launch(program):
    done = program(
        CUBLAS
        + """
out(cublas.cublasCreate_v2(byref(handle)), cublas.cublasSgemm_v2(handle), cublas.cublasGemmEx(handle))
out(cublas.cublasDgemmStridedBatched(handle), cublas.cublasSgemm_v2(None), cublas.cublasDestroy_v2(handle))
"""
    )
    assert done.printed == [[0, 0, 0], [0, 1, 0]]
    assert [line["launches"] for line in done.events("exit")] == [3]
    assert done.unsupported == []


def test_products_wait_for_their_stream(program):
    done = program(
        CUBLAS
        + """
cuda = ctypes.CDLL("libcudart.so.12")
Host = ctypes.CFUNCTYPE(None, c_void_p)
gate = threading.Event()
slow = Host(lambda data: gate.wait())
stream, back = c_void_p(), c_void_p()
cuda.cudaStreamCreate(byref(stream)), cublas.cublasCreate_v2(byref(handle))
out(cublas.cublasSetStream_v2(handle, stream), cublas.cublasGetStream_v2(handle, byref(back)))
out(back.value == stream.value)
cuda.cudaLaunchHostFunc(stream, slow, None)
out(cublas.cublasSgemm_v2(handle), cuda.cudaStreamQuery(stream))
gate.set()
out(cuda.cudaStreamSynchronize(stream))
"""
    )
    assert done.printed == [[0, 0], True, [0, 600], 0]


def test_a_result_that_the_host_would_read_is_not_supported(program):
    done = program(
        CUBLAS
        + """
cublas.cublasCreate_v2(byref(handle))
out(cublas.cublasSdot_v2(handle), cublas.cublasSdot_v2(handle), cublas.cublasGetStatusString(15).decode())
"""
    )
    assert done.printed == [[15, 15, "CUBLAS_STATUS_NOT_SUPPORTED"]]
    assert done.unsupported == [("cublas", "cublasSdot_v2")]


@pytest.mark.parametrize(
    ("soname", "version", "parts"),
    [
        ("libcublas.so.10.0", 10000, [10, 0, 0]),
        ("libcublas.so.10", 10202, [10, 2, 2]),
        ("libcublas.so.11", 111103, [11, 11, 3]),
        ("libcublas.so.12", 120503, [12, 5, 3]),
    ],
)
def test_versions_of_cublas(program, soname, version, parts):
    done = program(
        CUBLAS
        + """
value = c_int()
cublas.cublasCreate_v2(byref(handle))
out(cublas.cublasGetVersion_v2(handle, byref(value)), value.value)
out([cublas.cublasGetProperty(part, byref(value)) or value.value for part in range(3)])
""",
        SONAME=soname,
    )
    assert done.printed == [[0, version], parts]


def test_cublaslt_stores_settings_and_has_one_algorithm(program):
    done = program(
        """
lt = ctypes.CDLL("libcublasLt.so.12")
handle, product, layout, preference = c_void_p(), c_void_p(), c_void_p(), c_void_p()
out(lt.cublasLtCreate(byref(handle)), lt.cublasLtMatmulDescCreate(byref(product), 68, 0))
out(lt.cublasLtMatrixLayoutCreate(byref(layout), 0, c_uint64(7), c_uint64(5), c_uint64(8)))
out(lt.cublasLtMatmulPreferenceCreate(byref(preference)))
def attribute(get, of, number, kind=c_int):
    value, written = kind(), c_size_t()
    error = get(of, number, byref(value), c_size_t(ctypes.sizeof(value)), byref(written))
    return error or [value.value, written.value]
out([attribute(lt.cublasLtMatrixLayoutGetAttribute, layout, number, c_uint64) for number in (2, 3, 4)])
out([attribute(lt.cublasLtMatmulDescGetAttribute, product, number) for number in (0, 1, 3, 7)])
transposed = c_int(1)
out(lt.cublasLtMatmulDescSetAttribute(product, 3, byref(transposed), c_size_t(4)))
out(attribute(lt.cublasLtMatmulDescGetAttribute, product, 3), attribute(lt.cublasLtMatmulDescGetAttribute, product, 99))
results, found = (c_char * (96 * 4))(), c_int()
four = [layout] * 4
out(lt.cublasLtMatmulAlgoGetHeuristic(handle, product, *four, preference, 4, results, byref(found)))
out(found.value, c_size_t.from_buffer(results, 64).value, c_int.from_buffer(results, 72).value)
n = None
out(lt.cublasLtMatmul(handle, product, n, n, layout, n, layout, n, n, layout, n, layout, results, n, c_size_t(0), n))
"""
    )
    assert done.printed == [
        [0, 0],
        0,
        0,
        [[7, 8], [5, 8], [8, 8]],
        [[68, 4], [0, 4], [0, 4], [1, 4]],
        0,
        [[1, 4], 7],
        0,
        [1, 0, 0],
        0,
    ]
    assert [line["launches"] for line in done.events("exit")] == [1]


@pytest.mark.parametrize(
    ("soname", "function", "status"),
    [
        ("libcufft.so.11", "cufftXtMemcpy", 16),
        ("libcurand.so.10", "curandCreateGenerator", 999),
        ("libcusolver.so.11", "cusolverDnSgetrf", 9),
        ("libcusparse.so.12", "cusparseSpMM", 10),
        ("libcudnn.so.7", "cudnnRNNForwardTraining", 9),
        ("libcudnn.so.8", "cudnnRNNForward", 9),
        ("libcudnn.so.9", "cudnnRNNForward", 3000),
    ],
)
def test_an_unsupported_function_is_an_error_and_traced(program, soname, function, status):
    done = program(
        """
library = ctypes.CDLL(os.environ["SONAME"])
cuda = ctypes.CDLL("libcuda.so.1")
out(cuda.cuInit(0), [getattr(library, os.environ["FUNCTION"])() for _ in range(2)])
""",
        SONAME=soname,
        FUNCTION=function,
    )
    assert done.printed == [[0, [status, status]]]
    assert done.unsupported == [(soname.split(".")[0][3:], function)]


def test_handles_and_plans_exist_without_computations(program):
    """Handles and plans are created, since TensorFlow ends the process if that fails; their computations fail."""
    done = program(
        """
solver, fft, dnn = (ctypes.CDLL(f"lib{name}") for name in ("cusolver.so.11", "cufft.so.11", "cudnn.so.9"))
handle, stream, plan, size = c_void_p(), c_void_p(), c_int(), c_size_t(1)
out(solver.cusolverDnCreate(byref(handle)), solver.cusolverDnSetStream(handle, None))
out(solver.cusolverDnGetStream(handle, byref(stream)), solver.cusolverDnSpotrf(handle))
out(solver.cusolverDnDestroy(handle))
out(ctypes.CDLL("libcuda.so.1").cuInit(0), fft.cufftCreate(byref(plan)), plan.value)
out(fft.cufftMakePlan1d(plan, 8, 41, 1, byref(size)), size.value)
out(fft.cufftSetStream(plan, None), fft.cufftExecC2C(plan, None, None, 1), fft.cufftDestroy(plan), fft.cufftDestroy(9))
for kind in ("RNN", "RNNData", "CTCLoss"):
    made = c_void_p()
    out(getattr(dnn, f"cudnnCreate{kind}Descriptor")(byref(made)), bool(made.value))
    out(getattr(dnn, f"cudnnDestroy{kind}Descriptor")(made))
out(dnn.cudnnSetCTCLossDescriptorEx(None), dnn.cudnnSetRNNDescriptor_v8(None), dnn.cudnnGetRNNWeightSpaceSize(None))
"""
    )
    assert done.printed == [
        [0, 0], [0, 9], 0, [0, 0, 1], [0, 0], [0, 0, 0, 1], *([[0, True], 0] * 3), [0, 0, 3000],
    ]  # fmt: skip
    assert {name for _, name in done.unsupported} == {"cusolverDnSpotrf", "cudnnGetRNNWeightSpaceSize"}
    assert [line["launches"] for line in done.events("exit")] == [1]


@pytest.mark.parametrize(
    ("soname", "version", "parts"),
    [("libcudnn.so.7", 7605, [7, 6, 5]), ("libcudnn.so.8", 8907, [8, 9, 7]), ("libcudnn.so.9", 91002, [9, 10, 2])],
)
def test_versions_of_cudnn(program, soname, version, parts):
    done = program(
        """
cudnn, value = ctypes.CDLL(os.environ["SONAME"]), c_int()
cudnn.cudnnGetVersion.restype = c_size_t
out(cudnn.cudnnGetVersion(), [cudnn.cudnnGetProperty(part, byref(value)) or value.value for part in range(3)])
""",
        SONAME=soname,
    )
    assert done.printed == [[version, parts]]


def test_a_collective_or_a_group_of_nccl_is_one_launch_on_each_rank(program):
    done = program(
        """
nccl, cuda = ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcudart.so.12")
nccl.ncclGetErrorString.restype = c_char_p

class Id(ctypes.Structure):
    _fields_ = [("bytes", c_char * 128)]

first, second, communicators, value = Id(), Id(), [c_void_p(), c_void_p()], c_int()
out(nccl.ncclGetUniqueId(byref(first)), nccl.ncclGetUniqueId(byref(second)), first.bytes != second.bytes)
for rank, communicator in enumerate(communicators):
    out(cuda.cudaSetDevice(rank), nccl.ncclCommInitRank(byref(communicator), 2, first, rank))
    asks = nccl.ncclCommCount, nccl.ncclCommUserRank, nccl.ncclCommCuDevice
    out([ask(communicator, byref(value)) or value.value for ask in asks])
    out(nccl.ncclAllReduce(None, None, c_size_t(4), 7, 0, communicator, None))
out(nccl.ncclCommInitRank(byref(c_void_p()), 2, first, 2))
out(nccl.ncclAllReduce(None, None, c_size_t(4), 7, 0, None, None))
starts = nccl.ncclGroupStart(), nccl.ncclGroupStart()
sends = [nccl.ncclSend(None, c_size_t(4), 7, peer, communicators[1], None) for peer in (0, 1)]
out(starts, sends, nccl.ncclGroupEnd(), nccl.ncclGroupEnd(), nccl.ncclGroupEnd())
out(nccl.ncclCommGetAsyncError(communicators[0], byref(value)), value.value, nccl.ncclCommDestroy(communicators[0]))
out(nccl.ncclCommWindowRegister(None), nccl.ncclGetErrorString(4).decode())
""",
        gpus=2,
    )
    assert done.printed == [
        [0, 0, True],
        [0, 0],
        [2, 0, 0],
        0,
        [0, 0],
        [2, 1, 1],
        0,
        4,
        4,
        [[0, 0], [0, 0], 0, 0, 5],
        [0, 0, 0],
        [5, "invalid argument"],
    ]
    assert {line["gpu"]: line["launches"] for line in done.events("exit")} == {0: 1, 1: 2}
    assert done.unsupported == [("nccl", "ncclCommWindowRegister")]


CUDNN = """
cudnn = ctypes.CDLL(os.environ.get("SONAME", "libcudnn.so.9"))
cudnn.cudnnGetErrorString.restype = c_char_p
handle = c_void_p()
"""


@pytest.mark.parametrize("soname", ["libcudnn.so.7", "libcudnn.so.8", "libcudnn.so.9"])
def test_a_convolution_is_one_launch_and_needs_no_workspace(program, soname):
    done = program(
        CUDNN
        + """
tensor, filter, convolution, n = c_void_p(), c_void_p(), c_void_p(), None
out(cudnn.cudnnCreate(byref(handle)), cudnn.cudnnCreateTensorDescriptor(byref(tensor)))
out(cudnn.cudnnSetTensorNdDescriptor(tensor), cudnn.cudnnCreateConvolutionDescriptor(byref(convolution)))
size, algorithm = c_size_t(9), c_int(9)
out(cudnn.cudnnGetConvolutionForwardWorkspaceSize(handle, tensor, n, convolution, tensor, 1, byref(size)), size.value)
out(cudnn.cudnnGetConvolutionForwardAlgorithm(handle, tensor, n, convolution, tensor, 0, c_size_t(0), byref(algorithm)))
results, count = (c_char * 512)(), c_int()
out(cudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, n, n, n, n, 4, byref(count), results), count.value)
out([c_int.from_buffer(results, offset).value for offset in (0, 4, 16)])
out(cudnn.cudnnConvolutionForward(handle), cudnn.cudnnConvolutionForward(None) > 0)
out(cudnn.cudnnGetErrorString(0).decode())
out(cudnn.cudnnDestroyTensorDescriptor(tensor), cudnn.cudnnDestroy(handle))
""",
        SONAME=soname,
    )
    assert done.printed == [
        [0, 0],
        [0, 0],
        [0, 0],
        0,
        [0, 1],
        [1, 0, 0],
        [0, True],
        "CUDNN_STATUS_SUCCESS",
        [0, 0],
    ]
    assert [line["launches"] for line in done.events("exit")] == [1]


def test_cudnns_backend_stores_attributes_and_has_one_engine(program):
    done = program(
        CUDNN
        + """
INT64, DESCRIPTOR = 3, 15
ENGINE, CONFIG, HEURISTICS, PLAN, PACK, TENSOR = 2, 3, 4, 5, 16, 17

def descriptor(kind):
    made = c_void_p()
    assert cudnn.cudnnBackendCreateDescriptor(kind, byref(made)) == 0
    return made

def read(of, name, kind, room, values):
    count = ctypes.c_int64(-1)
    return cudnn.cudnnBackendGetAttribute(of, name, kind, ctypes.c_int64(room), byref(count), values), count.value

cudnn.cudnnCreate(byref(handle))
tensor, sizes, back = descriptor(TENSOR), (ctypes.c_int64 * 3)(5, 6, 7), (ctypes.c_int64 * 3)()
out(cudnn.cudnnBackendSetAttribute(tensor, 902, INT64, ctypes.c_int64(3), sizes))
out(read(tensor, 902, INT64, 3, back), list(back), read(tensor, 902, INT64, 0, None))
out(read(tensor, 999, INT64, 1, back))
heuristics, config, engine, index = descriptor(HEURISTICS), descriptor(CONFIG), descriptor(ENGINE), ctypes.c_int64(3)
out(read(heuristics, 202, DESCRIPTOR, 0, None), read(heuristics, 202, DESCRIPTOR, 1, byref(config)))
out(read(config, 300, DESCRIPTOR, 1, byref(engine)), read(engine, 1301, INT64, 1, byref(index)), index.value)
index.value = 4
chosen, again = descriptor(CONFIG), descriptor(ENGINE)
cudnn.cudnnBackendSetAttribute(engine, 1301, INT64, ctypes.c_int64(1), byref(index))
cudnn.cudnnBackendSetAttribute(chosen, 300, DESCRIPTOR, ctypes.c_int64(1), byref(engine))
cudnn.cudnnBackendDestroyDescriptor(engine)
index.value = 0
out(read(chosen, 300, DESCRIPTOR, 1, byref(again)), read(again, 1301, INT64, 1, byref(index)), index.value)
plan = descriptor(PLAN)
out(read(plan, 402, INT64, 1, byref(index)), index.value, cudnn.cudnnBackendFinalize(plan))
out(cudnn.cudnnBackendExecute(handle, plan, descriptor(PACK)), cudnn.cudnnBackendExecute(handle, None, None) > 0)
"""
    )
    assert done.printed == [
        0,
        [[0, 3], [5, 6, 7], [0, 3]],
        [3000, -1],
        [[0, 1], [0, 1]],
        [[0, 1], [0, 1], 0],
        [[0, 1], [0, 1], 4],
        [[0, 1], 0, 0],
        [0, True],
    ]
    assert done.unsupported == [("cudnn", "cudnnBackendGetAttribute (attribute 999)")]
    assert [line["launches"] for line in done.events("exit")] == [1]
