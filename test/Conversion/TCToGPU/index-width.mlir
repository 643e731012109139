// Two kernels where extents are dynamic: one with indices of 32 bits, if the host finds that these
// are enough, and one with 64.
//
// RUN: tc-opt %s --convert-tc-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --convert-tc-to-gpu --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @copy(
// CHECK: %[[SMALL:.*]] = arith.cmpi slt, %{{.*}}, %c2147483648 : index
// CHECK: %[[POSITIVE:.*]] = arith.cmpi sge, %{{.*}}, %c0 : index
// CHECK: %[[FITS:.*]] = arith.andi %[[SMALL]], %[[POSITIVE]] : i1
// CHECK: scf.if %[[FITS]] {
// CHECK: arith.index_cast %{{.*}} : index to i64
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: gpu.launch {{.*}} module(@copy_kernels_i32) function(@copy_i32)
// CHECK: } else {
// CHECK: gpu.launch {{.*}} module(@copy_kernels) function(@copy)
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  tc.par device (%i, %j) = (0, 0) to (%m, %n) map #tc.map<fold_last2, split_last(256), permute(1, 0), grid_block(1)> {
    %x = memref.load %A[%i, %j] : memref<?x?xf32>
    memref.store %x, %B[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  }
  return
}

// An index that was loaded is that of an element, if it is nothing but a subscript.
// CHECK-LABEL: func.func @gather(
// CHECK: scf.if %{{.*}} {
// CHECK: gpu.launch {{.*}} function(@gather_i32)
// CHECK: } else {
// CHECK: gpu.launch {{.*}} function(@gather)
func.func @gather(%A: memref<?xf32>, %I: memref<?xi64>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %B, %c0 : memref<?xf32>
  tc.par device (%i) = (0) to (%n) map #tc.map<split_last(256), permute(1, 0), grid_block(1)> {
    %p = memref.load %I[%i] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    %x = memref.load %A[%q] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  return
}

// What is static has one kernel, which LLVM narrows where it gains by that.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: scf.if
// CHECK: gpu.launch {{.*}} module(@known_kernels) function(@known)
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @known(%A: memref<512xf32>, %B: memref<512xf32>) {
  tc.par device (%i) = (0) to (512) map #tc.map<split_last(256), permute(1, 0), grid_block(1)> {
    %x = memref.load %A[%i] : memref<512xf32>
    memref.store %x, %B[%i] : memref<512xf32>
  }
  return
}

// CHECK-LABEL: func.func @hashed(
// CHECK: gpu.launch {{.*}} function(@hashed)
// CHECK-NOT: gpu.launch
// CHECK: return
// REMARK: remark: [Missed] WideIndices {{.*}}Function=hashed | {{.*}}indices have 64 bits, which are slower: no bound is known for those of 'arith.index_cast'
func.func @hashed(%A: memref<?xf32>, %I: memref<?xi64>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %B, %c0 : memref<?xf32>
  tc.par device (%i) = (0) to (%n) map #tc.map<split_last(256), permute(1, 0), grid_block(1)> {
    %p = memref.load %I[%i] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    %r = arith.remui %q, %c7 : index
    %x = memref.load %A[%r] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  return
}

// An index in memory has 64 bits.
// CHECK-LABEL: func.func @stored(
// CHECK: gpu.launch {{.*}} function(@stored)
// CHECK-NOT: gpu.launch
// CHECK: return
// REMARK: remark: [Missed] WideIndices {{.*}}Function=stored | {{.*}}no bound is known
func.func @stored(%A: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xindex>
  tc.par device (%i) = (0) to (%n) map #tc.map<split_last(256), permute(1, 0), grid_block(1)> {
    memref.store %i, %A[%i] : memref<?xindex>
  }
  return
}

// A negative number is another one without its sign, and by how much depends on its bits.
// CHECK-LABEL: func.func @unsigned(
// CHECK: gpu.launch {{.*}} function(@unsigned)
// CHECK-NOT: gpu.launch
// CHECK: return
// REMARK: remark: [Missed] WideIndices {{.*}}Function=unsigned | {{.*}}no bound is known for those of 'arith.divui'
func.func @unsigned(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %B, %c0 : memref<?xf32>
  tc.par device (%i) = (0) to (%n) map #tc.map<split_last(256), permute(1, 0), grid_block(1)> {
    %p = arith.subi %i, %n : index
    %q = arith.divui %p, %c7 : index
    %r = arith.andi %q, %c7 : index
    %x = memref.load %A[%r] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  return
}
