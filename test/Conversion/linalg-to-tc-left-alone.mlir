// What is no contraction stays, and a remark says why.
//
// RUN: tc-opt %s --convert-linalg-to-tc --remarks-filter=convert-linalg-to-tc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --implicit-check-not=tc.contract

#aq = affine_map<(a, q) -> (a, q)>
#a = affine_map<(a, q) -> (a)>
#trait = {indexing_maps = [#aq, #a], iterator_types = ["parallel", "reduction"]}

// CHECK-LABEL: @elementwise
// CHECK: linalg.add
// REMARK: Function=elementwise | {{.*}}'linalg.add' is left as it is: its body neither reduces nor is a product of the inputs
func.func @elementwise(%x: memref<3xf32>, %y: memref<3xf32>, %z: memref<3xf32>) {
  linalg.add ins(%x, %y : memref<3xf32>, memref<3xf32>) outs(%z : memref<3xf32>)
  return
}

// CHECK-LABEL: @index
// CHECK: linalg.generic
// REMARK: Function=index | {{.*}}its body has 'linalg.index'
func.func @index(%x: memref<3x5xi32>, %z: memref<3xi32>) {
  linalg.generic #trait ins(%x : memref<3x5xi32>) outs(%z : memref<3xi32>) {
  ^bb0(%u: i32, %acc: i32):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i32
    %s = arith.addi %acc, %v : i32
    linalg.yield %s : i32
  }
  return
}

// CHECK-LABEL: @effects
// CHECK: linalg.generic
// REMARK: Function=effects | {{.*}}its body has 'memref.store'
func.func @effects(%x: memref<3x5xf32>, %z: memref<3xf32>, %log: memref<f32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    memref.store %u, %log[] : memref<f32>
    %s = arith.addf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @not_associative
// CHECK: linalg.generic
// REMARK: Function=not_associative | {{.*}}its body does not combine the old value of the result with a new one by an associative and commutative op
func.func @not_associative(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.subf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @reads_twice
// CHECK: linalg.generic
// REMARK: Function=reads_twice | {{.*}}its body does not combine
func.func @reads_twice(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %p = arith.mulf %u, %acc : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @last_value
// CHECK: linalg.generic
// REMARK: Function=last_value | {{.*}}it reduces without reading its result
func.func @last_value(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    linalg.yield %u : f32
  }
  return
}

// CHECK-LABEL: @from_outside
// CHECK: linalg.generic
// REMARK: Function=from_outside | {{.*}}its body reads a value from outside
func.func @from_outside(%x: memref<3x5xf32>, %z: memref<3xf32>, %alpha: f32) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %p = arith.mulf %u, %alpha : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @scalar_operand
// CHECK: linalg.generic
// REMARK: Function=scalar_operand | {{.*}}its body reads a scalar operand
func.func @scalar_operand(%x: memref<3x5xf32>, %z: memref<3xf32>, %alpha: f32) {
  linalg.generic {indexing_maps = [#aq, affine_map<(a, q) -> ()>, #a], iterator_types = ["parallel", "reduction"]}
      ins(%x, %alpha : memref<3x5xf32>, f32) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @counts
// CHECK: linalg.generic
// REMARK: Function=counts | {{.*}}its body reads no input
func.func @counts(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %acc, %one : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @two_results
// CHECK: linalg.reduce
// REMARK: Function=two_results | {{.*}}it has several results
func.func @two_results(%x: memref<3x5xf32>, %y: memref<3x5xf32>, %z: memref<3xf32>, %w: memref<3xf32>) {
  linalg.reduce ins(%x, %y : memref<3x5xf32>, memref<3x5xf32>) outs(%z, %w : memref<3xf32>, memref<3xf32>) dimensions = [1]
    (%u: f32, %v: f32, %acc0: f32, %acc1: f32) {
      %s = arith.addf %acc0, %u : f32
      %t = arith.addf %acc1, %v : f32
      linalg.yield %s, %t : f32, f32
    }
  return
}

// CHECK-LABEL: @dynamic
// CHECK: linalg.matvec
// REMARK: Function=dynamic | {{.*}}it has extents that are not static
func.func @dynamic(%A: memref<?x5xf32>, %x: memref<5xf32>, %y: memref<?xf32>) {
  linalg.matvec ins(%A, %x : memref<?x5xf32>, memref<5xf32>) outs(%y : memref<?xf32>)
  return
}

// CHECK-LABEL: @complex
// CHECK: linalg.matvec
// REMARK: Function=complex | {{.*}}its elements are neither integers nor floats
func.func @complex(%A: memref<3x5xcomplex<f32>>, %x: memref<5xcomplex<f32>>, %y: memref<3xcomplex<f32>>) {
  linalg.matvec ins(%A, %x : memref<3x5xcomplex<f32>>, memref<5xcomplex<f32>>) outs(%y : memref<3xcomplex<f32>>)
  return
}

// CHECK-LABEL: @not_linear
// CHECK: linalg.generic
// REMARK: Function=not_linear | {{.*}}it has subscripts that are not linear in the iterators
func.func @not_linear(%x: memref<3xf32>, %z: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a floordiv 2)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x : memref<3xf32>) outs(%z : memref<6xf32>) {
  ^bb0(%u: f32, %acc: f32):
    linalg.yield %u : f32
  }
  return
}

// CHECK-LABEL: @not_injective
// CHECK: linalg.generic
// REMARK: Function=not_injective | {{.*}}several points of its result space may reach one element
func.func @not_injective(%x: memref<3x5xf32>, %z: memref<7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a + b)>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<3x5xf32>) outs(%z : memref<7xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @encoding
// CHECK: linalg.matvec
// REMARK: Function=encoding | {{.*}}it has tensors with an encoding
func.func @encoding(%A: tensor<3x5xf32, 1 : i32>, %x: tensor<5xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<3x5xf32, 1 : i32>, tensor<5xf32>) outs(%y : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
