// tc-order: chains of pairs, whatever subscripts, types and results.
//
// RUN: tc-opt %s --tc-order | FileCheck %s
//
// Twice is once.
// RUN: tc-opt %s --tc-order > %t.once
// RUN: tc-opt %t.once --tc-order | diff %t.once -

// The last two first, where that is better; the old result is added to last.
// CHECK-LABEL: @right_first(
// CHECK: %[[T:.*]] = memref.alloc() : memref<5x50xf32>
// CHECK: tc.contract (j = 50, q = 5, r = 100) ins(%{{.*}}[q, r] : {{.*}}, %{{.*}}[r, j] : {{.*}}) outs(%[[T]][q, j] : {{.*}}) overwrite{{$}}
// CHECK: tc.contract (i = 1000, j = 50, q = 5) ins(%{{.*}}[i, q] : {{.*}}, %[[T]][q, j] : {{.*}}) outs(%{{.*}}[i, j] : memref<1000x50xf32>){{$}}
// CHECK: memref.dealloc %[[T]]
// CHECK-NEXT: return
func.func @right_first(%A: memref<1000x5xf32>, %B: memref<5x100xf32>, %C: memref<100x50xf32>, %Z: memref<1000x50xf32>) {
  tc.contract (i = 1000, j = 50, q = 5, r = 100)
      ins(%A[i, q] : memref<1000x5xf32>, %B[q, r] : memref<5x100xf32>, %C[r, j] : memref<100x50xf32>)
      outs(%Z[i, j] : memref<1000x50xf32>)
  return
}

// Both orders take 288 flops; the temporary of the second has 16 elements, not 18.
// CHECK-LABEL: @fewest_bytes(
// CHECK: tc.contract (j = 4, q = 4, r = 3) {{.*}} outs(%{{.*}}[q, j] : memref<4x4xf32>) overwrite
func.func @fewest_bytes(%A: memref<6x4xf32>, %B: memref<4x3xf32>, %C: memref<3x4xf32>, %Z: memref<6x4xf32>) {
  tc.contract (i = 6, j = 4, q = 4, r = 3)
      ins(%A[i, q] : memref<6x4xf32>, %B[q, r] : memref<4x3xf32>, %C[r, j] : memref<3x4xf32>)
      outs(%Z[i, j] : memref<6x4xf32>) overwrite
  return
}

// What one input alone is summed over is summed first, of two inputs too.
// CHECK-LABEL: @summed_alone(
// CHECK: %[[T:.*]] = memref.alloc() : memref<6xf32>
// CHECK: tc.contract (q = 6, r = 5) ins(%{{.*}}[q, r] : memref<6x5xf32>) outs(%[[T]][q] : {{.*}}) overwrite
// CHECK: tc.contract (i = 4, q = 6) ins(%{{.*}}[i, q] : memref<4x6xf32>, %[[T]][q] : {{.*}}) outs
func.func @summed_alone(%A: memref<4x6xf32>, %B: memref<6x5xf32>, %Z: memref<4xf32>) {
  tc.contract (i = 4, q = 6, r = 5)
      ins(%A[i, q] : memref<4x6xf32>, %B[q, r] : memref<6x5xf32>)
      outs(%Z[i] : memref<4xf32>) overwrite
  return
}

// Windows, diagonals and reversals belong to the input that has them.
// CHECK-LABEL: @subscripts(
// CHECK: tc.contract {{.*}} ins(%{{.*}}[w, q, q] : memref<3x8x8xf64>, %{{.*}}[q * -1 + 7, j] : memref<8x5xf64>) outs(%[[T:.*]][w, j] : memref<3x5xf64>) overwrite
// CHECK: tc.contract {{.*}} ins(%{{.*}}[i * 2 + w] : memref<21xf64>, %[[T]][w, j] : {{.*}}) outs(%{{.*}}[i, j] :
func.func @subscripts(%A: memref<21xf64>, %B: memref<3x8x8xf64>, %C: memref<8x5xf64>, %Z: memref<10x5xf64>) {
  tc.contract (i = 10, j = 5, w = 3, q = 8)
      ins(%A[2 * i + w] : memref<21xf64>, %B[w, q, q] : memref<3x8x8xf64>, %C[7 - q, j] : memref<8x5xf64>)
      outs(%Z[i, j] : memref<10x5xf64>) overwrite
  return
}

// Temporaries are of the accumulator's type; sides, epilogue and results stay last.
// CHECK-LABEL: @types(
// CHECK: memref.alloc() : memref<8x4xf32>
// CHECK: tc.contract {{.*}} overwrite{{$}}
// CHECK: tc.contract {{.*}} sides(%{{.*}}[j] : memref<8xf16>) outs(%{{.*}}[i, j] : memref<8x8xf16>) overwrite epilogue
// CHECK: memref.alloc() : memref<8x4xf16>
// CHECK: tc.contract {{.*}} overwrite accumulate(f16){{$}}
// CHECK: tc.contract {{.*}} outs(%{{.*}}[i, j] : memref<8x8xf16>) overwrite accumulate(f16){{$}}
func.func @types(%A: memref<8x8xf16>, %B: memref<8x4xf16>, %C: memref<4x8xf16>, %D: memref<8xf16>, %Z: memref<8x8xf16>) {
  tc.contract (i = 8, j = 8, q = 8, r = 4)
      ins(%A[i, q] : memref<8x8xf16>, %B[q, r] : memref<8x4xf16>, %C[r, j] : memref<4x8xf16>)
      sides(%D[j] : memref<8xf16>)
      outs(%Z[i, j] : memref<8x8xf16>) overwrite
      epilogue (%acc: f32, %bias: f16) {
        %wide = arith.extf %bias : f16 to f32
        %sum = arith.addf %acc, %wide : f32
        %narrow = arith.truncf %sum : f32 to f16
        tc.yield %narrow : f16
      }
  tc.contract (i = 8, j = 8, q = 8, r = 4)
      ins(%A[i, q] : memref<8x8xf16>, %B[q, r] : memref<8x4xf16>, %C[r, j] : memref<4x8xf16>)
      outs(%Z[i, j] : memref<8x8xf16>) overwrite accumulate(f16)
  return
}

// Dynamic extents count as 256.
// CHECK-LABEL: @dynamic(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index
// CHECK: %[[T:.*]] = tensor.empty(%[[N]]) : tensor<?x5xf32>
// CHECK: %[[U:.*]] = tc.contract (i = %[[N]], q = 100, r = 5) {{.*}} outs(%[[T]][i, r] : {{.*}}) overwrite
// CHECK: %[[R:.*]] = tc.contract (i = %[[N]], j = 50, r = 5) ins(%[[U]][i, r] :
// CHECK: return %[[R]]
func.func @dynamic(%n: index, %A: tensor<?x100xf32>, %B: tensor<100x5xf32>, %C: tensor<5x50xf32>, %Z: tensor<?x50xf32>) -> tensor<?x50xf32> {
  %0 = tc.contract (i = %n, j = 50, q = 100, r = 5)
      ins(%A[i, q] : tensor<?x100xf32>, %B[q, r] : tensor<100x5xf32>, %C[r, j] : tensor<5x50xf32>)
      outs(%Z[i, j] : tensor<?x50xf32>) -> tensor<?x50xf32>
  return %0 : tensor<?x50xf32>
}

// Iterators of the result or of no input at all are walked last.
// CHECK-LABEL: @idle(
// CHECK: tc.contract (q = 6, r = 7) {{.*}} overwrite
// CHECK: tc.contract (i = 9, q = 6, s = 3) {{.*}} outs(%{{.*}}[i] : memref<9xi32>){{$}}
func.func @idle(%A: memref<6xi32>, %B: memref<6x7xi32>, %C: memref<7xi32>, %Z: memref<9xi32>) {
  tc.contract (i = 9, q = 6, r = 7, s = 3)
      ins(%A[q] : memref<6xi32>, %B[q, r] : memref<6x7xi32>, %C[r] : memref<7xi32>)
      outs(%Z[i] : memref<9xi32>)
  return
}
