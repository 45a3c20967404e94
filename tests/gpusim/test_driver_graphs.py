"""Graphs: work that is recorded once, by adding nodes or by a capture, and runs at each launch."""

from __future__ import annotations

from driver_programs import run

GRAPHS = """
context = start()
module, function = c_void_p(), c_void_p()
ok(cu.cuModuleLoadData(byref(module), b"image"))
ok(cu.cuModuleGetFunction(byref(function), module, b"kernel"))
class Kernel(ctypes.Structure):
    _fields_ = [("function", c_void_p), ("sizes", c_uint * 7), ("parameters", c_void_p), ("extra", c_void_p),
                ("kernel", c_void_p), ("context", c_void_p)]
class Set(ctypes.Structure):
    _fields_ = [("to", c_uint64), ("pitch", c_size_t), ("value", c_uint), ("element", c_uint), ("width", c_size_t),
                ("height", c_size_t)]
class Host(ctypes.Structure):
    _fields_ = [("function", HOST_FUNCTION), ("data", c_void_p)]
class Copy(ctypes.Structure):
    _fields_ = [("from_", c_size_t * 4), ("fromType", c_int), ("fromHost", c_void_p), ("fromDevice", c_uint64),
                ("fromRest", c_size_t * 4), ("to", c_size_t * 4), ("toType", c_int), ("toHost", c_void_p),
                ("toDevice", c_uint64),
                ("toRest", c_size_t * 4), ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t)]
def copy(to, source, size):
    return Copy(fromType=2, fromDevice=source, toType=2, toDevice=to, width=size, height=1, depth=1)
def kernel(block=32):
    return Kernel(function.value, (c_uint * 7)(1, 1, 1, block, 1, 1, 0))
def graph():
    handle = c_void_p()
    ok(cu.cuGraphCreate(byref(handle), 0))
    return handle
def add(kind, of, what, needs=(), last=()):
    node = c_void_p()
    named = (c_void_p * len(needs))(*[need.value for need in needs])
    result = getattr(cu, "cuGraphAdd" + kind)(byref(node), of, named if needs else None, len(needs),
    what if kind == "ChildGraphNode" else byref(what), *last)
    return node if result == "SUCCESS" else result
def instantiate(of):
    executable = c_void_p()
    result = cu.cuGraphInstantiateWithFlags(byref(executable), of, 0)
    return executable if result == "SUCCESS" else result
seen = []
mark = HOST_FUNCTION(lambda number: seen.append(number))
"""


def test_each_launch_of_a_graph_runs_its_nodes_in_order(tmp_path):
    done = run(
        GRAPHS
        + """
a, b, s, g = alloc(8), alloc(8), stream(), graph()
# Added in another order than that in which they must be done.
third = add("HostNode", g, Host(mark, 3))
second = add("MemcpyNode", g, copy(b, a, 8), last=(context,))
first = add("MemsetNode", g, Set(a, 0, 0x41, 1, 8, 1), last=(context,))
ok(cu.cuGraphAddDependencies(g, (c_void_p * 2)(first.value, second.value), (c_void_p * 2)(second.value, third.value),
    2))
launches = add("KernelNode_v2", g, kernel(), [first])
kind, count, nodes = c_int(), c_size_t(9), (c_void_p * 9)()
ok(cu.cuGraphGetNodes(g, nodes, byref(count)))
kinds = []
for node in nodes[:count.value]:
    ok(cu.cuGraphNodeGetType(node, byref(kind)))
    kinds.append(kind.value)
ok(cu.cuGraphGetRootNodes(g, None, byref(count)))
roots = (c_void_p * 1)()
ok(cu.cuGraphGetRootNodes(g, roots, byref(count)))
out(kinds, count.value, roots[0] == first.value, nodes[8])
e = instantiate(g)
ok(cu.cuGraphDestroy(g))
out(read(b, 8) == bytes(8), seen)
for _ in range(3):
    ok(cu.cuGraphLaunch(e, s))
ok(cu.cuStreamSynchronize(s))
out(read(b, 8).decode(), seen, cu.cuGraphUpload(e, s), cu.cuGraphExecDestroy(e), cu.cuGraphExecDestroy(e),
    cu.cuGraphLaunch(e, s))
""",
        tmp_path,
    )
    assert done.printed == [
        [[3, 1, 2, 0], 1, True, None],
        [True, []],
        ["AAAAAAAA", [3, 3, 3], "SUCCESS", "SUCCESS", "INVALID_VALUE", "INVALID_VALUE"],
    ]
    assert done.events("exit")[0]["launches"] == 3


def test_very_many_launches_get_a_message(tmp_path):
    done = run(
        GRAPHS
        + """
g, s = graph(), stream()
for _ in range(1000):
    add("KernelNode_v2", g, kernel())
e = instantiate(g)
for times in (999, 1001):
    for _ in range(times):
        ok(cu.cuGraphLaunch(e, s))
    ok(cu.cuStreamSynchronize(s))
    print("so far", file=sys.stderr)
""",
        tmp_path,
    )
    before, after, end = done.stderr.split("so far\n")
    assert before == end == ""
    assert "has launched 1000000 kernels, and none is computed: if it waits for one of their values" in after
    assert "--timeout SECONDS" in after
    assert after.count("\n") == 1


def test_an_executable_graph_can_be_changed(tmp_path):
    done = run(
        GRAPHS
        + """
a, s, g = alloc(8), stream(), graph()
node = add("MemsetNode", g, Set(a, 0, 0x41, 1, 8, 1), last=(context,))
launched = add("KernelNode_v2", g, kernel(), [node])
called = add("HostNode", g, Host(mark, 1), [launched])
e = instantiate(g)
ok(cu.cuGraphExecMemsetNodeSetParams(e, node, byref(Set(a, 0, 0x42, 1, 4, 1)), context))
ok(cu.cuGraphExecKernelNodeSetParams_v2(e, launched, byref(kernel(64))))
ok(cu.cuGraphExecHostNodeSetParams(e, called, byref(Host(mark, 2))))
ok(cu.cuGraphLaunch(e, s)); ok(cu.cuStreamSynchronize(s))
out(read(a, 8).decode(), seen)
enabled = c_uint(7)
out(cu.cuGraphNodeSetEnabled(e, node, 0), cu.cuGraphNodeGetEnabled(e, node, byref(enabled)), enabled.value,
    cu.cuGraphNodeSetEnabled(e, called, 0))
ok(cu.cuMemsetD8_v2(a, 0x30, 8))
ok(cu.cuGraphLaunch(e, s)); ok(cu.cuStreamSynchronize(s))
out(read(a, 8).decode(), seen)
out(cu.cuGraphExecKernelNodeSetParams_v2(e, node, byref(kernel())), cu.cuGraphExecKernelNodeSetParams_v2(e, launched,
    byref(kernel(5000))),
    cu.cuGraphExecKernelNodeSetParams_v2(c_void_p(777), launched, byref(kernel())),
    cu.cuGraphExecMemsetNodeSetParams(e, node, None, context))
class Info(ctypes.Structure):
    _fields_ = [("result", c_int), ("error", c_void_p), ("origin", c_void_p)]
info_, other = Info(), graph()
first = add("MemsetNode", other, Set(a, 0, 0x43, 1, 8, 1), last=(context,))
out(cu.cuGraphExecUpdate_v2(e, other, byref(info_)), info_.result)
second = add("KernelNode_v2", other, kernel(), [first])
third = add("HostNode", other, Host(mark, 9), [second])
out(cu.cuGraphExecUpdate_v2(e, other, byref(info_)), info_.result)
ok(cu.cuGraphNodeSetEnabled(e, node, 1))
ok(cu.cuGraphLaunch(e, s)); ok(cu.cuStreamSynchronize(s))
out(read(a, 8).decode(), seen)
""",
        tmp_path,
    )
    assert done.printed == [
        ["BBBB\0\0\0\0", [2]],
        ["SUCCESS", "SUCCESS", 0, "INVALID_VALUE"],
        ["00000000", [2, 2]],
        ["INVALID_VALUE"] * 4,
        ["GRAPH_EXEC_UPDATE_FAILURE", 2],
        ["SUCCESS", 0],
        ["CCCCCCCC", [2, 2, 9]],
    ]


def test_graphs_in_graphs(tmp_path):
    done = run(
        GRAPHS
        + """
inner, outer, s = graph(), graph(), stream()
add("HostNode", inner, Host(mark, 2))
before = add("HostNode", outer, Host(mark, 1))
child = add("ChildGraphNode", outer, inner, [before])
add("HostNode", outer, Host(mark, 3), [child])
copy = c_void_p()
ok(cu.cuGraphChildGraphNodeGetGraph(child, byref(copy)))
out(copy.value != inner.value, cu.cuGraphDestroy(copy))
add("HostNode", inner, Host(mark, 99))  # too late: the node has a copy
e, clone = instantiate(outer), c_void_p()
ok(cu.cuGraphClone(byref(clone), outer))
again = instantiate(clone)
for each in (e, again):
    ok(cu.cuGraphLaunch(each, s))
ok(cu.cuStreamSynchronize(s))
out(seen)
other = graph()
add("HostNode", other, Host(mark, 7))
out(cu.cuGraphExecChildGraphNodeSetParams(e, child, inner), cu.cuGraphExecChildGraphNodeSetParams(e, child, other))
ok(cu.cuGraphLaunch(e, s)); ok(cu.cuStreamSynchronize(s))
out(seen[6:])
""",
        tmp_path,
    )
    assert done.printed == [
        [True, "INVALID_VALUE"],
        [1, 2, 3, 1, 2, 3],
        ["INVALID_VALUE", "SUCCESS"],
        [1, 7, 3],
    ]


def test_a_capture_records_the_enqueued_work(tmp_path):
    done = run(
        GRAPHS
        + """
a, b, pinned, s, side, e = alloc(8), alloc(8), c_void_p(), stream(), stream(), event(2)
ok(cu.cuMemHostAlloc(byref(pinned), 8, 0))
ctypes.memmove(pinned, b"captured", 8)
ok(cu.cuStreamBeginCapture_v2(s, 1))
results = [cu.cuMemcpyHtoDAsync_v2(a, pinned, 8, s), cu.cuMemcpyDtoDAsync_v2(b, a, 8, s),
           cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, s, None, None), cu.cuEventRecord(e, s),
           cu.cuStreamWaitEvent(side, e, 0), cu.cuMemsetD8Async(a, 0x2B, 1, side), cu.cuLaunchHostFunc(side, mark, 1),
           cu.cuEventRecord(e, side), cu.cuStreamWaitEvent(s, e, 0), cu.cuMemcpyDtoDAsync_v2(b, a, 1, s)]
status, number = c_int(), c_uint64()
ok(cu.cuStreamIsCapturing(side, byref(status)))
out(results, status.value, cu.cuStreamGetCaptureInfo_v2(s, byref(status), byref(number), None, None, None),
    status.value, number.value > 0)
out(cu.cuStreamSynchronize(s), cu.cuStreamQuery(side), cu.cuEventQuery(e), cu.cuEventSynchronize(e),
    cu.cuStreamBeginCapture_v2(s, 0),
    cu.cuMemAllocAsync(byref(c_uint64()), 8, s))
captured = c_void_p()
ok(cu.cuStreamEndCapture(s, byref(captured)))
ok(cu.cuStreamIsCapturing(side, byref(status)))
count = c_size_t()
ok(cu.cuGraphGetNodes(captured, None, byref(count)))
out(status.value, count.value, read(a, 8) == bytes(8), seen, cu.cuStreamEndCapture(s, byref(captured)))
executable = instantiate(captured)
for text in (b"captured", b"launched"):
    ctypes.memmove(pinned, text, 8)
    ok(cu.cuGraphLaunch(executable, s)); ok(cu.cuStreamSynchronize(s))
    out(read(b, 8).decode(), seen)
out(cu.cuEventQuery(e), cu.cuStreamBeginCapture_v2(None, 0), cu.cuStreamBeginCapture_v2(s, 9))
""",
        tmp_path,
    )
    assert done.printed == [
        [["SUCCESS"] * 10, 1, "SUCCESS", 1, True],
        ["STREAM_CAPTURE_UNSUPPORTED", "STREAM_CAPTURE_UNSUPPORTED", "CAPTURED_EVENT", "CAPTURED_EVENT",
        "ILLEGAL_STATE",
         "STREAM_CAPTURE_UNSUPPORTED"],
        [0, 6, True, [], "ILLEGAL_STATE"],
        ["+aptured", [1]],
        ["+aunched", [1, 1]],
        ["SUCCESS", "STREAM_CAPTURE_UNSUPPORTED", "INVALID_VALUE"],
    ]  # fmt: skip
    assert done.events("exit")[0]["launches"] == 2
    assert done.unsupported == [("driver", "cuMemAllocAsync, cuMemFreeAsync (captured into a graph)")]


def test_bad_arguments_of_graphs_are_refused(tmp_path):
    done = run(
        GRAPHS
        + """
g, other, a = graph(), graph(), alloc(8)
node, foreign = add("HostNode", g, Host(mark, 1)), add("HostNode", other, Host(mark, 1))
second = add("HostNode", g, Host(mark, 1), [node])
out(cu.cuGraphCreate(None, 0), cu.cuGraphCreate(byref(c_void_p()), 1), cu.cuGraphDestroy(c_void_p(777)),
    cu.cuGraphDestroy(node),
    add("HostNode", g, Host(mark, 1), [foreign]), add("HostNode", g, Host(mark, 1), [c_void_p(777)]), add("HostNode",
    c_void_p(777), Host(mark, 1)),
    add("KernelNode_v2", g, kernel(0)), add("MemsetNode", g, Set(a, 0, 1, 3, 1, 1), last=(context,)),
    add("MemsetNode", g, Set(a, 0, 1, 1, 9, 1), last=(context,)), add("MemcpyNode", g, copy(a, a, 9), last=(context,)),
    cu.cuGraphAddDependencies(g, byref(node), byref(node), 1), cu.cuGraphAddDependencies(g, byref(node),
    byref(foreign), 1),
    cu.cuGraphNodeGetType(g, byref(c_int())), instantiate(c_void_p(777)), cu.cuGraphLaunch(g, None),
    cu.cuGraphGetNodes(g, None, None))
out(add("KernelNode_v2", g, Kernel(777, (c_uint * 7)(1, 1, 1, 1, 1, 1, 0))), add("MemcpyNode", g, copy(a, a, 8),
    last=(None,)))
ok(cu.cuGraphAddDependencies(g, byref(second), byref(node), 1))
out(instantiate(g))
""",
        tmp_path,
    )
    assert done.printed == [["INVALID_VALUE"] * 17, ["INVALID_HANDLE", "INVALID_CONTEXT"], "INVALID_VALUE"]


def test_the_linker_returns_its_input(tmp_path):
    done = run(
        """
start()
link, image, size = c_void_p(), c_void_p(), c_size_t()
ok(cu.cuLinkCreate_v2(0, None, None, byref(link)))
out(cu.cuLinkComplete(link, byref(image), byref(size)))
out(cu.cuLinkAddData_v2(link, 1, b".version 7.0", 12, b"a", 0, None, None), cu.cuLinkAddFile_v2(link, 1,
    __import__("os").__file__.encode(), 0, None, None))
ok(cu.cuLinkComplete(link, byref(image), byref(size)))
text = ctypes.string_at(image, size.value)
out(text == b".version 7.0" + open(os.__file__, "rb").read())
out(cu.cuLinkAddData_v2(link, 9, b"x", 1, None, 0, None, None), cu.cuLinkAddData_v2(link, 1, None, 1, None, 0, None,
    None),
    cu.cuLinkAddFile_v2(link, 1, b"/no/such/file", 0, None, None), cu.cuLinkCreate_v2(1, None, None, byref(link)),
    cu.cuLinkAddData_v2(c_void_p(777), 1, b"x", 1, None, 0, None, None))
out(cu.cuLinkDestroy(link), cu.cuLinkDestroy(link), cu.cuLinkComplete(link, byref(image), byref(size)))
""",
        tmp_path,
    )
    assert done.printed == [
        "INVALID_VALUE",
        ["SUCCESS", "SUCCESS"],
        True,
        ["INVALID_VALUE", "INVALID_VALUE", "FILE_NOT_FOUND", "INVALID_VALUE", "INVALID_HANDLE"],
        ["SUCCESS", "INVALID_HANDLE", "INVALID_HANDLE"],
    ]
