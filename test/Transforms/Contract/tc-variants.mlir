// tc-variants: which copies are made, in which order, and why others are not.
//
// RUN: tc-opt %s --tc-variants --canonicalize --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-variants=tiles=four \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-variants='tiles=two indices=64' | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --tc-variants --tc-tile | FileCheck %s --check-prefix=TILE
// RUN: tc-opt %s --tc-variants --remarks-filter=tc-variants 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not tc-opt %s --tc-variants=tiles=some 2>&1 | FileCheck %s --check-prefix=TILES
//
// TILES: {{tiles.*some}}

#schedule = #tc.schedule<thread = [i = 8], register = [i = 2], step = [q = 4], kernel = fma>

// The four kernels of the thesis, for each width; the last is always right.
// ALL-LABEL: @both_dynamic(
// ALL: name = "interior_i32"
// ALL: name = "contracted_i32"
// ALL: name = "outer_i32"
// ALL: name = "both_i32"
// ALL: name = "interior_i64"
// ALL: name = "contracted_i64"
// ALL: name = "outer_i64"
// ALL: } else {
// ALL: name = "both_i64"
// ONE-LABEL: @both_dynamic(
// ONE: scf.if
// ONE: name = "interior_i64"
// ONE: } else {
// ONE-NEXT: tc.contract {{.*}}name = "both_i64"
// CHECK-LABEL: @both_dynamic(
// CHECK-SAME: %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index)
// CHECK: %[[REST:.*]] = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%[[M]]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: arith.cmpi slt, %{{.*}}, %c2147483648
// CHECK: scf.if
// CHECK: %[[I:.*]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 16) * 16)>()[%[[M]]]
// CHECK: %[[Q:.*]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%[[N]]]
// CHECK: tc.contract (i = %[[I]], q = %[[Q]]) {{.*}}interior_i32
// CHECK: tc.contract (i = %[[M]], q = %[[N]]) {{.*}}both_i32
//
// Tiles known to be inside take no affine.min; the grid carries on what it is.
// TILE-LABEL: @both_dynamic(
// TILE: tc.par grid {{.*}}interior_i32
// TILE-NOT: affine.min
// TILE: tc.par grid {{.*}}both_i32
// TILE: affine.min
func.func @both_dynamic(%A: memref<f32>, %y: memref<f32>, %m: index, %n: index) {
  %a = tc.view %A(%m, %n, %n) <offset = 0, sizes = [?, ?], strides = [?, 1]> : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
  %r = tc.view %y(%m) <offset = 0, sizes = [?], strides = [1]> : memref<f32> to memref<?xf32, strided<[1]>>
  tc.contract (i = %m, q = %n) ins(%a[i, q] : memref<?x?xf32, strided<[?, 1]>>)
      outs(%r[i] : memref<?xf32, strided<[1]>>) overwrite {schedule = #schedule}
  return
}

// A version for few results has the fastest kernels only; what they do not fit has its own
// schedule, whatever its size.
// CHECK-LABEL: @versions(
// CHECK-SAME: %[[FEW:[a-z0-9]+]]: index, %[[MANY:[a-z0-9]+]]: index)
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[FEW]], %c64
// CHECK: arith.andi %{{.*}}, %[[LESS]]
// CHECK: scf.if
// CHECK: tc.contract {{.*}}thread = [i = 4]{{.*}}name = "below64_interior_i32"
// CHECK: tc.contract {{.*}}thread = [i = 4]{{.*}}name = "below64_both_i32"
// CHECK: tc.contract {{.*}}thread = [i = 8]{{.*}}name = "interior_i32"
// CHECK: tc.contract {{.*}}thread = [i = 8]{{.*}}name = "both_i32"
// CHECK: tc.contract {{.*}}thread = [i = 8]{{.*}}name = "interior_i64"
// CHECK: tc.contract {{.*}}thread = [i = 8]{{.*}}name = "both_i64"
// CHECK-NOT: tc.versions
// CHECK: return
// ONE-LABEL: @versions(
// ONE-NOT: below64
// ONE: return
func.func @versions(%A: memref<f32>, %y: memref<f32>, %m: index, %n: index) {
  %a = tc.view %A(%m, %n, %n) <offset = 0, sizes = [?, ?], strides = [?, 1]> : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
  %r = tc.view %y(%m) <offset = 0, sizes = [?], strides = [1]> : memref<f32> to memref<?xf32, strided<[1]>>
  tc.contract (i = %m, q = %n) ins(%a[i, q] : memref<?x?xf32, strided<[?, 1]>>)
      outs(%r[i] : memref<?xf32, strided<[1]>>) overwrite
      {schedule = #schedule, tc.versions = [#tc.version<below = 64, schedule = <thread = [i = 4], step = [q = 4], kernel = fma>>]}
  return
}

// A version for an extent that is small: tiles stick out, and are for all. Other extents, of which
// it wants many, are those that it counts.
// CHECK-LABEL: @narrow(
// CHECK-SAME: %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index, %[[Q:[a-z0-9]+]]: index)
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[M]], %c512
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %[[Q]], %c100
// CHECK: %[[BOTH:.*]] = arith.andi %[[MANY]], %[[LONG]]
// CHECK: %[[SMALL:.*]] = arith.cmpi sle, %[[N]], %c8
// CHECK: arith.andi %[[BOTH]], %[[SMALL]]
// CHECK: tc.contract {{.*}}thread = [q = 4]{{.*}}name = "most_j8_both_vectors_i32"
// CHECK: tc.contract {{.*}}thread = [q = 4]{{.*}}name = "most_j8_both_i32"
// CHECK: tc.contract {{.*}}thread = [i = 8]{{.*}}name = "interior_i32"
// ONE-LABEL: @narrow(
func.func @narrow(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>, %m: index, %n: index, %q: index) {
  %a = tc.view %A(%m, %q, %q) <offset = 0, sizes = [?, ?], strides = [?, 1]> : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
  %b = tc.view %B(%q, %n, %n) <offset = 0, sizes = [?, ?], strides = [?, 1]> : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
  %c = tc.view %C(%m, %n, %n) <offset = 0, sizes = [?, ?], strides = [?, 1]> : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
  tc.contract (i = %m, j = %n, q = %q)
      ins(%a[i, q] : memref<?x?xf32, strided<[?, 1]>>, %b[q, j] : memref<?x?xf32, strided<[?, 1]>>)
      outs(%c[i, j] : memref<?x?xf32, strided<[?, 1]>>) overwrite
      {schedule = #schedule,
       tc.versions = [#tc.version<from = 512, terms = 100, most = [j = 8],
                                  schedule = <thread = [q = 4], register = [j = 8], step = [q = 16], vector = [q = 4], kernel = fma>>]}
  return
}

// Static contractions keep one kernel: of 32 bits up to 2^31 elements, and of 64 beyond.
// CHECK-LABEL: @small(
// CHECK-NOT: scf.if
// CHECK: tc.contract {{.*}}tc.variant = #tc.variant<index = 32>
func.func @small(%A: memref<64x64xf32>, %y: memref<64xf32>) {
  tc.contract (i = 64, q = 64) ins(%A[i, q] : memref<64x64xf32>) outs(%y[i] : memref<64xf32>) overwrite {schedule = #schedule}
  return
}

// CHECK-LABEL: @large(
// REMARK: WideIndices | {{.*}}Function=large | {{.*}}positions in operand 0, with tiles that stick out, are up to 4295032832
// CHECK-NOT: arith
// CHECK: tc.contract
// CHECK-NOT: tc.variant
// CHECK: return
func.func @large(%A: memref<65536x65536xf32>, %y: memref<65536xf32>) {
  tc.contract (i = 65536, q = 65536) ins(%A[i, q] : memref<65536x65536xf32>) outs(%y[i] : memref<65536xf32>) overwrite {schedule = #schedule}
  return
}

// 2^31 - 1 elements, of which a tile that sticks out would reach beyond.
// CHECK-LABEL: @edge(
// REMARK: WideIndices | {{.*}}Function=edge | {{.*}}positions in operand 0, with tiles that stick out, are up to 2147483648
// CHECK: tc.contract
// CHECK-NOT: tc.variant
// CHECK: return
func.func @edge(%A: memref<2147483647xf32>, %y: memref<f32>) {
  tc.contract (q = 2147483647) ins(%A[q] : memref<2147483647xf32>) outs(%y[] : memref<f32>) overwrite
      {schedule = #tc.schedule<step = [q = 4], kernel = fma>}
  return
}

// Static extents that tiles do not divide, whatever the run: no interior.
// CHECK-LABEL: @never_interior(
// CHECK-NOT: interior
// CHECK: both_i32
// CHECK-NOT: interior
// CHECK: return
func.func @never_interior(%A: memref<f32>, %y: memref<13xf32>, %n: index) {
  %a = tc.view %A(%n, %n) <offset = 0, sizes = [13, ?], strides = [?, 1]> : memref<f32> to memref<13x?xf32, strided<[?, 1]>>
  tc.contract (i = 13, q = %n) ins(%a[i, q] : memref<13x?xf32, strided<[?, 1]>>) outs(%y[i] : memref<13xf32>) overwrite {schedule = #schedule}
  return
}

// Run-time strides alone: the widths differ, tiles are as they are.
// CHECK-LABEL: @strides(
// CHECK: name = "i32", index = 32
// CHECK: name = "i64", index = 64
func.func @strides(%A: memref<f32>, %y: memref<64xf32>, %s: index) {
  %a = tc.view %A(%s) <offset = 0, sizes = [64, 64], strides = [?, 1]> : memref<f32> to memref<64x64xf32, strided<[?, 1]>>
  tc.contract (i = 64, q = 64) ins(%a[i, q] : memref<64x64xf32, strided<[?, 1]>>) outs(%y[i] : memref<64xf32>) overwrite {schedule = #schedule}
  return
}
