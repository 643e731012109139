// RUN: tc-opt %s --convert-parallel-to-tasks --split-input-file --verify-diagnostics | FileCheck %s

// Two dimensions are counted as one, the last fastest; a nested loop stays, and a
// buffer on the stack is made once.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.parallel
// CHECK-LABEL: func.func private @nested.tasks(
// CHECK-NOT: llvm.noalias
// CHECK-NEXT: %[[ROOM:.*]] = memref.alloca() : memref<4xf32>
// CHECK: scf.for %[[N:.*]] =
// CHECK: arith.remui %[[N]], %{{.*}}
// CHECK: arith.divui %[[N]], %{{.*}}
// CHECK: scf.parallel
// CHECK: memref.store %{{.*}}, %[[ROOM]]
func.func @nested(%A: memref<4xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c2, %c2) {
    %room = memref.alloca() : memref<4xf32>
    scf.parallel (%k) = (%c0) to (%c4) step (%c2) {
      %a = memref.load %A[%k] : memref<4xf32>
      memref.store %a, %room[%k] : memref<4xf32>
    }
  }
  return
}

// -----

// A loop that reduces stays.
// CHECK-LABEL: func.func @reduces
// CHECK: scf.parallel
func.func @reduces(%A: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%k) = (%c0) to (%c4) step (%c1) init (%zero) -> f32 {
    %a = memref.load %A[%k] : memref<4xf32>
    scf.reduce(%a : f32) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}

// -----

func.func @tensor(%A: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected values of types that LLVM has, got 'tensor<4xf32>'}}
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %a = tensor.extract %A[%k] : tensor<4xf32>
  }
  return
}
