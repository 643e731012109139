// tc-normalize: one stride per iterator and operand, whatever the subscripts and layouts.
//
// RUN: tc-opt %s --tc-normalize | FileCheck %s
//
// Twice is once.
// RUN: tc-opt %s --tc-normalize > %t.once
// RUN: tc-opt %t.once --tc-normalize | diff %t.once -

// A normal contraction is left as it is.
// CHECK-LABEL: @normal(
// CHECK-SAME: %[[A:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]: {{[^,]*}}, %[[C:[^:]*]]: {{[^,]*}})
// CHECK-NEXT: tc.contract (i = 4, j = 6, q = 5)
// CHECK-SAME: ins(%[[A]][i, q] : memref<4x5xf32>, %[[B]][q, j] : memref<5x6xf32>)
// CHECK-SAME: outs(%[[C]][i, j] : memref<4x6xf32>)
// CHECK-NEXT: return
func.func @normal(%A: memref<4x5xf32>, %B: memref<5x6xf32>, %C: memref<4x6xf32>) {
  tc.contract (i = 4, j = 6, q = 5)
      ins(%A[i, q] : memref<4x5xf32>, %B[q, j] : memref<5x6xf32>)
      outs(%C[i, j] : memref<4x6xf32>)
  return
}

// Dimensions of a view are in memory order, the largest stride first.
// CHECK-LABEL: @permuted(
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [5, 4], strides = [4, 1]>
// CHECK-SAME: to memref<5x4xf64>
// CHECK: tc.contract (i = 4, j = 6, q = 5) ins(%{{.*}}[q, i] : {{.*}}, %{{.*}}[j, q] : {{.*}}) outs(%{{.*}}[j, i] :
func.func @permuted(%A: memref<4x5xf64, strided<[1, 4]>>, %B: memref<6x5xf64>, %C: memref<6x4xf64>) {
  tc.contract (i = 4, j = 6, q = 5)
      ins(%A[i, q] : memref<4x5xf64, strided<[1, 4]>>, %B[j, q] : memref<6x5xf64>)
      outs(%C[j, i] : memref<6x4xf64>)
  return
}

// A batch iterator is one that every operand varies with; r is summed in B alone, and
// the result is broadcast along k.
// CHECK-LABEL: @classes(
// CHECK: tc.contract (b = 2, i = 4, j = 6, k = 7, q = 5, r = 3)
// CHECK-SAME: ins(%{{.*}}[b, i, q] : {{.*}}, %{{.*}}[b, q, j, r] : {{.*}}) outs(%{{.*}}[b, i, j, k] :
func.func @classes(%A: memref<2x4x5xf32>, %B: memref<2x5x6x3xf32>, %C: memref<2x4x6x7xf32>) {
  tc.contract (b = 2, i = 4, j = 6, k = 7, q = 5, r = 3)
      ins(%A[b, i, q] : memref<2x4x5xf32>, %B[b, q, j, r] : memref<2x5x6x3xf32>)
      outs(%C[b, i, j, k] : memref<2x4x6x7xf32>)
  return
}

// q and r are one iterator in both inputs, and i and j in all that vary with them.
// CHECK-LABEL: @merged(
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [8, 15], strides = [15, 1]>
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [15, 6], strides = [6, 1]>
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [8, 6], strides = [6, 1]>
// CHECK: tc.contract (ij = 8, k = 6, qr = 15)
// CHECK-SAME: ins(%{{.*}}[ij, qr] : {{.*}}, %{{.*}}[qr, k] : {{.*}}) outs(%{{.*}}[ij, k] :
func.func @merged(%A: memref<2x4x3x5xf32>, %B: memref<3x5x6xf32>, %C: memref<2x4x6xf32>) {
  tc.contract (i = 2, j = 4, k = 6, q = 3, r = 5)
      ins(%A[i, j, q, r] : memref<2x4x3x5xf32>, %B[q, r, k] : memref<3x5x6xf32>)
      outs(%C[i, j, k] : memref<2x4x6xf32>)
  return
}

// The outer one of a pair may be written last: what counts is the strides.
// CHECK-LABEL: @merged_backwards(
// CHECK: tc.contract (ij = 8) ins(%{{.*}}[ij] : {{.*}}) outs(%{{.*}}[ij] :
func.func @merged_backwards(%A: memref<2x4xf32>, %C: memref<2x4xf32>) {
  tc.contract (j = 4, i = 2) ins(%A[i, j] : memref<2x4xf32>) outs(%C[i, j] : memref<2x4xf32>)
  return
}

// Not one iterator: B steps through r before q; a result and a contracted iterator.
// CHECK-LABEL: @not_merged(
// CHECK: tc.contract (k = 6, q = 3, r = 5)
// CHECK: tc.contract (i = 4, q = 5)
func.func @not_merged(%A: memref<3x5xf32>, %B: memref<5x3x6xf32>, %C: memref<6xf32>,
                      %D: memref<4x5xf32>, %E: memref<4xf32>) {
  tc.contract (k = 6, q = 3, r = 5)
      ins(%A[q, r] : memref<3x5xf32>, %B[r, q, k] : memref<5x3x6xf32>)
      outs(%C[k] : memref<6xf32>)
  tc.contract (i = 4, q = 5) ins(%D[i, q] : memref<4x5xf32>) outs(%E[i] : memref<4xf32>)
  return
}

// The merged name must be new.
// CHECK-LABEL: @merged_name(
// CHECK: tc.contract (ij_ = 8, ij = 5)
func.func @merged_name(%A: memref<2x4xf32>, %B: memref<5xf32>, %C: memref<5x2x4xf32>) {
  tc.contract (i = 2, j = 4, ij = 5)
      ins(%A[i, j] : memref<2x4xf32>, %B[ij] : memref<5xf32>) outs(%C[ij, i, j] : memref<5x2x4xf32>)
  return
}

// A diagonal is the sum of the strides.
// CHECK-LABEL: @diagonal(
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [8], strides = [9]> : memref<8x8xf32> to memref<8xf32, strided<[9]>>
// CHECK: tc.contract (q = 8) ins(%{{.*}}[q] : {{.*}}) outs(%{{.*}}[] : memref<f32>)
func.func @diagonal(%A: memref<8x8xf32>, %C: memref<f32>) {
  tc.contract (q = 8) ins(%A[q, q] : memref<8x8xf32>) outs(%C[] : memref<f32>)
  return
}

// A window is two iterators on one dimension of the operand; strides may be equal.
// CHECK-LABEL: @window(
// CHECK: tc.view %{{.*}} <offset = 1, sizes = [6, 3], strides = [2, 1]> : memref<14xf32> to memref<6x3xf32, strided<[2, 1], offset: 1>>
// CHECK: tc.contract (i = 6, w = 3) ins(%{{.*}}[i, w] : {{.*}}, %{{.*}}[w] : {{.*}}) outs(%{{.*}}[i] :
func.func @window(%A: memref<14xf32>, %F: memref<3xf32>, %C: memref<6xf32>) {
  tc.contract (i = 6, w = 3)
      ins(%A[2 * i + w + 1] : memref<14xf32>, %F[w] : memref<3xf32>) outs(%C[i] : memref<6xf32>)
  return
}

// Reversed by a subscript, and by a layout of negative strides.
// CHECK-LABEL: @reversed(
// CHECK: tc.view %{{.*}} <offset = 7, sizes = [8], strides = [-1]> : memref<8xf32> to memref<8xf32, strided<[-1], offset: 7>>
// CHECK: tc.contract (i = 8) ins(%{{.*}}[i] : {{.*}}, %{{.*}}[i] : memref<8xf32, strided<[-2], offset: 14>>)
func.func @reversed(%A: memref<8xf32>, %B: memref<8xf32, strided<[-2], offset: 14>>, %C: memref<8xf32>) {
  tc.contract (i = 8)
      ins(%A[7 - i] : memref<8xf32>, %B[i] : memref<8xf32, strided<[-2], offset: 14>>)
      outs(%C[i] : memref<8xf32>)
  return
}

// A stride of 0 is an iterator the operand does not vary with.
// CHECK-LABEL: @stride_zero(
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [5], strides = [1]> : memref<4x5xf32, strided<[0, 1]>> to memref<5xf32>
// CHECK: tc.contract (i = 4, q = 5) ins(%{{.*}}[q] : {{.*}}) outs(%{{.*}}[i] :
func.func @stride_zero(%A: memref<4x5xf32, strided<[0, 1]>>, %C: memref<4xf32>) {
  tc.contract (i = 4, q = 5) ins(%A[i, q] : memref<4x5xf32, strided<[0, 1]>>) outs(%C[i] : memref<4xf32>)
  return
}

// Iterators of extent 1 go away, down to none.
// CHECK-LABEL: @units(
// CHECK: tc.view %{{.*}} <offset = 3, sizes = [5], strides = [1]> : memref<1x8xf32> to memref<5xf32, strided<[1], offset: 3>>
// CHECK: tc.contract (q = 5) ins(%{{.*}}[q] : {{.*}}) outs(%{{.*}}[] : memref<f32>)
// CHECK: tc.contract () ins(%{{.*}}[] : memref<f32, strided<[], offset: 2>>) outs(%{{.*}}[] : memref<f32>)
// CHECK: tc.contract () ins(%{{.*}}[] : memref<f32>) outs(%{{.*}}[] : memref<f32>) overwrite
func.func @units(%A: memref<1x8xf32>, %C: memref<1xf32>, %x: memref<f32>, %y: memref<f32>) {
  tc.contract (u = 1, i = 1, q = 5) ins(%A[u, q + 3] : memref<1x8xf32>) outs(%C[i] : memref<1xf32>)
  tc.contract (u = 1) ins(%A[u, u + 2] : memref<1x8xf32>) outs(%C[u] : memref<1xf32>)
  tc.contract () ins(%x[] : memref<f32>) outs(%y[] : memref<f32>) overwrite
  return
}

// Nothing to compute is nothing: no results, or nothing to add to them. Results that are
// to start from the neutral element are still written.
// CHECK-LABEL: @no_results(
// CHECK-NEXT: return
func.func @no_results(%A: memref<0x4xf32>, %C: memref<0xf32>) {
  tc.contract (i = 0, q = 4) ins(%A[i, q] : memref<0x4xf32>) outs(%C[i] : memref<0xf32>) overwrite
  return
}

// A static size of 0 of one result says what the extent is, of all.
// CHECK-LABEL: @no_second_result(
// CHECK-NOT: tc.contract
// CHECK: return
func.func @no_second_result(%A: memref<?x9xf32>, %C: memref<?x9xf32>, %D: memref<0x9xf32>, %n: index) {
  tc.contract (a = %n, b = 9) ins(%A[a, b] : memref<?x9xf32>)
      outs(%C[a, b] : memref<?x9xf32>, %D[a, b] : memref<0x9xf32>) map (%x: f32) {
    tc.yield %x, %x : f32, f32
  }
  return
}

// CHECK-LABEL: @no_terms(
// CHECK: tc.contract (i = 4, q = 0) ins({{.*}}) outs(%{{.*}}[i] : memref<4xf32>) overwrite
// CHECK-NOT: tc.contract
func.func @no_terms(%A: memref<4x0xf32>, %C: memref<4xf32>) {
  tc.contract (i = 4, q = 0) ins(%A[i, q] : memref<4x0xf32>) outs(%C[i] : memref<4xf32>) overwrite
  tc.contract (i = 4, q = 0) ins(%A[i, q] : memref<4x0xf32>) outs(%C[i] : memref<4xf32>)
  return
}

// Regions and the neutral element stay.
// CHECK-LABEL: @regions(
// CHECK: tc.contract (i = 4, qr = 15) ins({{.*}}) outs({{.*}}) overwrite neutral(0xFF800000 : f32)
// CHECK-SAME: map (%[[X:.*]]: f32, %[[Y:.*]]: f32) {
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: tc.yield %[[SUM]] : f32
// CHECK-NEXT: } combine associative commutative (%[[ACC:.*]]: f32, %[[V:.*]]: f32) {
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[ACC]], %[[V]] : f32
// CHECK-NEXT: tc.yield %[[MAX]] : f32
func.func @regions(%A: memref<4x1x3x5xf32>, %B: memref<3x5xf32>, %C: memref<4xf32>) {
  tc.contract (i = 4, u = 1, q = 3, r = 5)
      ins(%A[i, u, q, r] : memref<4x1x3x5xf32>, %B[q, r] : memref<3x5xf32>)
      outs(%C[i] : memref<4xf32>) overwrite neutral(0xFF800000 : f32)
      map (%x: f32, %y: f32) {
        %s = arith.addf %x, %y : f32
        tc.yield %s : f32
      } combine associative commutative (%acc: f32, %x: f32) {
        %m = arith.maximumf %acc, %x : f32
        tc.yield %m : f32
      }
  return
}

// A schedule names iterators, so they stay apart; what is gone has no factor.
// CHECK-LABEL: @scheduled(
// CHECK: tc.contract (i = 2, j = 4) ins(%{{.*}}[i, j] : {{.*}}) outs(%{{.*}}[i, j] : {{.*}})
// CHECK-SAME: {schedule = #tc.schedule<thread = [j = 4], register = [i = 2], kernel = fma>}
func.func @scheduled(%A: memref<2x4x1xf32>, %C: memref<2x4x1xf32>) {
  tc.contract (i = 2, j = 4, u = 1) ins(%A[i, j, u] : memref<2x4x1xf32>) outs(%C[i, j, u] : memref<2x4x1xf32>)
      {schedule = #tc.schedule<thread = [j = 4, u = 2], register = [u = 1, i = 2], kernel = fma>}
  return
}

// In loops and branches of the host as anywhere.
// CHECK-LABEL: @host(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tc.contract (ij = 8)
func.func @host(%A: memref<2x4xf32>, %C: memref<2x4xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %s = %c0 to %n step %c1 {
    scf.if %c {
      tc.contract (i = 2, j = 4) ins(%A[i, j] : memref<2x4xf32>) outs(%C[i, j] : memref<2x4xf32>)
    }
  }
  return
}

// Contractions in a nest are tiles already, and tensors have no strides.
// CHECK-LABEL: @left(
// CHECK: tc.contract (i = 2, j = 4, u = 1)
// CHECK: tc.contract (i = 2, j = 4, u = 1) {{.*}} -> tensor<2x4x1xf32>
func.func @left(%A: memref<2x4x1xf32>, %C: memref<2x4x1xf32>, %T: tensor<2x4x1xf32>) -> tensor<2x4x1xf32> {
  tc.par grid (%b) = (0) to (1) {
    tc.contract (i = 2, j = 4, u = 1) ins(%A[i, j, u] : memref<2x4x1xf32>) outs(%C[i, j, u] : memref<2x4x1xf32>)
  }
  %r = tc.contract (i = 2, j = 4, u = 1) ins(%T[i, j, u] : tensor<2x4x1xf32>) outs(%T[i, j, u] : tensor<2x4x1xf32>)
      -> tensor<2x4x1xf32>
  return %r : tensor<2x4x1xf32>
}

// Where nothing is contracted over, an input may have no element to view; it keeps the
// dimension that says so.
// CHECK-LABEL: @no_element(
// CHECK: tc.contract (a = 8, q = 0, b = 8) ins(%arg0[a, q] : memref<8x0xf32, strided<[1, 0]>>, %arg1[q, b, a] : memref<0x8x8xf32>)
func.func @no_element(%A: memref<8x0xf32, strided<[1, 0]>>, %B: memref<0x8x8xf32>, %C: memref<8x8xf32>) {
  tc.contract (a = 8, q = 0, b = 8) ins(%A[a, q] : memref<8x0xf32, strided<[1, 0]>>, %B[q, b, a] : memref<0x8x8xf32>)
      outs(%C[b, a] : memref<8x8xf32>) overwrite
  return
}
