// tc-tile: block tiles of inputs in workgroup memory, or read where they lie.
//
// RUN: tc-opt %s --tc-tile --cse --mlir-print-local-scope | FileCheck %s

// The fastest threads walk j. In B they are the last dimension, with nothing inside to pad;
// in A they are not there at all.
// CHECK-LABEL: @divides(
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f32) threads(2) : memref<4x8x2x2xf32>
// CHECK: tc.seq
// CHECK: %[[A:.*]] = tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<8x4xf32, {{.*}}> to memref<8x4xf32, strided<[4, 1]>, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<4x16xf32, {{.*}}> to memref<4x16xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) =
// CHECK-DAG: %[[AI:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[I]])
// CHECK-DAG: tc.view %[[A]](%[[AI]]) <offset = ?, sizes = [2, 4], strides = [16, 1]>
// CHECK-DAG: tc.view %[[B]](%[[J]]) <offset = ?, sizes = [4, 2], strides = [16, 8]>
// CHECK-DAG: memref.subview %[[ACC]][%[[I]], %[[J]], 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : memref<4x8x2x2xf32> to memref<2x2xf32, strided<[2, 1], offset: ?>>
// CHECK: tc.contract (i = 2, j = 2, q = 4)
func.func @divides(%A: memref<16x12xf32>, %B: memref<12x32xf32>, %C: memref<16x32xf32>) {
  tc.contract (i = 16, j = 32, q = 12)
      ins(%A[i, q] : memref<16x12xf32>, %B[q, j] : memref<12x32xf32>) outs(%C[i, j] : memref<16x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 2, j = 2], step = [q = 4], kernel = fma>}
  return
}

// Padding: threads walk j, and q lies inside it. Rows of 8 elements are 9 apart, so that
// lanes fall into different banks; of 5 they stay.
// CHECK-LABEL: @padded(
// CHECK: tc.stage %{{.*}} to memref<16x8xf32, strided<[9, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.view %{{.*}} <offset = ?, sizes = [2, 8], strides = [72, 1]>
// CHECK: tc.stage %{{.*}} to memref<16x5xf32, strided<[5, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.view %{{.*}} <offset = ?, sizes = [2, 5], strides = [40, 1]>
func.func @padded(%B: memref<32x20xf32>, %C: memref<32xf32>) {
  tc.contract (j = 32, q = 20) ins(%B[j, q] : memref<32x20xf32>) outs(%C[j] : memref<32xf32>)
      {schedule = #tc.schedule<thread = [j = 8], register = [j = 2], step = [q = 8], kernel = fma>}
  tc.contract (j = 32, q = 20) ins(%B[j, q] : memref<32x20xf32>) outs(%C[j] : memref<32xf32>)
      {schedule = #tc.schedule<thread = [j = 8], register = [j = 2], step = [q = 5], kernel = fma>}
  return
}

// A thread's row of one access lies as in memory, but for whole chunks between rows.
// CHECK-LABEL: @chunks(
// CHECK: tc.stage %{{.*}} chunk(4) : memref<8x2x4xf32, {{.*}}> to memref<8x2x4xf32, strided<[{{8|12|16|20}}, 4, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.contract (i = 1, q = 2, q_v = 4)
// Aligned to 4 bytes, they are copied one by one.
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<8x2x4xf32
func.func @chunks(%X: memref<32x64xf32>, %Z: memref<32xf32>) {
  tc.contract (i = 32, q = 64) ins(%X[i, q] : memref<32x64xf32>) outs(%Z[i] : memref<32xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 8], vector = [q = 4], kernel = fma>}
  return
}

// No access takes several complex numbers, also where the schedule asks for it.
// CHECK-LABEL: @complex(
// CHECK: tc.stage %{{.*}} : memref<8x2x2xcomplex<f32>, {{.*}}> to memref<8x2x2xcomplex<f32>, strided<[4, 2, 1]>, #gpu.address_space<workgroup>>
// CHECK-NOT: chunk
// CHECK: return
func.func @complex(%X: memref<32x64xcomplex<f32>>, %Z: memref<32xcomplex<f32>>) {
  tc.contract (i = 32, q = 64)
      ins(%X[i, q] : memref<32x64xcomplex<f32>>) outs(%Z[i] : memref<32xcomplex<f32>>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 4], vector = [q = 2],
                               stage = [[i = 4, q = 2, q = 1] by 2], kernel = fma>}
  return
}

// Partial tiles are filled, so that the tile a thread works on is whole: its extents are
// those of the schedule. What is written back is what is inside.
// CHECK-LABEL: @partial(
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f64) : memref<?x?xf64, {{.*}}> to memref<8x4xf64, strided<[4, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f64) : memref<?x?xf64, {{.*}}> to memref<4x16xf64, strided<[16, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.contract (i = 2, j = 2, q = 4)
// CHECK: tc.contract (i = %{{.*}}, j = %{{.*}}) ins
func.func @partial(%A: memref<13x7xf64>, %B: memref<7x31xf64>, %C: memref<13x31xf64>) {
  tc.contract (i = 13, j = 31, q = 7)
      ins(%A[i, q] : memref<13x7xf64>, %B[q, j] : memref<7x31xf64>) outs(%C[i, j] : memref<13x31xf64>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 2, j = 2], step = [q = 4], kernel = fma>}
  return
}

// A permuted input is staged as it lies, so that reads of it are in order; a reversed one
// and a diagonal are ordinary tiles. All of them are for several threads.
// CHECK-LABEL: @layouts(
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<4x8xf32, strided<[16, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<4xf32, strided<[-1], offset: ?>> to memref<4xf32, strided<[1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<8xf32, strided<[17], offset: ?>> to memref<8xf32, strided<[1]>, #gpu.address_space<workgroup>>
func.func @layouts(%A: memref<12x16xf32>, %r: memref<12xf32>, %D: memref<16x16xf32>, %C: memref<2x16xf32>) {
  tc.contract (k = 2, i = 16, q = 12)
      ins(%A[q, i] : memref<12x16xf32>, %r[11 - q] : memref<12xf32>, %D[i, i] : memref<16x16xf32>)
      outs(%C[k, i] : memref<2x16xf32>)
      {schedule = #tc.schedule<thread = [k = 2, i = 8], step = [q = 4], kernel = fma>}
  return
}

// What no two threads read stays where it is, when lanes read neighbours there: not the
// second input, which lies along i. The tile that is not copied is not filled either.
// CHECK-LABEL: @in_place(
// CHECK: tc.seq
// CHECK: %[[TILE:.*]] = tc.view %{{.*}} strides = [30, 1]> : memref<14x30xf32> to memref<?x?xf32, strided<[30, 1], offset: ?>>
// CHECK: %[[B:.*]] = tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<?x?xf32, strided<[14, 1], offset: ?>> to memref<16x4xf32, {{.*}}, #gpu.address_space<workgroup>>
// CHECK-NOT: tc.stage
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (4, 8) {
// CHECK-DAG: %[[MINE:.*]] = tc.view %[[TILE]]({{.*}}) <offset = ?, sizes = [?, ?], strides = [120, 8]>
// CHECK-DAG: %[[YOURS:.*]] = tc.view %[[B]]({{.*}}) <offset = ?, sizes = [2, 1]
// CHECK: tc.contract (i = %{{.*}}, q = %{{.*}}) ins(%[[MINE]][i, q] : {{.*}}, %[[YOURS]][q, i]
func.func @in_place(%A: memref<14x30xf32>, %B: memref<30x14xf32>, %C: memref<14xf32>) {
  tc.contract (i = 14, q = 30)
      ins(%A[i, q] : memref<14x30xf32>, %B[q, i] : memref<30x14xf32>) outs(%C[i] : memref<14xf32>)
      {schedule = #tc.schedule<thread = [i = 4, q = 8], step = [q = 16], kernel = fma>}
  return
}

// The map region goes with the contraction; its inputs keep their types.
// CHECK-LABEL: @regions(
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f16) : {{.*}} to memref<8x4xf16
// CHECK: tc.stage %{{.*}} pad(0 : i8) : {{.*}} to memref<4xi8
// CHECK: tc.contract (i = 1, q = 4)
// CHECK: map (%{{.*}}: f16, %{{.*}}: i8)
func.func @regions(%A: memref<16x12xf16>, %B: memref<12xi8>, %C: memref<16xf32>) {
  tc.contract (i = 16, q = 12)
      ins(%A[i, q] : memref<16x12xf16>, %B[q] : memref<12xi8>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 4], kernel = fma>}
      map (%x: f16, %y: i8) {
        %f = arith.extf %x : f16 to f32
        %g = arith.sitofp %y : i8 to f32
        %p = arith.mulf %f, %g : f32
        tc.yield %p : f32
      }
  return
}

// Rank 0: tiles of one element.
// CHECK-LABEL: @rank0(
// CHECK: tc.new init(0.000000e+00 : f32) : memref<f32>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<f32> to memref<f32, strided<[]>, #gpu.address_space<workgroup>>
// CHECK: tc.contract () ins
func.func @rank0(%x: memref<f32>, %y: memref<f32>) {
  tc.contract () ins(%x[] : memref<f32>) outs(%y[] : memref<f32>)
  return
}

// What the schedule says of staging is done: rows apart as far as it likes, in its order of
// dimensions, or read in place.
// CHECK-LABEL: @given(
// CHECK: tc.stage %{{.*}} : memref<4x8xf32, strided<[1, 12], offset: ?>> to memref<4x8xf32, strided<[11, 1]>, #gpu.address_space<workgroup>>
// CHECK-NOT: tc.stage
// CHECK: return
func.func @given(%A: memref<16x12xf32>, %B: memref<12x32xf32>, %C: memref<16x32xf32>) {
  tc.contract (i = 16, j = 32, q = 12)
      ins(%A[i, q] : memref<16x12xf32>, %B[q, j] : memref<12x32xf32>) outs(%C[i, j] : memref<16x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 2, j = 2], step = [q = 4],
                               stage = [[q = 11, i = 1], in_place], kernel = fma>}
  return
}
