// RUN: tc-opt %s --tc-schedule="chip=sm_90a explain=1" -o /dev/null 2>&1 | FileCheck %s

// What the cost model predicts for the schedule that was written, with every term, and
// for the best that it knows.
func.func @f(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) {
  tc.contract (i = 512, j = 512, k = 512)
    ins(%A[i, k] : memref<512x512xf32>, %B[k, j] : memref<512x512xf32>)
    outs(%C[i, j] : memref<512x512xf32>) overwrite
    {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4], step = [k = 16], kernel = fma>}
  return
}

// CHECK: remark: carried out: #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4], step = [k = 16], stage = [{{.*}}], kernel = fma>
// CHECK-NEXT: predicted {{[0-9.]+}} us on sm_90a, at least {{[0-9.]+}} us by shared
// CHECK-NEXT: issue {{.*}} us = {{[0-9]+}} / {{.*}} a second
// CHECK-NEXT: f32 {{.*}} us = 134217728 / 3.345E+13 a second
// CHECK-NEXT: integer
// CHECK-NEXT: memory
// CHECK-NEXT: shared {{.*}} us = 1703936 / 2.614E+11 a second
// CHECK-NEXT: l2 {{.*}} us = 17825792 /
// CHECK-NEXT: dram {{.*}} us = 3145728 /
// CHECK-NEXT: launch 3.00 us
// CHECK-NEXT: a block every {{[0-9]+}} cycles of a multiprocessor: arithmetic {{[0-9]+}} load/store {{[0-9]+}} l2 {{[0-9]+}} dram {{[0-9]+}} latency {{[0-9]+}}
// CHECK-NEXT: blocks 64 of 256 threads, 32 steps each; 0.24 waves, tail 2.062, useful share 1.000
// CHECK-NEXT: 88 registers a thread, 8192 bytes of shared memory; 2 blocks a multiprocessor, occupancy 0.25, limited by registers
// CHECK-NEXT: sectors: 524288 loaded, 32768 stored; wavefronts: 131072 filling, 1572864 reading
// CHECK-NEXT: slots: 4194304 arithmetic, 1310720 reads, {{[0-9]+}} copies, {{[0-9]+}} loop, {{[0-9]+}} write-back
// CHECK: remark: best 1: #tc.schedule<
// CHECK-NEXT: predicted
// CHECK-NOT: remark: best 2
