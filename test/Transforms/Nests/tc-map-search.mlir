// tc-map chooses by predicted time.
//
// RUN: tc-opt %s --tc-map=chip=sm_80 | FileCheck %s
// RUN: tc-opt %s --tc-map=search=false | FileCheck %s --check-prefix=NATURAL
// RUN: tc-opt %s --tc-map="explain=2 chip=sm_80" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tc-opt %s --tc-map=explain=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: tc-opt %s --tc-map=chip=sm_90a | FileCheck %s --check-prefix=SM90
// RUN: not tc-opt %s --tc-map="chip=sm_1" 2>&1 | FileCheck %s --check-prefix=WRONG

// CHIP: remark: carried out: #tc.map<grid_block(1)>
// CHIP-NEXT: {{[0-9.]+}} us on sm_90a, most of it {{.*}}; sectors 16384
// WRONG: error: {{.*}}'sm_1'

// Neighbouring threads touch neighbouring elements as it is: the mapping stays close to the
// space.
// CHECK-LABEL: @natural(
// CHECK: map #tc.map<grid_block(1)>
// NATURAL-LABEL: @natural(
// NATURAL: map #tc.map<grid_block(1)>
func.func @natural(%A: memref<512x256xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i, %j) = (0, 0) to (512, 256) {
    memref.store %zero, %A[%i, %j] : memref<512x256xf32>
  }
  return
}

// The first dimension is that of neighbours in memory, and x of the block.
// CHECK-LABEL: @order(
// CHECK: map #tc.map<permute(1, 0), grid_block(1)>
// NATURAL-LABEL: @order(
// NATURAL: map #tc.map<split_last(256), grid_block(1)>
// EXPLAIN: remark: carried out: #tc.map<permute(1, 0), grid_block(1)>
// EXPLAIN-NEXT: {{[0-9.]+}} us on sm_80, most of it {{[a-z0-9]+}}; sectors 16384 (0 of loads not in L1), wavefronts 0, instructions {{[0-9]+}}, of these {{[0-9]+}} find indices; 100.0 % of 131072 threads work
// EXPLAIN: remark: then:
func.func @order(%A: memref<512x256xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%j, %i) = (0, 0) to (256, 512) {
    memref.store %zero, %A[%i, %j] : memref<512x256xf32>
  }
  return
}

// Neither order suits both sides of a transposition: a warp is 4 rows of 8, whole sectors
// of what it reads and half of what it writes.
// CHECK-LABEL: @transpose(
// CHECK: map #tc.map<split_last(8), {{.*}}split_last(32), {{.*}}grid_block(2)>
func.func @transpose(%A: memref<512x256xf32>, %B: memref<256x512xf32>) {
  tc.par device (%i, %j) = (0, 0) to (512, 256) {
    %a = memref.load %A[%i, %j] : memref<512x256xf32>
    memref.store %a, %B[%j, %i] : memref<256x512xf32>
  }
  return
}

// Rows of three are no rows for a warp: it takes several, all of their elements.
// CHECK-LABEL: @short(
// CHECK: map #tc.map<split_last(8), permute(1, 0, 2), grid_block(2)>
func.func @short(%A: memref<512x3xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%j, %i) = (0, 0) to (3, 512) {
    memref.store %zero, %A[%i, %j] : memref<512x3xf32>
  }
  return
}

// A loaded subscript scatters, but is the same along %j.
// CHECK-LABEL: @gather(
// CHECK: map #tc.map<permute(1, 0), grid_block(1)>
func.func @gather(%A: memref<64x128xf32>, %I: memref<512xindex>, %B: memref<512x128xf32>) {
  tc.par device (%j, %i) = (0, 0) to (128, 512) {
    %r = memref.load %I[%i] : memref<512xindex>
    %a = memref.load %A[%r, %j] : memref<64x128xf32>
    memref.store %a, %B[%i, %j] : memref<512x128xf32>
  }
  return
}

// What a loop inside of the nest touches counts as often as it runs: whole sectors of %A,
// warps of 4 %i by 8 %j, go before those of %B.
// CHECK-LABEL: @loop(
// CHECK: map #tc.map<permute(1, 0), split_last(8), permute(1, 2, 0), split_last(32), {{.*}}grid_block(2)>
func.func @loop(%A: memref<16x64x256xf32>, %B: memref<256x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%j, %i) = (0, 0) to (256, 64) {
    %s = tc.seq (%k) = (0) to (16) init(%c = %zero : f32) {
      %a = memref.load %A[%k, %i, %j] : memref<16x64x256xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%j, %i] : memref<256x64xf32>
  }
  return
}

// A thread for each row: of eight neighbours, which lie in one sector, L1 has seven.
// EXPLAIN: remark: carried out: #tc.map<split_last(256), grid_block(1)>
// EXPLAIN-NEXT: sectors 32832 (4096 of loads not in L1)
func.func @rows(%A: memref<512x64xf32>, %B: memref<512xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (512) {
    %s = tc.seq (%k) = (0) to (64) init(%c = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<512x64xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i] : memref<512xf32>
  }
  return
}

// A block of 8 rows of 32, or 4 of 64, finds more in L1 than whole rows, which waits less for L2.
// CHECK-LABEL: @stencil(
// CHECK: map #tc.map<shift_lb, permute(1, 2, 0), split_last(64), {{.*}}split_last(4), {{.*}}grid_block(2)>
// SM90-LABEL: @stencil(
// SM90: map #tc.map<shift_lb, permute(1, 2, 0), split_last(32), {{.*}}split_last(8), {{.*}}grid_block(2)>
func.func @stencil(%A: memref<160x160x160xf32>, %B: memref<160x160x160xf32>) {
  %one = arith.constant 1 : index
  tc.par device (%k, %i, %j) = (1, 1, 1) to (159, 159, 159) {
    %w = arith.subi %k, %one : index
    %e = arith.addi %k, %one : index
    %s = arith.subi %j, %one : index
    %n = arith.addi %j, %one : index
    %d = arith.subi %i, %one : index
    %u = arith.addi %i, %one : index
    %a0 = memref.load %A[%i, %s, %k] : memref<160x160x160xf32>
    %a1 = memref.load %A[%i, %n, %k] : memref<160x160x160xf32>
    %a2 = memref.load %A[%d, %j, %k] : memref<160x160x160xf32>
    %a3 = memref.load %A[%u, %j, %k] : memref<160x160x160xf32>
    %a4 = memref.load %A[%i, %j, %w] : memref<160x160x160xf32>
    %a5 = memref.load %A[%i, %j, %e] : memref<160x160x160xf32>
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %a2, %a3 : f32
    %s3 = arith.addf %a4, %a5 : f32
    %s4 = arith.addf %s1, %s2 : f32
    %s5 = arith.addf %s3, %s4 : f32
    memref.store %s5, %B[%i, %j, %k] : memref<160x160x160xf32>
  }
  return
}

// A loop's loads are asked for early, in many registers, unless blocks are to be resident.
// CHECK-LABEL: @resident(
// CHECK: tc.par device {{.*}} attributes {tc.resident = 8 : i32} {
// CHECK: tc.par device {{.*}} attributes {tc.resident = 3 : i32} {
// CHECK-NOT: tc.resident
func.func @resident(%A: memref<16x64x65536xf32>, %B: memref<64x65536xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i, %j) = (0, 0) to (64, 65536) {
    %s = tc.seq (%k) = (0) to (16) init(%c = %zero : f32) {
      %a = memref.load %A[%k, %i, %j] : memref<16x64x65536xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i, %j] : memref<64x65536xf32>
  }
  // What is written stays.
  tc.par device (%i, %j) = (0, 0) to (64, 65536) attributes {tc.resident = 3 : i32} {
    %s = tc.seq (%k) = (0) to (16) init(%c = %zero : f32) {
      %a = memref.load %A[%k, %i, %j] : memref<16x64x65536xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i, %j] : memref<64x65536xf32>
  }
  // Two blocks: one is enough.
  tc.par device (%i) = (0) to (512) {
    %s = tc.seq (%k) = (0) to (16) init(%c = %zero : f32) {
      %z = arith.constant 0 : index
      %a = memref.load %A[%k, %z, %i] : memref<16x64x65536xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    %z = arith.constant 0 : index
    memref.store %s, %B[%z, %i] : memref<64x65536xf32>
  }
  // No loop.
  tc.par device (%i, %j) = (0, 0) to (64, 65536) {
    memref.store %zero, %B[%i, %j] : memref<64x65536xf32>
  }
  return
}

// The threads of a block: shared memory counts by its wavefronts. %T as it is would have
// all lanes of a warp in one bank.
// CHECK-LABEL: @block(
// CHECK: tc.par block {{.*}} map #tc.map<permute(1, 0), fold_last2> {
// NATURAL-LABEL: @block(
// NATURAL: tc.par block {{.*}} map #tc.map<fold_last2> {
func.func @block() {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%b) = (0) to (8) {
    %T = tc.new : memref<32x32xf32, #gpu.address_space<workgroup>>
    tc.par block (%j, %i) = (0, 0) to (32, 32) {
      memref.store %zero, %T[%i, %j] : memref<32x32xf32, #gpu.address_space<workgroup>>
    }
  }
  return
}

// A branch keeps lanes from elements that are none.
// CHECK-LABEL: @guarded(
// CHECK: tc.par block {{.*}} map #tc.map<fold_last2> {
func.func @guarded() {
  %zero = arith.constant 0.0 : f32
  %c5 = arith.constant 5 : index
  tc.par grid (%b) = (0) to (8) {
    %T = tc.new : memref<8x32xf32, #gpu.address_space<workgroup>>
    tc.par block (%i, %j) = (0, 0) to (8, 32) {
      %before = arith.subi %i, %c5 : index
      %inside = arith.cmpi sge, %i, %c5 : index
      scf.if %inside {
        memref.store %zero, %T[%before, %j] : memref<8x32xf32, #gpu.address_space<workgroup>>
      }
    }
  }
  return
}

// Dynamic bounds: legal whatever they are.
// CHECK-LABEL: @dynamic(
// CHECK: map #tc.map<permute(1, 0), fold_last2, split_last(64), {{.*}}split_even(2147483647), {{.*}}split_even(65535), {{.*}}grid_block(1)>
func.func @dynamic(%A: memref<?x?xf32>, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%j, %i) = (0, 0) to (%n, %m) {
    memref.store %zero, %A[%i, %j] : memref<?x?xf32>
  }
  return
}

// Real threads keep their order; so do nests whose buffers number them.
// CHECK-LABEL: @decided(
// CHECK: tc.par full block {{.*}} map #tc.map<fold_last2> {
// CHECK: tc.par block {{.*}} map #tc.map<fold_last2> {
func.func @decided(%A: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%b) = (0) to (1) {
    tc.par full block (%j, %i) = (0, 0) to (32, 32) {
      memref.store %zero, %A[%i, %j] : memref<32x32xf32>
    }
  }
  tc.par grid (%b) = (0) to (1) {
    %P = tc.new threads(2) : memref<32x32x1xf32, #gpu.address_space<private>>
    tc.par block (%j, %i) = (0, 0) to (32, 32) {
      memref.store %zero, %A[%i, %j] : memref<32x32xf32>
    }
  }
  return
}

// The start of 65536 blocks takes longer than what they load: each thread has two iterations,
// which saves a quarter of the time. Of 256 blocks it does not.
// SM90-LABEL: @sweep(
// SM90: map #tc.map<shift_lb, {{.*}}split_last(2), {{.*}}serial(1), grid_block({{.}})>
func.func @sweep(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) {
  tc.par device (%i, %j) = (1, 0) to (4095, 4096) {
    %up = affine.apply affine_map<(i) -> (i - 1)>(%i)
    %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %a = memref.load %A[%up, %j] : memref<4096x4096xf32>
    %b = memref.load %A[%i, %j] : memref<4096x4096xf32>
    %c = memref.load %A[%down, %j] : memref<4096x4096xf32>
    %ab = arith.addf %a, %b : f32
    %sum = arith.addf %ab, %c : f32
    memref.store %sum, %B[%i, %j] : memref<4096x4096xf32>
  }
  return
}

// SM90-LABEL: @small_sweep(
// SM90-NOT: serial
// SM90: return
func.func @small_sweep(%A: memref<256x256xf32>, %B: memref<256x256xf32>) {
  tc.par device (%i, %j) = (1, 0) to (255, 256) {
    %up = affine.apply affine_map<(i) -> (i - 1)>(%i)
    %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %a = memref.load %A[%up, %j] : memref<256x256xf32>
    %b = memref.load %A[%i, %j] : memref<256x256xf32>
    %c = memref.load %A[%down, %j] : memref<256x256xf32>
    %ab = arith.addf %a, %b : f32
    %sum = arith.addf %ab, %c : f32
    memref.store %sum, %B[%i, %j] : memref<256x256xf32>
  }
  return
}
