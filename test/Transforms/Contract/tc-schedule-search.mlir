// RUN: tc-opt %s --tc-schedule="chip=sm_90a explain=1" --split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// What the search chooses is what it finds best.
// REMARK: remark: carried out: [[BEST:#tc.schedule<.*>]]
// REMARK: remark: best 1: [[BEST]]
// CHECK-LABEL: @product
// CHECK: schedule = #tc.schedule<
func.func @product(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[k, j] : memref<48x80xf32>)
    outs(%C[i, j] : memref<100x80xf32>)
  return
}

// -----

// A schedule that was written stays.
// REMARK: remark: carried out: #tc.schedule<thread = [i = 4], stage = [in_place], kernel = fma>
// CHECK-LABEL: @kept
// CHECK: tc.contract {{.*}}schedule = #tc.schedule<thread = [i = 4], stage = [in_place], kernel = fma>
func.func @kept(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>) overwrite
    {schedule = #tc.schedule<thread = [i = 4], kernel = fma>}
  return
}

// -----

// Of dynamic extents, and of several contractions in one kernel, no time is told; they
// are searched all the same.
// REMARK: remark: nothing is predicted for several contractions in one kernel, and for extents that are empty or dynamic
// CHECK-LABEL: @dynamic
// CHECK: tc.contract {{.*}}schedule = #tc.schedule<
func.func @dynamic(%A: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  tc.contract (i = %n) ins(%A[i] : memref<?xf32>) outs(%C[i] : memref<?xf32>) overwrite
  return
}

// -----

// REMARK: remark: nothing is predicted
// CHECK-LABEL: @sum
// CHECK: tc.sum
// CHECK: schedule = #tc.schedule<
// CHECK: schedule = #tc.schedule<
func.func @sum(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.sum {
    tc.contract (i = 64, j = 64, k = 64) ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>) overwrite
    tc.contract (i = 64, j = 64, k = 64) ins(%A[k, i] : memref<64x64xf32>, %B[j, k] : memref<64x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>)
  }
  return
}

// -----

// One result, or a few, and a long sum: parts for most multiprocessors.
// REMARK: remark: carried out: #tc.schedule<{{.*}}split = [q = {{[1-9][0-9]+}}]
// REMARK: combine {{.*}} us, another kernel
// CHECK-LABEL: @dot
// CHECK: split = [q = {{[1-9][0-9]+}}]
func.func @dot(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<f32>) {
  tc.contract (q = 1048576) ins(%x[q] : memref<1048576xf32>, %y[q] : memref<1048576xf32>) outs(%z[] : memref<f32>)
  return
}

// -----

// Nothing divides a prime extent.
// CHECK-LABEL: @prime
// CHECK: split = [q = {{[1-9][0-9]+}}]
func.func @prime(%x: memref<1000003xf32>, %z: memref<f32>) {
  tc.contract (q = 1000003) ins(%x[q] : memref<1000003xf32>) outs(%z[] : memref<f32>)
  return
}

// -----

// A short sum is not worth a second kernel.
// CHECK-LABEL: @short
// CHECK-NOT: split
func.func @short(%x: memref<4096xf32>, %z: memref<f32>) {
  tc.contract (q = 4096) ins(%x[q] : memref<4096xf32>) outs(%z[] : memref<f32>)
  return
}

// -----

// Nor may terms in order be grouped.
// CHECK-LABEL: @order
// CHECK-NOT: split
func.func @order(%x: memref<1048576xf32>, %z: memref<f32>) {
  tc.contract (q = 1048576) ins(%x[q] : memref<1048576xf32>) outs(%z[] : memref<f32>)
      neutral(1.0 : f32)
      combine (%acc: f32, %a: f32) {
        %s = arith.divf %a, %acc : f32
        tc.yield %s : f32
      }
  return
}

// -----

// Of dynamic numbers of results there are several schedules, with larger tiles for more, with sums
// in parts for few of many terms, and without vectors along an extent that is small.
// CHECK-LABEL: @versions
// CHECK: schedule = #tc.schedule<thread = [i = 4, j = 16], register = [i = 16]
// CHECK-SAME: tc.versions = [#tc.version<{{(below = [0-9]+, )?}}from = {{[1-9][0-9]+}}, terms = {{[1-9][0-9]+}}, most = [i = 8], schedule = <{{[^>]*}}vector = [j = 4, k = 2]
// CHECK-SAME: #tc.version<{{(below = [0-9]+, )?}}from = {{[1-9][0-9]+}}, terms = {{[1-9][0-9]+}}, most = [j = 8], schedule = <{{[^>]*}}vector = [k = 4]
// CHECK-SAME: #tc.version<below = {{[0-9]+}}, terms = {{[1-9][0-9]+}}, schedule = <{{[^>]*}}split = [k = {{[1-9][0-9]+}}], stage = [in_place, in_place]
// CHECK-SAME: #tc.version<below = [[FEW:[0-9]+]], schedule = <
// CHECK-SAME: #tc.version<below = [[MORE:[0-9]+]], schedule = <
func.func @versions(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>,
                    %m: index, %n: index, %q: index) {
  tc.contract (i = %m, j = %n, k = %q)
    ins(%A[i, k] : memref<?x?xf32>, %B[k, j] : memref<?x?xf32>)
    outs(%C[i, j] : memref<?x?xf32>)
  return
}

// -----

// A small batch needs no version of its own: few rows and columns do.
// CHECK-LABEL: @batch
// CHECK-NOT: most = [b
// CHECK: most = [i = 8]
// CHECK: most = [j = 8]
// CHECK-NOT: most =
func.func @batch(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %C: memref<?x?x?xf32>,
                 %b: index, %m: index, %n: index, %q: index) {
  tc.contract (b = %b, i = %m, j = %n, k = %q)
    ins(%A[b, i, k] : memref<?x?x?xf32>, %B[b, k, j] : memref<?x?x?xf32>)
    outs(%C[b, i, j] : memref<?x?x?xf32>)
  return
}

// -----

// Nor does an extent of which something is said.
// CHECK-LABEL: @nominal
// CHECK: tc.versions
// CHECK-NOT: most = [i
func.func @nominal(%A: memref<?x1024xf32> {tc.nominal = array<i64: 64, 1024>}, %B: memref<1024x?xf32>,
                   %C: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x1024xf32>
  tc.contract (i = %m, j = %n, k = 1024)
    ins(%A[i, k] : memref<?x1024xf32>, %B[k, j] : memref<1024x?xf32>)
    outs(%C[i, j] : memref<?x?xf32>)
  return
}

// -----

// Not where the best of one size is nearly the best of all.
// CHECK-LABEL: @one_version
// CHECK-NOT: tc.versions
func.func @one_version(%A: memref<?x?xf32>, %C: memref<?x?xf32>, %m: index, %n: index) {
  tc.contract (i = %m, j = %n) ins(%A[i, j] : memref<?x?xf32>) outs(%C[j, i] : memref<?x?xf32>) overwrite
  return
}

// -----

// Sums so long that their elements would lie beyond what can be addressed are not among those
// that schedules are searched for, and nobody hears of it.
// CHECK-LABEL: @far
// CHECK: tc.contract {{.*}} tc.versions = [#tc.version<below = {{[0-9][0-9][0-9]+}}, terms
func.func @far(%A: memref<?x?xf32, strided<[1, 8796093022208]>>, %C: memref<?xf32>, %m: index, %k: index) {
  tc.contract (i = %m, k = %k)
    ins(%A[i, k] : memref<?x?xf32, strided<[1, 8796093022208]>>)
    outs(%C[i] : memref<?xf32>)
  return
}

// -----

// The steps of parts become shorter, too short for the 32 terms of an instruction of
// eight bits.
// CHECK-LABEL: @short_steps
// CHECK: split = [q =
func.func @short_steps(%A: memref<2x2x2xf8E4M3FN>, %B: memref<2xf8E4M3FN>, %C: memref<2x2xf8E4M3FN>,
                       %q: index, %b: index) {
  tc.contract (q = %q, a = 2, b = %b, r = 2)
    ins(%A[q, b, r] : memref<2x2x2xf8E4M3FN>, %B[a] : memref<2xf8E4M3FN>)
    outs(%C[a, b] : memref<2x2xf8E4M3FN>) overwrite
  return
}
