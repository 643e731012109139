// tc-order: nests that stay as they are written, and the remarks that say why.
//
// RUN: tc-opt %s --tc-order --remarks-filter=tc-order 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s > %t.before
// RUN: tc-opt %s --tc-order | diff %t.before -

// REMARK: Function=elementwise | {{.*}}3 inputs stay in one nest of 200 flops: the best chain of pairs has 200
func.func @elementwise(%A: memref<100xf32>, %Z: memref<100xf32>) {
  tc.contract (i = 100)
      ins(%A[i] : memref<100xf32>, %A[i] : memref<100xf32>, %A[i] : memref<100xf32>)
      outs(%Z[i] : memref<100xf32>) overwrite
  return
}

// REMARK: Function=regions | {{.*}}3 inputs stay in one nest: its regions are not known to distribute
func.func @regions(%A: memref<8x8xf32>, %Z: memref<8x8xf32>) {
  tc.contract (i = 8, j = 8, q = 8, r = 8)
      ins(%A[i, q] : memref<8x8xf32>, %A[q, r] : memref<8x8xf32>, %A[r, j] : memref<8x8xf32>)
      outs(%Z[i, j] : memref<8x8xf32>) overwrite
      map (%a: f32, %b: f32, %c: f32) {
        %ab = arith.maximumf %a, %b : f32
        %abc = arith.mulf %ab, %c : f32
        tc.yield %abc : f32
      }
  return
}

// REMARK: Function=scheduled | {{.*}}3 inputs stay in one nest: it has a schedule
func.func @scheduled(%A: memref<8x8xf32>, %Z: memref<8x8xf32>) {
  tc.contract (i = 8, j = 8, q = 8, r = 8)
      ins(%A[i, q] : memref<8x8xf32>, %A[q, r] : memref<8x8xf32>, %A[r, j] : memref<8x8xf32>)
      outs(%Z[i, j] : memref<8x8xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8], register = [], step = [q = 8], kernel = fma>}
  return
}

// Of two inputs that are best as they are, or one, there is nothing to say.
// REMARK-NOT: Function=pair
func.func @pair(%A: memref<8x8xf32>, %Z: memref<8x8xf32>) {
  tc.contract (i = 8, j = 8, q = 8)
      ins(%A[i, q] : memref<8x8xf32>, %A[q, j] : memref<8x8xf32>)
      outs(%Z[i, j] : memref<8x8xf32>) overwrite
  tc.contract (i = 8, j = 8)
      ins(%A[j, i] : memref<8x8xf32>)
      outs(%Z[i, j] : memref<8x8xf32>) overwrite
  return
}
