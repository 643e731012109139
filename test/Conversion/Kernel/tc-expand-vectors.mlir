// RUN: tc-opt %s --split-input-file --tc-expand-vectors | FileCheck %s

// What LLVM has is left alone, and so is what is round it.
// CHECK-LABEL: func.func @of_one_dimension
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[UNUSED:.*]] = arith.addi %[[ZERO]], %[[ZERO]] : index
// CHECK-NEXT: %[[V:.*]] = vector.load
// CHECK-NEXT: vector.store %[[V]]
func.func @of_one_dimension(%A: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %unused = arith.addi %zero, %zero : index
  %v = vector.load %A[%zero] : memref<8xf32>, vector<4xf32>
  vector.store %v, %A[%zero] : memref<8xf32>, vector<4xf32>
  return
}

// -----

// A row that may leave the buffer is masked. Indices have 64 bits.
// CHECK-LABEL: func.func @masked
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[I:.*]] : index
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[LEFT]] : index to i64
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK: vector.maskedload %{{.*}}[%[[I]]], %[[MASK]], %{{.*}} : memref<?xf32>
func.func @masked(%A: memref<?xf32>, %i: index) -> vector<4xf32> {
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %A[%i], %pad : memref<?xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// -----

// Loads and stores of several dimensions are those of rows.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: vector.load %{{.*}} : memref<8x8xf32>, vector<4xf32>
// CHECK-COUNT-2: vector.store %{{.*}} : memref<8x8xf32>, vector<4xf32>
func.func @rows(%A: memref<8x8xf32>, %i: index) {
  %v = vector.load %A[%i, %i] : memref<8x8xf32>, vector<2x4xf32>
  vector.store %v, %A[%i, %i] : memref<8x8xf32>, vector<2x4xf32>
  return
}

// -----

// Nothing makes one of no dimension a transfer and back, for ever.
// CHECK-LABEL: func.func @of_no_dimension
// CHECK: vector.load %{{.*}} : memref<8xf32>, vector<f32>
// CHECK: vector.store %{{.*}} : memref<8xf32>, vector<f32>
func.func @of_no_dimension(%A: memref<8xf32>, %i: index) {
  %v = vector.load %A[%i] : memref<8xf32>, vector<f32>
  vector.store %v, %A[%i] : memref<8xf32>, vector<f32>
  return
}
