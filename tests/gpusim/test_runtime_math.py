"""The math libraries: handles and descriptors are stored, and each computation is one launch without effect."""

from __future__ import annotations

import pytest
from cuda_programs import run

from tf1mem.estimating.workspaces import Convolution, workspace


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
results, count = (c_char * (96 * 4))(), c_int()
four = [layout] * 4
out(lt.cublasLtMatmulAlgoGetHeuristic(handle, product, *four, preference, 4, results, byref(count)))
out(count.value, c_size_t.from_buffer(results, 64).value, c_int.from_buffer(results, 72).value)
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
    descriptor = c_void_p()
    out(getattr(dnn, f"cudnnCreate{kind}Descriptor")(byref(descriptor)), bool(descriptor.value))
    out(getattr(dnn, f"cudnnDestroy{kind}Descriptor")(descriptor))
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


# A convolution of 8 images of 64x64 with 16 channels into 32, by 3x3 filters, in the older API.
CONVOLUTION = (
    CUDNN
    + """
def ints(*values):
    return (c_int * len(values))(*values)

def descriptor(kind):
    made = c_void_p()
    assert getattr(cudnn, f"cudnnCreate{kind}Descriptor")(byref(made)) == 0
    return made

FLOAT, n = 0, None
input, result, filter, convolution = map(descriptor, ("Tensor", "Tensor", "Filter", "Convolution"))
out(
    cudnn.cudnnCreate(byref(handle)),
    cudnn.cudnnSetTensorNdDescriptor(input, FLOAT, 4, ints(8, 16, 64, 64), ints(1, 1, 1, 1)),
    cudnn.cudnnSetTensorNdDescriptor(result, FLOAT, 4, ints(8, 32, 64, 64), ints(1, 1, 1, 1)),
    cudnn.cudnnSetFilterNdDescriptor(filter, FLOAT, 0, 4, ints(32, 16, 3, 3)),
    cudnn.cudnnSetConvolutionNdDescriptor(convolution, 2, ints(1, 1), ints(1, 1), ints(1, 1), 1, FLOAT),
)
DIRECTIONS = {
    "Forward": (input, filter, convolution, result),
    "BackwardData": (filter, result, convolution, input),
    "BackwardFilter": (input, result, convolution, filter),
}

def workspace(name, algorithm):
    read, size = getattr(cudnn, f"cudnnGetConvolution{name}WorkspaceSize"), c_size_t(9)
    return read(handle, *DIRECTIONS[name], algorithm, byref(size)) or size.value

def chosen(name, preference, limit):
    choose, algorithm = getattr(cudnn, f"cudnnGetConvolution{name}Algorithm"), c_int(9)
    return choose(handle, *DIRECTIONS[name], preference, c_size_t(limit), byref(algorithm)) or algorithm.value

def listed(name, room):
    list, results, count = getattr(cudnn, f"cudnnGetConvolution{name}Algorithm_v7"), (c_char * 512)(), c_int()
    status = list(handle, *DIRECTIONS[name], room, byref(count), results)
    return status or [
        (c_int.from_buffer(results, at).value, c_size_t.from_buffer(results, at + 16).value)
        for at in range(0, 48 * count.value, 48)
    ]

def compute(name, algorithm, room=0):
    first, second, convolution, third = DIRECTIONS[name]
    run, place = getattr(cudnn, f"cudnnConvolution{name}"), c_void_p(4096 if room else None)
    return run(handle, n, first, n, second, n, convolution, algorithm, place, c_size_t(room), n, third, n)
"""
)


@pytest.mark.parametrize("soname", ["libcudnn.so.7", "libcudnn.so.8", "libcudnn.so.9"])
def test_a_convolution_is_one_launch_and_needs_no_workspace(program, soname):
    done = program(
        CONVOLUTION
        + """
out(workspace("Forward", 1), chosen("Forward", 1, 0), listed("BackwardData", 4))
out(compute("Forward", 1), cudnn.cudnnConvolutionForward(None, n, n, n, n, n, n, 1, n, c_size_t(0), n, n, n) > 0)
out(cudnn.cudnnGetErrorString(0).decode())
out(cudnn.cudnnDestroyTensorDescriptor(input), cudnn.cudnnDestroy(handle))
""",
        SONAME=soname,
    )
    assert done.printed == [[0] * 5, [0, 1, [[1, 0]]], [0, True], "CUDNN_STATUS_SUCCESS", [0, 0]]
    assert [line["launches"] for line in done.events("exit")] == [1]


COMPUTED = {"TF1MEM_SIM_CUDNN_WORKSPACE": "computed"}
ROOM = workspace(Convolution(8, 16, 32, (3, 3), (64, 64), (1, 1), (1, 1), 4))[0]


def test_a_convolution_has_a_faster_algorithm_with_a_workspace(program):
    done = program(
        CONVOLUTION
        + f"""
cuda = ctypes.CDLL("libcudart.so.12")
start, end, took = c_void_p(), c_void_p(), ctypes.c_float()
cuda.cudaEventCreate(byref(start)), cuda.cudaEventCreate(byref(end))

def seconds(name, algorithm):
    cuda.cudaEventRecord(start, None)
    assert compute(name, algorithm, workspace(name, algorithm)) == 0
    cuda.cudaEventRecord(end, None)
    assert cuda.cudaEventSynchronize(end) == cuda.cudaEventElapsedTime(byref(took), start, end) == 0
    return took.value / 1000

for name, faster in (("Forward", 2), ("BackwardData", 3), ("BackwardFilter", 3)):
    out([workspace(name, algorithm) for algorithm in (0, 1, faster)], listed(name, 1), listed(name, 4))
    out([chosen(name, *how) == faster for how in ((0, 0), (1, 0), (2, {ROOM}), (2, {ROOM} - 1))])
    out(seconds(name, 1) > 1 > seconds(name, faster), compute(name, faster, {ROOM} - 1) > 0)
""",
        **COMPUTED,
    )
    for first, (numbers, short, long) in enumerate(done.printed[1::3]):
        faster = 3 if first else 2
        assert (numbers, short, long) == ([0, 0, ROOM], [[faster, ROOM]], [[faster, ROOM], [1, 0]])
    assert done.printed[2::3] == [[False, True, True, False]] * 3
    assert done.printed[3::3] == [[True, True]] * 3


BACKEND = (
    CUDNN
    + """
INT64, DESCRIPTOR, DATA_TYPE = 3, 15, 1
CONVOLUTION, ENGINE, CONFIG, HEURISTICS, PLAN = range(1, 6)
FORWARD, FILTER, DATA, GRAPH, PACK, TENSOR = 10, 11, 12, 15, 16, 17

def descriptor(kind):
    handle = c_void_p()
    assert cudnn.cudnnBackendCreateDescriptor(kind, byref(handle)) == 0
    return handle

def put(of, name, kind, *values):
    kinds = {DESCRIPTOR: c_void_p, INT64: ctypes.c_int64, DATA_TYPE: c_int}
    values = (kinds[kind] * len(values))(*[getattr(value, "value", value) for value in values])
    assert cudnn.cudnnBackendSetAttribute(of, name, kind, ctypes.c_int64(len(values)), values) == 0

def read(of, name, kind, room, values):
    count = ctypes.c_int64(-1)
    return cudnn.cudnnBackendGetAttribute(of, name, kind, ctypes.c_int64(room), byref(count), values), count.value
"""
)


@pytest.mark.parametrize(("data_type", "size"), [(0, 4), (2, 2), (1, 8)])
@pytest.mark.parametrize(
    ("operation", "convolution", "filter", "input", "result"),
    [("FORWARD", 702, 703, 704, 705), ("DATA", 708, 709, 710, 711), ("FILTER", 714, 715, 716, 717)],
)
def test_a_graph_of_a_convolution_has_two_engines(
    program, operation, convolution, filter, input, result, data_type, size
):
    kernel, strides = (5, 7), (2, 3)
    room = workspace(Convolution(8, 16, 32, kernel, (30, 20), strides, (1, 1), size))[0]
    done = program(
        BACKEND
        + f"""
cudnn.cudnnCreate(byref(handle))
convolution, graph, heuristics, operation = map(descriptor, (CONVOLUTION, GRAPH, HEURISTICS, {operation}))
put(convolution, 102, INT64, 1, 1), put(convolution, 103, INT64, *{strides})
put(operation, {convolution}, DESCRIPTOR, convolution)
for name, sizes in (({filter}, (32, 16, *{kernel})), ({input}, (8, 16, 64, 64)), ({result}, (8, 32, 30, 20))):
    tensor = descriptor(TENSOR)
    put(tensor, 901, DATA_TYPE, {data_type}), put(tensor, 902, INT64, *sizes), put(operation, name, DESCRIPTOR, tensor)
put(graph, 801, DESCRIPTOR, operation)
put(heuristics, 201, DESCRIPTOR, graph)
configs = (c_void_p * 3)(*[descriptor(CONFIG).value for _ in range(3)])
engines, bytes = ctypes.c_int64(), ctypes.c_int64()
out(read(heuristics, 202, DESCRIPTOR, 0, None), read(heuristics, 202, DESCRIPTOR, 3, configs))
out(read(graph, 802, INT64, 1, byref(engines)), engines.value)
for config in map(c_void_p, configs[:2]):
    engine, plan = descriptor(ENGINE), descriptor(PLAN)
    read(config, 300, DESCRIPTOR, 1, byref(engine)), read(engine, 1301, INT64, 1, byref(engines))
    put(plan, 401, DESCRIPTOR, config), read(plan, 402, INT64, 1, byref(bytes))
    again, other, rebuilt = descriptor(ENGINE), descriptor(CONFIG), descriptor(PLAN)
    put(again, 1300, DESCRIPTOR, graph), put(again, 1301, INT64, engines.value), put(other, 300, DESCRIPTOR, again)
    put(rebuilt, 401, DESCRIPTOR, other)
    out(engines.value, bytes.value, read(rebuilt, 402, INT64, 1, byref(engines)), engines.value)
    out(cudnn.cudnnBackendExecute(handle, plan, descriptor(PACK)))
""",
        **COMPUTED,
    )
    assert done.printed == [
        [[0, 2], [0, 2]],
        [[0, 1], 2],
        [1, room, [0, 1], room],
        0,
        [0, 0, [0, 1], 0],
        0,
    ]


def test_cudnns_backend_stores_attributes_and_has_one_engine(program):
    done = program(
        BACKEND
        + """
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
