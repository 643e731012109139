// What a tuning file has for a contraction comes before the search, whatever its
// iterators are called; what it has for another chip, another contraction or another
// version does not, nor what is illegal. A schedule that is there stays.
//
// RUN: split-file %s %t
// RUN: tc-opt %t/f.mlir --tc-schedule="chip=sm_90a tuning=%t/tuning.json" | FileCheck %s
// RUN: tc-opt %t/f.mlir --tc-schedule="chip=sm_80 tuning=%t/tuning.json" \
// RUN:   | FileCheck --check-prefix=OTHER %s
// RUN: tc-opt %t/f.mlir --tc-schedule="chip=sm_90a tuning=%t/illegal.json" \
// RUN:   --remarks-filter=tc-schedule -o /dev/null 2>&1 \
// RUN:   | FileCheck --check-prefix=ILLEGAL %s
//
// RUN: not tc-opt %t/f.mlir --tc-schedule="tuning=%t/none.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=NONE %s
// RUN: not tc-opt %t/f.mlir --tc-schedule="tuning=%t/f.mlir" 2>&1 \
// RUN:   | FileCheck --check-prefix=TEXT %s
// RUN: not tc-opt %t/f.mlir --tc-schedule="tuning=%t/format.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=FORMAT %s
// RUN: not tc-opt %t/f.mlir --tc-schedule="tuning=%t/entry.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=ENTRY %s
// RUN: not tc-opt %t/f.mlir --tc-schedule="chip=sm_90a tuning=%t/names.json" 2>&1 \
// RUN:   | FileCheck --check-prefix=NAMES %s
//
// CHECK-LABEL: @tuned
// CHECK: schedule = #tc.schedule<thread = [x = 25, y = 4], step = [z = 12], {{.*}}kernel = fma>
// CHECK-LABEL: @written
// CHECK: schedule = #tc.schedule<thread = [i = 5, j = 4], step = [k = 6], {{.*}}kernel = fma>
// CHECK-LABEL: @other_layout
// CHECK-NOT: schedule = #tc.schedule<thread = [i = 25, j = 4], step = [k = 12], {{.*}}kernel = fma>
// CHECK-LABEL: @largest
// CHECK-NOT: schedule = #tc.schedule<thread = [i = 25, j = 4], step = [k = 12], {{.*}}kernel = fma>
//
// OTHER-LABEL: @tuned
// OTHER-NOT: schedule = #tc.schedule<thread = [x = 25, y = 4], step = [z = 12], kernel = fma>
//
// ILLEGAL: remark: [Missed] Tuned
// ILLEGAL-SAME: the schedule of the tuning file is illegal: expected at most 1024 threads
//
// NONE: error: tuning file '{{.*}}none.json': expected a file that can be read
// TEXT: error: tuning file '{{.*}}f.mlir': expected JSON
// FORMAT: error: tuning file '{{.*}}format.json': expected a member 'format'
// ENTRY: error: tuning file '{{.*}}entry.json': entries[0]: expected a member 'version'
// NAMES: error: 'tc.contract' op tuning file: expected a '#tc.schedule<...>' of the iterators i0 to i2, got '#tc.schedule<thread = [i = 25]

//--- f.mlir
func.func @tuned(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (x = 100, y = 80, z = 48)
    ins(%A[x, z] : memref<100x48xf32>, %B[z, y] : memref<48x80xf32>)
    outs(%C[x, y] : memref<100x80xf32>) overwrite
  return
}
func.func @written(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[k, j] : memref<48x80xf32>)
    outs(%C[i, j] : memref<100x80xf32>) overwrite
    {schedule = #tc.schedule<thread = [i = 5, j = 4], step = [k = 6], kernel = fma>}
  return
}
func.func @other_layout(%A: memref<100x48xf32>, %B: memref<80x48xf32>, %C: memref<100x80xf32>) {
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[j, k] : memref<80x48xf32>)
    outs(%C[i, j] : memref<100x80xf32>) overwrite
  return
}
func.func @largest(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[k, j] : memref<48x80xf32>)
    outs(%C[i, j] : memref<100x80xf32>) overwrite neutral(0xFF800000 : f32)
    combine associative commutative (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      tc.yield %m : f32
    }
  return
}

//--- tuning.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_90a", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 0, "schedule": "old"},
  {"machine": "sm_90a", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.schedule<thread = [i0 = 25, i1 = 4], step = [i2 = 12], kernel = fma>"}
]}

//--- illegal.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_90a", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.schedule<thread = [i0 = 100, i1 = 80], kernel = fma>"}
]}

//--- names.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_90a", "contraction": "100,80,48+ f32<48,0,1> f32<0,1,80> -> f32<80,1,0> overwrite", "version": 1, "schedule": "#tc.schedule<thread = [i = 25], kernel = fma>"}
]}

//--- format.json
{"entries": []}

//--- entry.json
{"format": "tc-tuning", "entries": [{"machine": "sm_90a"}]}
