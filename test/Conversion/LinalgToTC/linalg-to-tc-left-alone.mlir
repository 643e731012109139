// What is no contraction stays, and a remark says why.
//
// RUN: tc-opt %s --convert-linalg-to-tc --remarks-filter=convert-linalg-to-tc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --implicit-check-not=tc.contract

#aq = affine_map<(a, q) -> (a, q)>
#a = affine_map<(a, q) -> (a)>
#trait = {indexing_maps = [#aq, #a], iterator_types = ["parallel", "reduction"]}

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

// Each result with iterators of its own.
// CHECK-LABEL: @two_spaces
// CHECK: linalg.generic
// REMARK: Function=two_spaces | {{.*}}its results do not vary with the same iterators
func.func @two_spaces(%x: memref<3x5xf32>, %z: memref<3xf32>, %w: memref<f32>) {
  linalg.generic {indexing_maps = [#aq, #a, affine_map<(a, q) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<3x5xf32>) outs(%z, %w : memref<3xf32>, memref<f32>) {
  ^bb0(%u: f32, %acc0: f32, %acc1: f32):
    %s = arith.addf %acc0, %u : f32
    %t = arith.addf %acc1, %u : f32
    linalg.yield %s, %t : f32, f32
  }
  return
}

// CHECK-LABEL: @no_input
// CHECK: linalg.generic
// REMARK: Function=no_input | {{.*}}it has no input
func.func @no_input(%z: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%z : memref<3xf32>) {
  ^bb0(%old: f32):
    %s = arith.addf %old, %old : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @gathers
// CHECK: linalg.generic
// REMARK: Function=gathers | {{.*}}its body has 'tensor.extract'
func.func @gathers(%i: tensor<3xi32>, %t: tensor<9xf32>, %z: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%i : tensor<3xi32>) outs(%z : tensor<3xf32>) {
  ^bb0(%u: i32, %old: f32):
    %p = arith.index_cast %u : i32 to index
    %v = tensor.extract %t[%p] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
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

// CHECK-LABEL: @softmax_on_memrefs
// CHECK: linalg.softmax
// REMARK: Function=softmax_on_memrefs | {{.*}}'linalg.softmax' is left as it is: it is taken apart on tensors alone
func.func @softmax_on_memrefs(%x: memref<3x5xf32>, %z: memref<3x5xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<3x5xf32>) outs(%z : memref<3x5xf32>)
  return
}

// CHECK-LABEL: @packs
// CHECK: linalg.pack
// REMARK: Function=packs | {{.*}}'linalg.pack' is left as it is: it is no loop over its operands with a scalar body
func.func @packs(%x: tensor<8x8xf32>, %z: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
  %r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %z : tensor<8x8xf32> -> tensor<2x2x4x4xf32>
  return %r : tensor<2x2x4x4xf32>
}
