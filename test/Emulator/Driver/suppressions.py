# RUN: rm -f %t.* && %python %s write %t.ptx
# RUN: env TC_EMU_WRITE_SUPPRESSIONS=%t.known TC_EMU_CHECKS=all %python %s run %tc_libs/libtc-cuda-emulator.so \
# RUN:   %t.ptx 2>&1 | FileCheck %s
# RUN: FileCheck --check-prefix=WRITTEN %s < %t.known
# RUN: env TC_EMU_SUPPRESSIONS=%t.known TC_EMU_CHECKS=all %python %s run %tc_libs/libtc-cuda-emulator.so \
# RUN:   %t.ptx 2>&1 | FileCheck --check-prefix=KNOWN %s
# RUN: echo "races *" > %t.bad
# RUN: env TC_EMU_SUPPRESSIONS=%t.bad TC_EMU_LOG=calls %python %s run %tc_libs/libtc-cuda-emulator.so \
# RUN:   %t.ptx 2>&1 | FileCheck --check-prefix=BAD %s
# RUN: env TC_EMU_KERNELS=other TC_EMU_CHECKS=all,-leaks %python %s run %tc_libs/libtc-cuda-emulator.so \
# RUN:   %t.ptx 2>&1 | FileCheck --check-prefix=OTHER %s
# Suppressions are written for what was found, and then nothing is found; the checks that are not
# of every launch can be for some kernels.
#
# CHECK: kernel 'racing', {{.*}}race: {{.*}} (31 times)
# CHECK: status 719
# CHECK: leak: allocation 1
# WRITTEN: leak *
# WRITTEN-NEXT: race racing 6
# KNOWN-NOT: race:
# KNOWN: status 0
# KNOWN-NOT: leak:
# KNOWN: suppressed 1 finding by {{.*}}:1 (`leak *`)
# KNOWN-NEXT: suppressed 1 finding by {{.*}}:2 (`race racing 6`)
# BAD: TC_EMU_SUPPRESSIONS: expected a file of suppressions: {{.*}}:1: expected a class of findings or '*', got 'races'
# OTHER-NOT: race:
# OTHER: status 0
import ctypes
import sys

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry racing(.param .u64 p) { .reg .b64 %q1; .reg .b32 %i<3>; .reg .pred %p1;
ld.param.u64 %q1, [p]; mov.u32 %i1, %ctaid.x; mov.u32 %i2, %tid.x;
st.global.u32 [%q1], %i1;
ret; }
"""

if sys.argv[1] == "write":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(PTX)
    sys.exit()

driver = ctypes.CDLL(sys.argv[2])
device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
with open(sys.argv[3], "rb") as file:
    text = file.read()
status = driver.cuInit(0)
status = status or driver.cuDeviceGet(ctypes.byref(device), 0)
status = status or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
status = status or driver.cuCtxSetCurrent(context)
status = status or driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(64))
status = status or driver.cuModuleLoadData(ctypes.byref(module), text)
status = status or driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"racing")
arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
status = status or driver.cuLaunchKernel(kernel, 32, 1, 1, 1, 1, 1, 0, None, arguments, None)
status = status or driver.cuCtxSynchronize()
print("status", status, flush=True)
