"""Runs programs that call the simulated driver by ctypes, each in a separate process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cuda_programs

GIB = 1 << 30
MIB = 1 << 20

# Source that defines the driver's functions. In SIGNATURES a letter stands for the type of an argument: p for a
# pointer, d for a device's address, z for a size, u and i for ints, q for 64 bits, B and H for 8 and 16 bits.
DRIVER = """
SIGNATURES = {
    "cuInit": "u", "cuDriverGetVersion": "p", "cuDeviceGetCount": "p", "cuDeviceGet": "pi", "cuDeviceGetName": "pii",
    "cuDeviceTotalMem_v2": "pi", "cuDeviceComputeCapability": "ppi", "cuDeviceGetAttribute": "pii",
    "cuDeviceGetPCIBusId": "pii", "cuDeviceGetByPCIBusId": "pp", "cuDeviceGetUuid": "pi", "cuDeviceGetUuid_v2": "pi",
    "cuDeviceCanAccessPeer": "pii", "cuDeviceGetP2PAttribute": "piii", "cuDeviceGetProperties": "pi",
    "cuDevicePrimaryCtxRetain": "pi", "cuDevicePrimaryCtxRelease_v2": "i", "cuDevicePrimaryCtxReset_v2": "i",
    "cuDevicePrimaryCtxGetState": "ipp", "cuDevicePrimaryCtxSetFlags_v2": "iu",
    "cuCtxCreate_v2": "pui", "cuCtxCreate_v3": "ppiui", "cuCtxDestroy_v2": "p", "cuCtxPushCurrent_v2": "p",
    "cuCtxPopCurrent_v2": "p", "cuCtxSetCurrent": "p", "cuCtxGetCurrent": "p", "cuCtxGetDevice": "p",
    "cuCtxSynchronize": "", "cuCtxGetLimit": "pi", "cuCtxSetLimit": "iz", "cuCtxGetFlags": "p",
    "cuCtxGetApiVersion": "pp",
    "cuCtxGetId": "pp", "cuCtxGetStreamPriorityRange": "pp", "cuCtxEnablePeerAccess": "pu",
    "cuCtxDisablePeerAccess": "p",
    "cuCtxGetCacheConfig": "p", "cuCtxSetCacheConfig": "i", "cuCtxGetSharedMemConfig": "p",
    "cuCtxSetSharedMemConfig": "i",
    "cuMemAlloc_v2": "pz", "cuMemAllocPitch_v2": "ppzzu", "cuMemAllocManaged": "pzu", "cuMemFree_v2": "d",
    "cuMemGetInfo_v2": "pp", "cuMemGetAddressRange_v2": "ppd", "cuMemAdvise": "dzii", "cuMemPrefetchAsync": "dzip",
    "cuMemHostAlloc": "pzu", "cuMemAllocHost_v2": "pz", "cuMemFreeHost": "p", "cuMemHostRegister_v2": "pzu",
    "cuMemHostUnregister": "p", "cuMemHostGetDevicePointer_v2": "ppu", "cuMemHostGetFlags": "pp",
    "cuPointerGetAttribute": "pid", "cuPointerGetAttributes": "uppd", "cuPointerSetAttribute": "pid",
    "cuMemcpy": "ddz", "cuMemcpyAsync": "ddzp", "cuMemcpyHtoD_v2": "dpz", "cuMemcpyHtoDAsync_v2": "dpzp",
    "cuMemcpyDtoH_v2": "pdz", "cuMemcpyDtoHAsync_v2": "pdzp", "cuMemcpyDtoD_v2": "ddz", "cuMemcpyDtoDAsync_v2": "ddzp",
    "cuMemcpyPeer": "dpdpz", "cuMemcpyPeerAsync": "dpdpzp", "cuMemcpy2D_v2": "p", "cuMemcpy2DAsync_v2": "pp",
    "cuMemcpy2DUnaligned_v2": "p", "cuMemcpy3D_v2": "p", "cuMemcpy3DAsync_v2": "pp", "cuMemcpy3DPeer": "p",
    "cuMemsetD8_v2": "dBz", "cuMemsetD16_v2": "dHz", "cuMemsetD32_v2": "duz", "cuMemsetD8Async": "dBzp",
    "cuMemsetD16Async": "dHzp", "cuMemsetD32Async": "duzp", "cuMemsetD2D8_v2": "dzBzz", "cuMemsetD2D16_v2": "dzHzz",
    "cuMemsetD2D32_v2": "dzuzz", "cuMemsetD2D32Async": "dzuzzp",
    "cuStreamCreate": "pu", "cuStreamCreateWithPriority": "pui", "cuStreamDestroy_v2": "p", "cuStreamQuery": "p",
    "cuStreamSynchronize": "p", "cuStreamWaitEvent": "ppu", "cuStreamGetPriority": "pp", "cuStreamGetFlags": "pp",
    "cuStreamGetCtx": "pp", "cuStreamGetId": "pp", "cuStreamIsCapturing": "pp", "cuLaunchHostFunc": "ppp",
    "cuStreamAddCallback": "pppu", "cuThreadExchangeStreamCaptureMode": "p",
    "cuEventCreate": "pu", "cuEventDestroy_v2": "p", "cuEventRecord": "pp", "cuEventQuery": "p",
    "cuEventSynchronize": "p", "cuEventElapsedTime": "ppp", "cuEventRecordWithFlags": "ppu",
    "cuMemAllocAsync": "pzp", "cuMemAllocFromPoolAsync": "pzpp", "cuMemFreeAsync": "dp", "cuMemPoolCreate": "pp",
    "cuMemPoolDestroy": "p", "cuMemPoolGetAttribute": "pip", "cuMemPoolSetAttribute": "pip", "cuMemPoolTrimTo": "pz",
    "cuMemPoolSetAccess": "ppz", "cuMemPoolGetAccess": "ppp", "cuDeviceGetDefaultMemPool": "pi",
    "cuDeviceGetMemPool": "pi", "cuDeviceSetMemPool": "ip",
    "cuMemCreate": "pzpq", "cuMemRelease": "q", "cuMemAddressReserve": "pzzdq", "cuMemAddressFree": "dz",
    "cuMemMap": "dzzqq", "cuMemUnmap": "dz", "cuMemSetAccess": "dzpz", "cuMemGetAccess": "ppd",
    "cuMemGetAllocationGranularity": "ppi", "cuMemRetainAllocationHandle": "pp",
    "cuMemGetAllocationPropertiesFromHandle": "pq",
    "cuModuleLoadData": "pp", "cuModuleLoad": "pp", "cuModuleGetFunction": "ppp", "cuModuleUnload": "p",
    "cuModuleGetGlobal_v2": "pppp", "cuLibraryLoadData": "ppppuppu", "cuLibraryGetKernel": "ppp",
    "cuLibraryUnload": "p",
    "cuKernelGetFunction": "pp", "cuFuncGetAttribute": "pip", "cuFuncSetAttribute": "pii", "cuFuncGetName": "pp",
    "cuLaunchKernel": "puuuuuuuppp", "cuLaunchKernelEx": "pppp", "cuLaunchCooperativeKernel": "puuuuuuupp",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": "ppiz", "cuOccupancyMaxPotentialBlockSize": "ppppzi",
    "cuOccupancyAvailableDynamicSMemPerBlock": "ppii",
    "cuGetErrorName": "ip", "cuGetErrorString": "ip", "cuGetProcAddress": "ppiq", "cuGetProcAddress_v2": "ppiqp",
    "cuGetExportTable": "pp", "cuTensorMapEncodeTiled": "",
    "cuLinkCreate_v2": "uppp", "cuLinkAddData_v2": "pipzpupp", "cuLinkAddFile_v2": "pipupp", "cuLinkComplete": "ppp",
    "cuLinkDestroy": "p",
    "cuGraphCreate": "pu", "cuGraphDestroy": "p", "cuGraphClone": "pp", "cuGraphGetNodes": "ppp",
    "cuGraphGetRootNodes": "ppp",
    "cuGraphAddDependencies": "pppz", "cuGraphNodeGetType": "pp", "cuGraphAddKernelNode_v2": "pppzp",
    "cuGraphAddMemcpyNode": "pppzpp", "cuGraphAddMemsetNode": "pppzpp", "cuGraphAddHostNode": "pppzp",
    "cuGraphAddEmptyNode": "pppz", "cuGraphAddChildGraphNode": "pppzp", "cuGraphChildGraphNodeGetGraph": "pp",
    "cuGraphInstantiateWithFlags": "ppq", "cuGraphInstantiate_v2": "ppppz", "cuGraphExecDestroy": "p",
    "cuGraphLaunch": "pp",
    "cuGraphUpload": "pp", "cuGraphExecUpdate_v2": "ppp", "cuGraphNodeSetEnabled": "ppu",
    "cuGraphNodeGetEnabled": "ppp",
    "cuGraphExecKernelNodeSetParams_v2": "ppp", "cuGraphExecMemcpyNodeSetParams": "pppp",
    "cuGraphExecMemsetNodeSetParams": "pppp", "cuGraphExecHostNodeSetParams": "ppp",
    "cuGraphExecChildGraphNodeSetParams": "ppp",
    "cuStreamBeginCapture_v2": "pi", "cuStreamEndCapture": "pp", "cuStreamBeginCaptureToGraph": "ppppzi",
    "cuStreamGetCaptureInfo_v2": "pppppp",
}
TYPES = {
    "p": c_void_p, "d": c_uint64, "z": c_size_t, "u": c_uint, "i": c_int, "q": c_uint64, "B": ctypes.c_ubyte,
    "H": ctypes.c_ushort,
}

class Driver:
    "The driver's functions; each answers with the name of its CUresult, less what all names begin with."
    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
    def __getattr__(self, name):
        function = getattr(self._library, name)
        function.argtypes = [TYPES[letter] for letter in SIGNATURES[name]]
        def call(*arguments):
            return result_name(function(*arguments))
        setattr(self, name, call)
        return call

NAMES = {}

def result_name(result):
    if result not in NAMES:
        text = c_char_p()
        assert ctypes.CDLL("libcuda.so.1").cuGetErrorName(result, byref(text)) == 0
        NAMES[result] = text.value.decode().replace("CUDA_", "").replace("ERROR_", "")
    return NAMES[result]

cu = Driver()

def ok(result):
    assert result == "SUCCESS", result

def start(device=0):
    "The device's primary context, current in this thread."
    ok(cu.cuInit(0))
    context = c_void_p()
    ok(cu.cuDevicePrimaryCtxRetain(byref(context), device))
    ok(cu.cuCtxSetCurrent(context))
    return context

def alloc(size):
    address = c_uint64()
    result = cu.cuMemAlloc_v2(byref(address), size)
    return address.value if result == "SUCCESS" else result

def info():
    left, total = c_size_t(), c_size_t()
    ok(cu.cuMemGetInfo_v2(byref(left), byref(total)))
    return left.value, total.value

def stream(flags=1):
    handle = c_void_p()
    ok(cu.cuStreamCreate(byref(handle), flags))
    return handle

def event(flags=0):
    handle = c_void_p()
    ok(cu.cuEventCreate(byref(handle), flags))
    return handle

def read(address, size):
    buffer = ctypes.create_string_buffer(size)
    ok(cu.cuMemcpyDtoH_v2(buffer, address, size))
    return buffer.raw

HOST_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
"""


def run(code: str, folder: Path, **more: Any) -> cuda_programs.Done:
    """Runs code as cuda_programs.run does, after `DRIVER`, which defines the driver's functions."""
    return cuda_programs.run(DRIVER + code, folder, **more)
