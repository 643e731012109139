// Producers and consumers through buffers: as tc-fuse.mlir has them through tensors, and what only
// buffers have, writes in between and results over inputs.
//
// RUN: tc-opt %s --convert-linalg-to-tc --tc-fuse | FileCheck %s --implicit-check-not="linalg."
// RUN: tc-opt %s --convert-linalg-to-tc --tc-fuse --remarks-filter=tc-fuse 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"
// RUN: tc-run %s --name=gemm --verify
// RUN: tc-run %s --name=square --verify
// RUN: tc-run %s --name=scaled --verify
// RUN: tc-run %s --name=over_what_it_read --verify
// RUN: tc-run %s --name=written_between --verify
// RUN: tc-run %s --name=read_between --verify
// RUN: tc-run %s --name=in_place --verify
// RUN: tc-run %s --name=terms --verify

#id = affine_map<(a, b) -> (a, b)>
#col = affine_map<(a, b) -> (b)>
#trait1 = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
#trait2 = {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}

// C = max(alpha A B + bias + beta C, 0), through a temporary and in place.
// CHECK-LABEL: @gemm
// CHECK-NOT: memref.alloc
// CHECK: tc.contract (a = 4, b = 6, q = 5) ins(%arg0[a, q] : memref<4x5xf32>, %arg1[q, b] : memref<5x6xf32>) sides(%arg2[b] : memref<6xf32>, %arg3[a, b] : memref<4x6xf32>) outs(%arg3[a, b] : memref<4x6xf32>) overwrite epilogue (%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32, %[[C:.*]]: f32) {
// CHECK: %[[T:.*]] = arith.mulf %[[ACC]], %{{.*}}
// CHECK: %[[U:.*]] = arith.addf %[[T]], %[[BIAS]]
// CHECK: %[[V:.*]] = arith.mulf %[[C]], %{{.*}}
// CHECK: %[[W:.*]] = arith.addf %[[U]], %[[V]]
// CHECK: %[[R:.*]] = arith.maximumf %[[W]], %{{.*}}
// CHECK: tc.yield %[[R]]
// CHECK-NOT: tc.contract
// CHECK-NOT: memref.dealloc
func.func @gemm(%A: memref<4x5xf32>, %B: memref<5x6xf32>, %bias: memref<6xf32>, %C: memref<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 0.5 : f32
  %T = memref.alloc() : memref<4x6xf32>
  linalg.fill ins(%zero : f32) outs(%T : memref<4x6xf32>)
  linalg.matmul ins(%A, %B : memref<4x5xf32>, memref<5x6xf32>) outs(%T : memref<4x6xf32>)
  linalg.generic #trait2 ins(%T, %bias : memref<4x6xf32>, memref<6xf32>) outs(%C : memref<4x6xf32>) {
  ^bb0(%x: f32, %b: f32, %c: f32):
    %t = arith.mulf %x, %alpha : f32
    %u = arith.addf %t, %b : f32
    %v = arith.mulf %c, %beta : f32
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32
  }
  linalg.generic #trait1 ins(%C : memref<4x6xf32>) outs(%C : memref<4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %zero : f32
    linalg.yield %m : f32
  }
  memref.dealloc %T : memref<4x6xf32>
  return
}

// What both inputs of a contraction read is computed in it, and the buffer is gone.
// CHECK-LABEL: @square
// CHECK-NOT: memref.alloc
// CHECK: tc.contract (a = 4, b = 4, q = 4) ins(%arg0[a, q] : memref<4x4xf32>, %arg0[q, b] : memref<4x4xf32>) outs(%arg1[a, b] : memref<4x4xf32>) map
// CHECK-NOT: tc.contract
func.func @square(%A: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %T = memref.alloc() : memref<4x4xf32>
  linalg.negf ins(%A : memref<4x4xf32>) outs(%T : memref<4x4xf32>)
  linalg.matmul ins(%T, %T : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  memref.dealloc %T : memref<4x4xf32>
  return
}

// What computes the old result in place goes into the contraction that adds to it.
// CHECK-LABEL: @scaled
// CHECK: tc.contract (a = 4, b = 6, q = 5) ins({{.*}}) sides(%arg2[a, b] : memref<4x6xf32>) outs(%arg2[a, b] : memref<4x6xf32>) overwrite epilogue (%[[ACC:.*]]: f32, %[[OLD:.*]]: f32) {
// CHECK: %[[S:.*]] = arith.mulf %[[OLD]], %{{.*}} : f32
// CHECK: arith.addf %[[S]], %[[ACC]] : f32
// CHECK-NOT: tc.contract
func.func @scaled(%A: memref<4x5xf32>, %B: memref<5x6xf32>, %C: memref<4x6xf32>) {
  %beta = arith.constant 0.5 : f32
  linalg.generic #trait1 ins(%C : memref<4x6xf32>) outs(%C : memref<4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %beta : f32
    linalg.yield %s : f32
  }
  linalg.matmul ins(%A, %B : memref<4x5xf32>, memref<5x6xf32>) outs(%C : memref<4x6xf32>)
  return
}

// CHECK-LABEL: @dynamic
// CHECK: tc.contract {{.*}} epilogue
// CHECK-NOT: tc.contract
func.func @dynamic(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %B, %c1 : memref<?x?xf32>
  %T = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%T : memref<?x?xf32>)
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%T : memref<?x?xf32>)
  linalg.exp ins(%T : memref<?x?xf32>) outs(%T : memref<?x?xf32>)
  linalg.generic #trait1 ins(%T : memref<?x?xf32>) outs(%C : memref<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m0 = arith.negf %x : f32
    linalg.yield %m0 : f32
  }
  memref.dealloc %T : memref<?x?xf32>
  return
}

//===----------------------------------------------------------------------===//
// Left alone
//===----------------------------------------------------------------------===//

// A block would write rows of A that others still read.
// CHECK-LABEL: @over_what_it_read
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=over_what_it_read | {{.*}}its reader may write over what it reads
func.func @over_what_it_read(%A: memref<4x4xf32>, %B: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %T = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%T : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%T : memref<4x4xf32>)
  linalg.negf ins(%T : memref<4x4xf32>) outs(%A : memref<4x4xf32>)
  memref.dealloc %T : memref<4x4xf32>
  return
}

// CHECK-LABEL: @written_between
// CHECK-COUNT-3: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=written_between | {{.*}}what it reads is written before its reader
func.func @written_between(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %T = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%T : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%T : memref<4x4xf32>)
  linalg.negf ins(%C : memref<4x4xf32>) outs(%A : memref<4x4xf32>)
  linalg.exp ins(%T : memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  memref.dealloc %T : memref<4x4xf32>
  return
}

// The first result is lost, but not before it was read.
// CHECK-LABEL: @read_between
// CHECK-COUNT-3: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=read_between | {{.*}}its reader is not computed element by element
// REMARK: remark: [Missed] NotFused {{.*}}Function=read_between | {{.*}}it has other uses
func.func @read_between(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>, %D: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  linalg.reduce { arith.addf } ins(%C : memref<4x4xf32>) outs(%D : memref<4xf32>) dimensions = [1]
  linalg.exp ins(%C : memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}

// What replaces its own input could not be computed again from it.
// CHECK-LABEL: @in_place
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=in_place | {{.*}}operand 1 is computed into memory first: it writes over what it reads
func.func @in_place(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.negf ins(%B : memref<4x4xf32>) outs(%B : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}

// Terms of a sum are added in f64 before they are rounded.
// CHECK-LABEL: @terms
// CHECK: tc.sum
// CHECK-COUNT-2: tc.contract
func.func @terms(%A: memref<2xf32>, %B: memref<2xf32>, %Z: memref<2x2xf32>) {
  tc.sum {
    tc.contract (a = 2, b = 2) ins(%A[a] : memref<2xf32>) outs(%Z[a, b] : memref<2x2xf32>) overwrite accumulate(f64)
    tc.contract (a = 2, b = 2) ins(%A[a] : memref<2xf32>, %B[b] : memref<2xf32>) outs(%Z[a, b] : memref<2x2xf32>) accumulate(f64)
  }
  return
}
