// RUN: tc-opt %s --convert-indexed-to-loops | FileCheck %s

// The place of the largest element of each row.
#element = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @argmax(%A: memref<6x50xf32>, %most: memref<6xf32>, %at: memref<6xi64>) {
  linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
    ins(%A : memref<6x50xf32>) outs(%most, %at : memref<6xf32>, memref<6xi64>) {
  ^bb0(%a: f32, %b: f32, %n: i64):
    %j = linalg.index 1 : index
    %m = arith.index_cast %j : index to i64
    %isMore = arith.cmpf ogt, %a, %b : f32
    %more = arith.select %isMore, %a, %b : f32
    %place = arith.select %isMore, %m, %n : i64
    linalg.yield %more, %place : f32, i64
  }
  return
}

// CHECK-NOT: linalg
// CHECK: scf.parallel (%[[i:[a-z0-9]+]]) =
// CHECK: scf.for %[[j:[a-z0-9]+]] =
// CHECK: memref.load %{{.*}} : memref<6x50xf32>
// CHECK: arith.index_cast %[[j]] : index to i64
