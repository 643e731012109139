// RUN: tc-opt %s --tc-schedule --split-input-file --verify-diagnostics
// RUN: tc-opt %s --tc-call-library --split-input-file --verify-diagnostics

func.func @matrices(%A: memref<8x8x8xf32>, %B: memref<8x8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error@+1 {{illegal schedule: kernel = library: expected a batched matrix product, got 'k' and 'l', which are both contracted}}
  tc.contract (i = 8, j = 8, k = 8, l = 8)
      ins(%A[i, k, l] : memref<8x8x8xf32>, %B[l, k, j] : memref<8x8x8xf32>)
      outs(%C[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @dynamic(%A: memref<?x8xf32>, %B: memref<8x8xf32>, %C: memref<?x8xf32>, %n: index) {
  // expected-error@+1 {{got dynamic extents or strides, or an extent of 0}}
  tc.contract (i = %n, j = 8, k = 8)
      ins(%A[i, k] : memref<?x8xf32>, %B[k, j] : memref<8x8xf32>)
      outs(%C[i, j] : memref<?x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @strides(%A: memref<8x8xf32, strided<[16, 2]>>, %B: memref<8x8xf32, strided<[16, 2]>>, %C: memref<8x8xf32>) {
  // expected-error@+1 {{got operands that are not all dense along rows or columns, upwards}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf32, strided<[16, 2]>>, %B[k, j] : memref<8x8xf32, strided<[16, 2]>>)
      outs(%C[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @types(%A: memref<8x8xi32>, %B: memref<8x8xi32>, %C: memref<8x8xi32>) {
  // expected-error@+1 {{got i32 times i32 into i32}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xi32>, %B[k, j] : memref<8x8xi32>)
      outs(%C[i, j] : memref<8x8xi32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @sums(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error@+1 {{got sums of another type than a library has}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf32>, %B[k, j] : memref<8x8xf32>)
      outs(%C[i, j] : memref<8x8xf32>) overwrite accumulate(f64) {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @inputs(%A: memref<8x8xf32>, %C: memref<8xf32>) {
  // expected-error@+1 {{got a contraction that is not the sum of products of two inputs}}
  tc.contract (i = 8, k = 8) ins(%A[i, k] : memref<8x8xf32>)
      outs(%C[i] : memref<8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @window(%A: memref<16xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  // expected-error@+1 {{got subscripts that are not iterators}}
  tc.contract (i = 8, k = 8) ins(%A[i + k] : memref<16xf32>, %B[k] : memref<8xf32>)
      outs(%C[i] : memref<8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// -----

func.func @epilogue(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error@+1 {{got an epilogue that does more than alpha * sum + beta * C}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf32>, %B[k, j] : memref<8x8xf32>)
      outs(%C[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
      epilogue (%s: f32) {
        %square = arith.mulf %s, %s : f32
        tc.yield %square : f32
      }
  return
}

// -----

func.func @bias(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %c: memref<8xf32>, %D: memref<8x8xf32>) {
  // expected-error@+1 {{got a C that does not vary with 'i'}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf32>, %B[k, j] : memref<8x8xf32>) sides(%c[j] : memref<8xf32>)
      outs(%D[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
      epilogue (%s: f32, %b: f32) {
        %sum = arith.addf %s, %b : f32
        tc.yield %sum : f32
      }
  return
}

// -----

func.func @sum_of_one(%A: memref<8x8xf32>, %b: memref<8xf32>, %C: memref<8x8xf32>) {
  // expected-error@+1 {{got 'k', which is contracted in one input}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf32>, %b[j] : memref<8xf32>)
      outs(%C[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}
