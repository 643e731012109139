// Which dimension of a copy lies fastest, and how long its rows are: where a thread goes along
// elements that are read often, it reads 16 bytes at once. And what is copied by 16 bytes, in a nest
// for aligned buffers.
//
// RUN: tc-opt %s --tc-cache --tc-unroll | FileCheck %s

// Of A the rows are read along k already, of B the columns: B is transposed, four by four elements
// at a time. Rows of 16 floats get four more, five times 16 bytes, so that eight rows lie in
// different banks.
// CHECK-LABEL: func @product(
// CHECK-DAG: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK-DAG: %[[B:.*]] = memref.extract_aligned_pointer_as_index %arg1
// CHECK-DAG: %[[C:.*]] = memref.extract_aligned_pointer_as_index %arg2
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[ALIGNED]] {
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<index = 64, alignment = 16>} {
// CHECK: tc.stage %{{.*}} chunk(4) : memref<32x16xf32, {{.*}}> to memref<32x16xf32, strided<[20, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} chunk(4) rows(4) : memref<16x32xf32, {{.*}}> to memref<16x32xf32, strided<[1, 20]>, #gpu.address_space<workgroup>>
// CHECK: tc.seq {{.*}} unroll(16) {
// CHECK: } else {
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<name = "unaligned", index = 64>} {
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<32x16xf32, {{.*}}> to memref<32x16xf32, strided<[20, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : memref<16x32xf32, {{.*}}> to memref<16x32xf32, strided<[1, 20]>, #gpu.address_space<workgroup>>
func.func @product(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.par grid (%bi, %bj) = (0, 0) to (64, 64) step (32, 32) {
    tc.seq (%kk) = (0) to (64) step (16) {
      tc.cache %A : memref<64x64xf32>
      tc.cache %B : memref<64x64xf32>
      tc.par block (%ti, %tj) = (0, 0) to (32, 32) {
        %i = affine.apply affine_map<(b, t) -> (b + t)>(%bi, %ti)
        %j = affine.apply affine_map<(b, t) -> (b + t)>(%bj, %tj)
        %old = memref.load %C[%i, %j] : memref<64x64xf32>
        %new = tc.seq (%k) = (0) to (16) init(%s = %old : f32) {
          %q = affine.apply affine_map<(b, k) -> (b + k)>(%kk, %k)
          %a = memref.load %A[%i, %q] : memref<64x64xf32>
          %b = memref.load %B[%q, %j] : memref<64x64xf32>
          %n = math.fma %a, %b, %s : f32
          tc.yield %n : f32
        }
        memref.store %new, %C[%i, %j] : memref<64x64xf32>
      }
    }
  }
  return
}

// Each element is read once: a copy in another order would cost more than it saves. Threads read
// the same row, so that rows need no pad.
// CHECK-LABEL: func @once(
// CHECK: tc.stage %{{.*}} chunk(4) : {{.*}} to memref<64x32xf32, strided<[32, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.seq {{.*}} init(%{{.*}} = %{{.*}} : f32) {
func.func @once(%A: memref<64x64xf32>, %C: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%b) = (0) to (64) step (32) {
    tc.cache %A : memref<64x64xf32>
    tc.par block (%t) = (0) to (32) {
      %j = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %sum = tc.seq (%k) = (0) to (64) init(%s = %zero : f32) {
        %a = memref.load %A[%k, %j] : memref<64x64xf32>
        %n = arith.addf %a, %s : f32
        tc.yield %n : f32
      }
      memref.store %sum, %C[%j] : memref<64xf32>
    }
  }
  return
}

// Windows that begin anywhere are no groups of 16 bytes; what is written stays as it is.
// CHECK-LABEL: func @windows(
// CHECK: tc.stage %{{.*}} to memref<72xf32, strided<[1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} to memref<8x16xf64, strided<[18, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.seq {{.*}} init(%{{.*}} = %{{.*}} : f32) {
// CHECK: tc.seq {{.*}} init(%{{.*}} = %{{.*}} : f64) unroll(16) {
func.func @windows(%A: memref<136xf32>, %B: memref<8x16xf64>, %C: memref<128xf32>, %D: memref<128x8xf64>) {
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  tc.par grid (%b) = (0) to (128) step (64) {
    tc.cache %A : memref<136xf32>
    tc.cache %B : memref<8x16xf64>
    tc.par block (%t) = (0) to (64) {
      %i = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %sum = tc.seq (%k) = (0) to (9) init(%s = %zero : f32) {
        %j = affine.apply affine_map<(i, k) -> (i + k)>(%i, %k)
        %a = memref.load %A[%j] : memref<136xf32>
        %n = arith.addf %a, %s : f32
        tc.yield %n : f32
      }
      memref.store %sum, %C[%i] : memref<128xf32>
      tc.seq (%r) = (0) to (8) {
        %dot = tc.seq (%k) = (0) to (16) init(%s = %zero64 : f64) {
          %x = memref.load %B[%r, %k] : memref<8x16xf64>
          %n = arith.addf %x, %s : f64
          tc.yield %n : f64
        }
        memref.store %dot, %D[%i, %r] : memref<128x8xf64>
      }
    }
  }
  return
}

// Rows of 66 elements begin at multiples of 8 bytes, a window at an odd element anywhere; and
// what threads read across gets a pad of one element.
// CHECK-LABEL: func @narrow(
// CHECK-NOT: scf.if
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : {{.*}} to memref<16x32xf32, strided<[32, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : {{.*}} to memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
// CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32) : {{.*}} to memref<32x8xf32, strided<[9, 1]>, #gpu.address_space<workgroup>>
func.func @narrow(%A: memref<64x66xf32>, %B: memref<72xf32>, %C: memref<64x8xf32>, %D: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  tc.par grid (%b) = (0) to (64) step (32) {
    tc.cache %A : memref<64x66xf32>
    tc.cache %B : memref<72xf32>
    tc.cache %C : memref<64x8xf32>
    tc.par block (%t) = (0) to (32) {
      %j = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %l = affine.apply affine_map<(b, t) -> (b + t + 3)>(%b, %t)
      %first = memref.load %B[%l] : memref<72xf32>
      %sum = tc.seq (%k) = (0) to (16) init(%s = %first : f32) {
        %a = memref.load %A[%k, %j] : memref<64x66xf32>
        %n = arith.addf %a, %s : f32
        tc.yield %n : f32
      }
      %y = memref.load %C[%j, %c0] : memref<64x8xf32>
      %z = memref.load %C[%j, %c7] : memref<64x8xf32>
      %v = arith.addf %y, %z : f32
      %x = arith.addf %sum, %v : f32
      memref.store %x, %D[%j] : memref<64xf32>
    }
  }
  return
}

// Buffers of which it is known: no test.
// CHECK-LABEL: func @known(
// CHECK-NOT: scf.if
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<index = 64, alignment = 16>} {
// CHECK: tc.stage %{{.*}} chunk(8) : {{.*}} to memref<32x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>
// CHECK-NOT: tc.par grid
func.func @known(%A: memref<32x128xf16>, %D: memref<128xf16>) {
  %a = memref.assume_alignment %A, 16 : memref<32x128xf16>
  %d = memref.assume_alignment %D, 16 : memref<128xf16>
  %zero = arith.constant 0.0 : f16
  tc.par grid (%b) = (0) to (128) step (64) {
    tc.cache %a : memref<32x128xf16>
    tc.par block (%t) = (0) to (64) {
      %j = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %sum = tc.seq (%k) = (0) to (32) init(%s = %zero : f16) {
        %e = memref.load %a[%k, %j] : memref<32x128xf16>
        %n = arith.addf %e, %s : f16
        tc.yield %n : f16
      }
      memref.store %sum, %d[%j] : memref<128xf16>
    }
  }
  return
}

// What is said of the nest stays: its indices and its name, and that buffers are aligned.
// CHECK-LABEL: func.func @said(
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<name = "own", index = 32, alignment = 16>} {
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<name = "own_unaligned", index = 32>} {
// CHECK-NOT: scf.if
// CHECK: tc.par grid {{.*}} attributes {tc.variant = #tc.variant<index = 64, alignment = 16>} {
// CHECK-NOT: tc.par grid
func.func @said(%A: memref<32x128xf32>, %D: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%b) = (0) to (128) step (64) attributes {tc.variant = #tc.variant<name = "own", index = 32>} {
    tc.cache %A : memref<32x128xf32>
    tc.par block (%t) = (0) to (32) {
      %j = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %sum = tc.seq (%k) = (0) to (32) init(%s = %zero : f32) {
        %e = memref.load %A[%k, %j] : memref<32x128xf32>
        %n = arith.addf %e, %s : f32
        tc.yield %n : f32
      }
      memref.store %sum, %D[%j] : memref<128xf32>
    }
  }
  tc.par grid (%b) = (0) to (128) step (64) attributes {tc.variant = #tc.variant<index = 64, alignment = 16>} {
    tc.cache %A : memref<32x128xf32>
    tc.par block (%t) = (0) to (64) {
      %j = affine.apply affine_map<(b, t) -> (b + t)>(%b, %t)
      %e = memref.load %A[%t, %j] : memref<32x128xf32>
      memref.store %e, %D[%j] : memref<128xf32>
    }
  }
  return
}
