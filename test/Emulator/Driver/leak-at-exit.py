# RUN: env TC_EMU_CHECKS=all %python %s %tc_libs/libtc-cuda-emulator.so 2>&1 | FileCheck %s
# A process that ends with memory it has not freed hears of it, and ends as it would have.
import ctypes
import sys

driver = ctypes.CDLL(sys.argv[1])
device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
status = driver.cuInit(0)
status = status or driver.cuDeviceGet(ctypes.byref(device), 0)
status = status or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
status = status or driver.cuCtxSetCurrent(context)
status = status or driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(64))
graph, executable, gone = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
status = status or driver.cuGraphCreate(ctypes.byref(gone), 0)
status = status or driver.cuGraphCreate(ctypes.byref(graph), 0)
status = status or driver.cuGraphInstantiateWithFlags(
    ctypes.byref(executable), graph, ctypes.c_uint64()
)
status = status or driver.cuGraphDestroy(gone)
# CHECK-NOT: terminate
# CHECK: leak: allocation 1, 64 bytes at 0x{{[0-9a-f]+}}, was never freed
# CHECK-NEXT: leak: graph 2 was never destroyed
# CHECK-NEXT: leak: executable of graph 2 was never destroyed
# CHECK-NOT: leak
sys.exit(status)
