// A table whose elements all threads read alike is in constant memory, once for all kernels of a
// function; one that each thread reads in a place of its own is in the module's global memory.
//
// RUN: tc-compile %s --name=smooth --emit=ptx --remarks 2>&1 | FileCheck %s
// CHECK-DAG: remark: {{.*}}'taps', 64 bytes, is in constant memory
// CHECK-DAG: remark: {{.*}}'curve' is in global memory: where threads read depends on the thread
// CHECK-DAG: .const .align 256 .b8 taps[64]
// CHECK-DAG: .global .align 256 .b8 curve[32]
// CHECK: ld.const.b32
// CHECK: ld.global.nc.b32
//
// RUN: tc-compile %s --name=smooth --emit=ptx | grep -c '\.b8 taps' | FileCheck %s --check-prefix=ONCE
// ONCE: {{^}}1{{$}}
//
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); np.save('%t.x.npy', r.random(1024, 'f'))"
// RUN: %python -c "import numpy as np; np.save('%t.n.npy', np.int64(12)); np.save('%t.y.npy', np.zeros((2, 960), 'f'))"
// RUN: tc-run %s --name=smooth --device=emulator --checks=all --verify --inputs=%t.x.npy,%t.y.npy,%t.n.npy \
// RUN:   | FileCheck %s --check-prefix=RUN-OF
// RUN-OF: verified

memref.global "private" constant @taps : memref<16xf32> = dense<[0.01, 0.02, 0.03, 0.04, 0.05, 0.06,
    0.07, 0.08, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01]>
memref.global "private" constant @curve : memref<8xf32> = dense<[1.0, 2.0, 4.0, 8.0, 8.0, 4.0, 2.0, 1.0]>

func.func @smooth(%x: memref<1024xf32>, %y: memref<2x960xf32>, %n: index) {
  %taps = memref.get_global @taps : memref<16xf32>
  %curve = memref.get_global @curve : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tc.par device (%i) = (0) to (960) {
    %place = arith.remui %i, %c8 : index
    %first = memref.load %curve[%place] : memref<8xf32>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%before = %first) -> f32 {
      %a = memref.load %taps[%k] : memref<16xf32>
      %j = arith.addi %i, %k : index
      %b = memref.load %x[%j] : memref<1024xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %before, %p : f32
      %v = math.absf %s : f32
      scf.yield %v : f32
    }
    memref.store %sum, %y[%c0, %i] : memref<2x960xf32>
  }
  // Each element of the second row depends on others of the first one.
  tc.par device (%i) = (0) to (900) {
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%before = %zero) -> f32 {
      %a = memref.load %taps[%k] : memref<16xf32>
      %j = arith.addi %i, %k : index
      %b = memref.load %y[%c0, %j] : memref<2x960xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %before, %p : f32
      %v = math.absf %s : f32
      scf.yield %v : f32
    }
    memref.store %sum, %y[%c1, %i] : memref<2x960xf32>
  }
  return
}
