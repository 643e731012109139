// tc-distribute: contractions come out of the tc.par round them, or a remark says why not.
//
// RUN: tc-opt %s --tc-distribute | FileCheck %s
// RUN: tc-opt %s --tc-distribute --remarks-filter=tc-distribute -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
//
// Twice is once.
// RUN: tc-opt %s --tc-distribute > %t.once
// RUN: tc-opt %t.once --tc-distribute | diff %t.once -

#row = strided<[48, 1], offset: ?>

// Tiles of a product are the product.
// CHECK-LABEL: @tiles(
// CHECK-NOT: tc.par
// CHECK: tc.contract (i = 64, j = 48, k = 32)
// CHECK-SAME: ins(%{{.*}}[i, k] : memref<64x32xf32>, %{{.*}}[k, j] : memref<32x48xf32>) outs(%{{.*}}[i, j] : memref<64x48xf32>)
func.func @tiles(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.par (%i, %j) = (0, 0) to (64, 3) step (16, 1) {
    %j0 = affine.apply affine_map<(j) -> (j * 16)>(%j)
    %a = memref.subview %A[%i, 0] [16, 32] [1, 1] : memref<64x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %b = memref.subview %B[0, %j0] [32, 16] [1, 1] : memref<32x48xf32> to memref<32x16xf32, #row>
    %c = memref.subview %C[%i, %j0] [16, 16] [1, 1] : memref<64x48xf32> to memref<16x16xf32, #row>
    tc.contract (i = 16, j = 16, k = 32)
        ins(%a[i, k] : memref<16x32xf32, strided<[32, 1], offset: ?>>, %b[k, j] : memref<32x16xf32, #row>)
        outs(%c[i, j] : memref<16x16xf32, #row>)
  }
  return
}

// Nests in nests, indices from 1 on in steps of 2, and a dynamic number of them.
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[A:.*]]: memref<?x9x8xf32>, %[[x:.*]]: memref<8xf32>, %[[C:.*]]: memref<?x9xf32>, %[[n:.*]]: index
// CHECK: tc.contract (p = %[[n]], q = 4, k = 8) ins(%[[A]][p, q * 2 + 1, k] : memref<?x9x8xf32>, %[[x]][k] : memref<8xf32>) outs(%[[C]][p, q * 2 + 1] : memref<?x9xf32>) overwrite
func.func @nested(%A: memref<?x9x8xf32>, %x: memref<8xf32>, %C: memref<?x9xf32>, %n: index) {
  tc.par (%i) = (0) to (%n) {
    %a = memref.subview %A[%i, 0, 0] [1, 9, 8] [1, 1, 1] : memref<?x9x8xf32> to memref<9x8xf32, strided<[8, 1], offset: ?>>
    tc.par (%j) = (1) to (9) step (2) {
      %b = memref.subview %a[%j, 0] [1, 8] [1, 1] : memref<9x8xf32, strided<[8, 1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
      %c = memref.subview %C[%i, %j] [1, 1] [1, 1] : memref<?x9xf32> to memref<f32, strided<[], offset: ?>>
      tc.contract (k = 8) ins(%b[k] : memref<8xf32, strided<[1], offset: ?>>, %x[k] : memref<8xf32>) outs(%c[] : memref<f32, strided<[], offset: ?>>) overwrite
    }
  }
  return
}

// What is before and behind the contraction is a nest of its own; the buffer between them has
// a part for each iteration.
// CHECK-LABEL: @between(
// CHECK: %[[T:.*]] = tc.new : memref<3x8xf32>
// CHECK: tc.par (%{{.*}}) = (0) to (3) {
// CHECK: memref.store
// CHECK: }
// CHECK: tc.contract (p = 3, i = 8, k = 8) ins(%{{.*}}[p, i, k] : memref<3x8x8xf32>, %{{.*}}[p, k] : memref<3x8xf32>) outs(%[[T]][p, i] : memref<3x8xf32>)
// CHECK: tc.par (%{{.*}}) = (0) to (3) {
// CHECK: memref.load
// CHECK-NOT: tc.contract
// CHECK: return
func.func @between(%A: memref<3x8x8xf32>, %x: memref<3x8xf32>, %r: memref<3xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%l) = (0) to (3) {
    %t = tc.new : memref<8xf32>
    tc.seq (%i) = (0) to (8) {
      memref.store %zero, %t[%i] : memref<8xf32>
    }
    %a = memref.subview %A[%l, 0, 0] [1, 8, 8] [1, 1, 1] : memref<3x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %y = memref.subview %x[%l, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    tc.contract (i = 8, k = 8) ins(%a[i, k] : memref<8x8xf32, strided<[8, 1], offset: ?>>, %y[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%t[i] : memref<8xf32>)
    %c7 = arith.constant 7 : index
    %last = memref.load %t[%c7] : memref<8xf32>
    memref.store %last, %r[%l] : memref<3xf32>
  }
  return
}

// A loop in the iterations is a loop of nests; where it reads is a view outside.
// CHECK-LABEL: @loop(
// CHECK-SAME: %[[A:.*]]: memref<5x4x8x8xf32>, %[[X:.*]]: memref<4x8xf32>
// CHECK: tc.seq (%[[T:.*]]) = (0) to (5) {
// CHECK-NOT: tc.par
// CHECK: %[[V:.*]] = memref.subview %[[A]][%[[T]], 0, 0, 0]
// CHECK: tc.contract (p = 4, i = 8, k = 8) ins(%[[V]][0, p, i, k] : {{.*}}, %[[X]][p, k] : memref<4x8xf32>) outs(%[[X]][p, i] : memref<4x8xf32>)
func.func @loop(%A: memref<5x4x8x8xf32>, %x: memref<4x8xf32>) {
  tc.par (%l) = (0) to (4) {
    %y = memref.subview %x[%l, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    tc.seq (%t) = (0) to (5) {
      %a = memref.subview %A[%t, %l, 0, 0] [1, 1, 8, 8] [1, 1, 1, 1] : memref<5x4x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
      tc.contract (i = 8, k = 8) ins(%a[i, k] : memref<8x8xf32, strided<[8, 1], offset: ?>>, %y[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%y[i] : memref<8xf32, strided<[1], offset: ?>>)
    }
  }
  return
}

// CHECK-LABEL: @stays(
// CHECK-COUNT-3: tc.par
// REMARK: contractions stay in the tc.par: an index of the tc.par is no dimension of the result
// REMARK: contractions stay in the tc.par: what 'memref.subview' gives is used elsewhere
// REMARK: contractions stay in the tc.par: it is written who runs the iterations
func.func @stays(%x: memref<64xf32>, %z: memref<64xf32>, %r: memref<f32>, %at: memref<4xindex>) {
  // Windows overlap in the input, and what they are added to is one number.
  tc.par (%i) = (0) to (8) {
    %a = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    tc.contract (k = 8) ins(%a[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%r[] : memref<f32>)
  }
  tc.par (%i) = (0) to (4) {
    %first = memref.load %at[%i] : memref<4xindex>
    %a = memref.subview %x[%first] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %c = memref.subview %z[%i] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    tc.contract (k = 8) ins(%a[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%c[] : memref<f32, strided<[], offset: ?>>)
  }
  tc.par grid (%i) = (0) to (4) {
    %a = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %c = memref.subview %z[%i] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    tc.contract (k = 8) ins(%a[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%c[] : memref<f32, strided<[], offset: ?>>)
  }
  return
}

// What one op gives to another is passed on by memory when a contraction between them comes out.
// CHECK-LABEL: @passed_on(
// CHECK: %[[OLD:.*]] = tc.new : memref<4xf32>
// CHECK: tc.par (%{{.*}}) = (0) to (4) {
// CHECK: memref.load %arg1
// CHECK: memref.store
// CHECK: tc.contract ({{.*}} = 4, k = 8)
// CHECK: tc.par (%{{.*}}) = (0) to (4) {
// CHECK: %[[OWN:.*]] = memref.subview %[[OLD]]
// CHECK: memref.load %[[OWN]][]
// CHECK: memref.store %{{.*}}, %arg0
func.func @passed_on(%x: memref<64xf32>, %z: memref<64xf32>) {
  tc.par (%i) = (0) to (4) {
    %a = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %c = memref.subview %z[%i] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    %old = memref.load %z[%i] : memref<64xf32>
    tc.contract (k = 8) ins(%a[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%c[] : memref<f32, strided<[], offset: ?>>)
    memref.store %old, %x[%i] : memref<64xf32>
  }
  return
}

// An index is an integer of 64 bits in memory.
// CHECK-LABEL: @index_passed_on(
// CHECK: tc.new : memref<4xi64>
// CHECK: arith.index_cast %{{.*}} : index to i64
// CHECK: tc.contract
// CHECK: arith.index_cast %{{.*}} : i64 to index
func.func @index_passed_on(%x: memref<64xf32>, %z: memref<64xf32>, %at: memref<4xindex>, %v: f32) {
  tc.par (%i) = (0) to (4) {
    %a = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %c = memref.subview %z[%i] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    %place = memref.load %at[%i] : memref<4xindex>
    tc.contract (k = 8) ins(%a[k] : memref<8xf32, strided<[1], offset: ?>>) outs(%c[] : memref<f32, strided<[], offset: ?>>)
    memref.store %v, %x[%place] : memref<64xf32>
  }
  return
}

// A result of a contraction that stays is an iteration.
// CHECK-LABEL: @within(
// CHECK: tc.par (%{{.*}}) = (0) to (4) {
// CHECK: scf.if
// CHECK: tc.par (%[[I:.*]]) = (0) to (30) {
// CHECK: %[[A:.*]] = memref.subview %{{.*}}[%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[X:.*]] = memref.subview %{{.*}}[0] [8] [1]
// CHECK: %[[C:.*]] = memref.subview %{{.*}}[%[[I]]] [1] [1]
// CHECK: tc.contract (k = 8) ins(%[[A]][0, k] : {{.*}}, %[[X]][k] : {{.*}}) outs(%[[C]][0] : {{.*}})
// REMARK: contractions stay in the tc.par: 'scf.if' holds a contraction
func.func @within(%A: memref<4x30x8xf32>, %x: memref<8xf32>, %r: memref<4x30xf32>, %b: i1) {
  tc.par (%l) = (0) to (4) {
    %a = memref.subview %A[%l, 0, 0] [1, 30, 8] [1, 1, 1] : memref<4x30x8xf32> to memref<30x8xf32, strided<[8, 1], offset: ?>>
    %c = memref.subview %r[%l, 0] [1, 30] [1, 1] : memref<4x30xf32> to memref<30xf32, strided<[1], offset: ?>>
    scf.if %b {
      tc.contract (i = 30, k = 8) ins(%a[i, k] : memref<30x8xf32, strided<[8, 1], offset: ?>>, %x[k] : memref<8xf32>) outs(%c[i] : memref<30xf32, strided<[1], offset: ?>>)
    }
  }
  return
}
