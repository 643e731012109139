// RUN: tc-opt %s --convert-parallel-to-tasks | FileCheck %s

func.func @add_one(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    scf.for %j = %c0 to %c32 step %c1 {
      %one = arith.constant 1.0 : f32
      %a = memref.load %A[%i, %j] : memref<64x32xf32>
      %b = arith.addf %a, %one : f32
      memref.store %b, %A[%i, %j] : memref<64x32xf32>
    }
  } {tc.distinct}
  return
}

// CHECK: func.func private @tcPackageParallel(i64, (!llvm.ptr, i64, i64) -> (), !llvm.ptr)
// CHECK-LABEL: func.func @add_one
// CHECK: %[[PLACE:.*]] = llvm.alloca
// CHECK: llvm.store %{{.*}}, %[[PLACE]]
// CHECK: %[[TASK:.*]] = constant @add_one.task : (!llvm.ptr, i64, i64) -> ()
// CHECK: call @tcPackageParallel(%{{.*}}, %[[TASK]], %[[PLACE]])
// CHECK-NOT: scf.parallel

// CHECK-LABEL: func.func private @add_one.task(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.load
// CHECK: call @add_one.tasks(

// CHECK-LABEL: func.func private @add_one.tasks(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias},
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     arith.addf
