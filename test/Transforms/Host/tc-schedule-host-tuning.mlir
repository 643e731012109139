// What a tuning file has for a contraction on a CPU comes before the pass's own choice,
// whatever its iterators are called; what it has for another CPU does not, nor what does
// not fit. A schedule that is there stays.
//
// RUN: split-file %s %t
// RUN: tc-opt %t/f.mlir --tc-schedule-host="cpu=znver4 tuning=%t/tuning.json" | FileCheck %s
// RUN: tc-opt %t/f.mlir --tc-schedule-host="cpu=x86-64-v3 tuning=%t/tuning.json" \
// RUN:   | FileCheck --check-prefix=OTHER %s
// RUN: tc-opt %t/f.mlir --tc-schedule-host="cpu=x86-64-v4 tuning=%t/tuning.json" \
// RUN:   --remarks-filter=tc-schedule-host -o %t/unfit.mlir 2>&1 \
// RUN:   | FileCheck --check-prefix=UNFIT %s
// RUN: FileCheck --check-prefix=OTHER %s < %t/unfit.mlir
// RUN: not tc-opt %t/f.mlir --tc-schedule-host="tuning=%t/none.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=NONE %s
// RUN: not tc-opt %t/f.mlir --tc-schedule-host="cpu=gpu tuning=%t/tuning.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=KIND %s
// RUN: tc-opt %t/f.mlir --tc-schedule-host="explain=3" -o /dev/null 2>&1 \
// RUN:   | FileCheck --check-prefix=EXPLAIN %s
//
// CHECK-LABEL: @tuned
// CHECK: rows = [x], columns = [y], sums = [z], vector = 8, tile = [2, 16]
// CHECK-LABEL: @written
// CHECK: tile = [6, 8]
//
// OTHER-LABEL: @tuned
// OTHER: rows = [x], columns = [y], sums = [z], vector = 4,
//
// UNFIT: remark: [Missed] Tuned
// UNFIT-SAME: the schedule of the tuning file does not fit: expected all iterators, got no 'z'
// NONE: error: tuning file '{{.*}}none.json': expected a file that can be read
// KIND: error: 'tc.contract' op tuning file: expected a '#tc.host_schedule<...>' of the iterators i0 to i2, got '#tc.schedule<kernel = fma>'
//
// EXPLAIN: f.mlir:2:3: remark: contraction: 100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite
// EXPLAIN-NEXT: version: 1
// EXPLAIN-NEXT: schedule 1: #tc.host_schedule<rows = [i0], columns = [i1], sums = [i2],
// EXPLAIN-NEXT: schedule 2: #tc.host_schedule<
// EXPLAIN-NEXT: schedule 3: #tc.host_schedule<
// EXPLAIN-NOT: schedule 4

//--- f.mlir
func.func @tuned(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (x = 100, y = 80, z = 48)
    ins(%A[x, z] : memref<100x48xf32>, %B[z, y] : memref<48x80xf32>)
    outs(%C[x, y] : memref<100x80xf32>) overwrite
  return
}
func.func @written(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (x = 100, y = 80, z = 48)
    ins(%A[x, z] : memref<100x48xf32>, %B[z, y] : memref<48x80xf32>)
    outs(%C[x, y] : memref<100x80xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [x], columns = [y], sums = [z], vector = 8, tile = [6, 8], block = [102, 80, 48],
        task = 102, rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

//--- tuning.json
{"format": "tc-tuning", "entries": [
  {"machine": "znver4", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.host_schedule<rows = [i0], columns = [i1], sums = [i2], vector = 8, tile = [2, 16], block = [100, 80, 48], task = 100, rows_from = panels, columns_from = panels, tasks = blocks>"},
  {"machine": "x86-64-v4", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.host_schedule<rows = [i0], columns = [i1], vector = 8, tile = [2, 16], block = [100, 80, 48], task = 100, rows_from = panels, columns_from = panels, tasks = blocks>"},
  {"machine": "gpu", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.schedule<kernel = fma>"}
]}
