// RUN: tc-opt %s --tc-normalize --tc-schedule --tc-split --canonicalize --split-input-file | FileCheck %s

// Whole steps are parts; what they leave over is added with them, and the old result
// first.
// CHECK-LABEL: @rest
// CHECK: %[[PARTS:.*]] = memref.alloc() {{.*}} : memref<448xf32>
// CHECK: tc.contract (q_p = 7, i = 64, q = 128) ins({{.*}}[i, q_p, q] : memref<64x7x128xf32, strided<[1009, 128, 1]>>)
// CHECK-SAME: outs(%[[OUT:.*]][q_p, i] : memref<7x64xf32>) overwrite
// CHECK: %[[LEFT:.*]] = tc.view %arg0 <offset = 896, sizes = [64, 113], strides = [1009, 1]>
// CHECK: tc.sum {
// CHECK-NEXT: tc.contract (i = 64, q_p = 7) ins({{.*}}) outs(%arg1[i] : memref<64xf32>) accumulate(f32) {schedule = #tc.schedule<{{.*}}>}
// CHECK-NEXT: tc.contract (i = 64, q = 113) ins(%[[LEFT]][i, q] : {{.*}}) outs(%arg1[i] : memref<64xf32>) accumulate(f32) {schedule = #tc.schedule<{{.*}}>}
// CHECK-NEXT: }
// CHECK: memref.dealloc %[[PARTS]]
func.func @rest(%A: memref<64x1009xf32>, %z: memref<64xf32>) {
  tc.contract (i = 64, q = 1009) ins(%A[i, q] : memref<64x1009xf32>) outs(%z[i] : memref<64xf32>)
      {schedule = #tc.schedule<thread = [q = 32, i = 4], step = [q = 64], split = [q = 7], kernel = fma>}
  return
}

// -----

// Where the extent is dynamic the host asks whether each part has a step, and computes how
// many steps of 64 it has so that there are at most seven parts.
// CHECK-LABEL: @run
// CHECK: %[[LEAST:.*]] = arith.constant 448 : index
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %arg1, %[[LEAST]]
// CHECK: scf.if %[[LONG]] {
// CHECK: %[[STEPS:.*]] = arith.ceildivsi %arg1, %{{.*}} : index
// CHECK: %[[SOME:.*]] = arith.maxsi %[[STEPS]], %{{.*}} : index
// CHECK: %[[LENGTH:.*]] = affine.apply #{{.*}}()[%[[SOME]]]
// CHECK: %[[COUNT:.*]] = arith.divsi %arg1, %[[LENGTH]] : index
// CHECK: memref.alloc
// CHECK: tc.contract (q_p = %[[COUNT]], i = 64, q = %{{.*}})
// CHECK: tc.sum
// CHECK: memref.dealloc
// CHECK: } else {
// CHECK-NEXT: tc.contract (i = 64, q = %arg1) {{.*}} {schedule = #tc.schedule<thread = [q = 32, i = 4], step = [q = 64], stage = {{.*}}, kernel = fma>}
// CHECK-NEXT: }
func.func @run(%A: memref<64x?xf32>, %n: index, %z: memref<64xf32>) {
  tc.contract (i = 64, q = %n) ins(%A[i, q] : memref<64x?xf32>) outs(%z[i] : memref<64xf32>)
      {schedule = #tc.schedule<thread = [q = 32, i = 4], step = [q = 64], split = [q = 7], kernel = fma>}
  return
}

// -----

// A buffer for each accumulator; the old result, sides and the epilogue are for the
// second contraction.
// CHECK-LABEL: @pair
// CHECK-DAG: memref.alloc() {{.*}} : memref<45xi32>
// CHECK-DAG: memref.alloc() {{.*}} : memref<45xi32>
// CHECK: tc.contract (q_p = 5, i = 9, q = 14)
// CHECK-SAME: outs({{.*}} : memref<5x9xi32>, {{.*}} : memref<5x9xi32>) overwrite neutral(
// CHECK-NOT: epilogue
// CHECK: tc.contract (i = 9, q_p = 5)
// CHECK-SAME: sides(%arg3[i] : memref<9xi32>) outs(%arg1[i] : memref<9xi32>, %arg2[i] : memref<9xi64>) neutral(
// CHECK: epilogue
func.func @pair(%x: memref<9x70xi32>, %most: memref<9xi32>, %least: memref<9xi64>, %s: memref<9xi32>) {
  tc.contract (i = 9, q = 70) ins(%x[i, q] : memref<9x70xi32>) sides(%s[i] : memref<9xi32>)
      outs(%most[i] : memref<9xi32>, %least[i] : memref<9xi64>)
      neutral(-2147483648 : i32, 2147483647 : i32)
      {schedule = #tc.schedule<thread = [i = 2], split = [q = 5], kernel = fma>}
      map (%a: i32) {
        tc.yield %a, %a : i32, i32
      } combine associative commutative (%m: i32, %l: i32, %a: i32, %b: i32) {
        %x0 = arith.maxsi %m, %a : i32
        %x1 = arith.minsi %l, %b : i32
        tc.yield %x0, %x1 : i32, i32
      } epilogue (%m: i32, %l: i32, %side: i32) {
        %a = arith.addi %m, %side : i32
        %b = arith.extsi %l : i32 to i64
        tc.yield %a, %b : i32, i64
      }
  return
}

// -----

// What has no schedule, or no split, is left alone.
// CHECK-LABEL: @alone
// CHECK-NOT: memref.alloc
// CHECK: tc.contract (q = 64)
// CHECK: tc.contract (q = 64)
// CHECK-NOT: tc.contract
func.func @alone(%x: memref<64xf32>, %z: memref<f32>) {
  tc.contract (q = 64) ins(%x[q] : memref<64xf32>) outs(%z[] : memref<f32>)
  tc.contract (q = 64) ins(%x[q] : memref<64xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<step = [q = 8], split = [q = 1], kernel = fma>}
  return
}

// -----

// Where few results are all that is known: the kernels of either way are
// variants.
// CHECK-LABEL: @default
// CHECK: scf.if
// CHECK: tc.contract (q_p = %{{.*}}, i = 8, q = %{{.*}})
// CHECK: tc.sum
// CHECK: } else {
// CHECK: tc.contract (i = 8, q = %arg1)
func.func @default(%A: memref<8x?xf32>, %n: index, %z: memref<8xf32>) {
  tc.contract (i = 8, q = %n) ins(%A[i, q] : memref<8x?xf32>) outs(%z[i] : memref<8xf32>)
  return
}

// -----

// A version that splits a sum: for few results of many terms, whose positions 32 bits hold.
// Of one tile of 4 results there are 12 parts, of several tiles as many fewer. Kernels are
// for vectors, and for what these do not divide.
// CHECK-LABEL: @version
// CHECK-SAME: memref<?x?xf32>, %[[N:.*]]: index, %[[K:.*]]: index
// CHECK: affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[TILES:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[N]], %c100
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %[[K]], %c300
// CHECK: scf.if
// CHECK: %[[SOME:.*]] = arith.maxsi %[[TILES]], %c1
// CHECK: %[[MOST:.*]] = arith.ceildivsi %c12, %[[SOME]]
// CHECK: %[[STEPS:.*]] = arith.muli %[[MOST]], %c16
// CHECK: arith.ceildivsi %[[K]], %[[STEPS]]
// CHECK: memref.alloc
// CHECK: scf.if
// CHECK: tc.contract (q_p = %{{.*}}, i = %[[N]], q = %{{.*}}) {{.*}} {schedule = #tc.schedule<thread = [i = 4], step = [q = 16], vector = [q = 4],{{.*}} tc.variant = #tc.variant<name = "below100_split_vectors_i32", index = 32, alignment = 16>}
// CHECK: } else {
// CHECK: tc.contract (q_p = %{{.*}}, i = %[[N]], q = %{{.*}}) {{.*}} tc.variant = #tc.variant<name = "below100_split_i32", index = 32>}
// CHECK: tc.sum {
// CHECK: tc.contract (i = %[[N]], q_p = %{{.*}}) {{.*}} tc.variant
// CHECK: tc.contract (i = %[[N]], q = %{{.*}}) {{.*}} tc.variant
// CHECK: memref.dealloc
// CHECK: } else {
// CHECK-NOT: split
// CHECK: tc.contract (i = %[[N]], q = %[[K]]) {{.*}} tc.versions = [#tc.version<below = 200, schedule = <thread = [i = 8], kernel = fma>>]
func.func @version(%A: memref<?x?xf32>, %n: index, %k: index, %z: memref<?xf32>) {
  tc.contract (i = %n, q = %k) ins(%A[i, q] : memref<?x?xf32>) outs(%z[i] : memref<?xf32>)
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 100, terms = 300,
                                  schedule = <thread = [i = 4], step = [q = 16], vector = [q = 4],
                                              split = [q = 12], kernel = fma>>,
                      #tc.version<below = 200, schedule = <thread = [i = 8], kernel = fma>>]}
  return
}

// -----

// Where an earlier version is better, which has the whole sum, none is split.
// CHECK-LABEL: @after_narrow
// CHECK-SAME: %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index, %[[K:[a-z0-9]+]]: index
// CHECK: %[[LARGE:.*]] = arith.cmpi sgt, %[[N]], %c8
// CHECK: arith.andi %{{.*}}, %[[LARGE]]
// CHECK: scf.if
// CHECK: tc.contract (q_p = %{{.*}} = %[[M]]
// CHECK: tc.contract (i = %[[M]], j = %[[N]], q = %[[K]]) {{.*}} tc.versions = [#tc.version<most = [j = 8], schedule = <thread = [i = 8], kernel = fma>>]
func.func @after_narrow(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %m: index, %n: index, %k: index, %C: memref<?x?xf32>) {
  tc.contract (i = %m, j = %n, q = %k) ins(%A[i, q] : memref<?x?xf32>, %B[q, j] : memref<?x?xf32>)
      outs(%C[i, j] : memref<?x?xf32>)
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<most = [j = 8], schedule = <thread = [i = 8], kernel = fma>>,
                      #tc.version<below = 100, schedule = <thread = [i = 4], step = [q = 16], split = [q = 12], kernel = fma>>]}
  return
}

// -----

// The sum of truth values is no number that an old result could be added to, as the term
// of a tc.sum is; so nothing may be left over, and it is not split.
// CHECK-LABEL: @truth
// CHECK-NOT: scf.if
// CHECK: tc.contract (q = %arg1)
// CHECK-NOT: tc.contract
func.func @truth(%A: memref<?xi1>, %n: index, %z: memref<f32>) {
  tc.contract (q = %n) ins(%A[q] : memref<?xi1>) outs(%z[] : memref<f32>) overwrite accumulate(i1)
  return
}
