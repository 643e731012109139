// tc-unroll: which loops are unrolled, and why a private buffer stays in local memory.
//
// RUN: tc-opt %s --tc-unroll | FileCheck %s
// RUN: tc-opt %s --tc-unroll --remarks-filter=tc-unroll -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

#private = #gpu.address_space<private>

// Rows and columns of a tile; only the loop over rows is indexed by in the second nest, and its
// columns are unrolled with it, as they are inside.
// CHECK-LABEL: @tile(
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (4, 3) unroll(12)
// CHECK: tc.seq (%{{.*}}) = (0) to (5) {
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (4, 2) unroll(8)
// CHECK: scf.for
// CHECK: } {loop_annotation = #loop_annotation}
func.func @tile(%A: memref<4x3xf32>, %B: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<4x3xf32, #private>
    tc.seq (%r, %s) = (0, 0) to (4, 3) {
      %x = memref.load %A[%r, %s] : memref<4x3xf32>
      memref.store %x, %b[%r, %s] : memref<4x3xf32, #private>
    }
    tc.seq (%k) = (0) to (5) {
      tc.seq (%r, %s) = (0, 0) to (4, 2) {
        %x = memref.load %b[%r, %c1] : memref<4x3xf32, #private>
        memref.store %x, %B[%r, %s] : memref<4x2xf32>
      }
    }
    scf.for %r = %c0 to %c4 step %c1 {
      %x = memref.load %A[%r, %c1] : memref<4x3xf32>
      memref.store %x, %b[%r, %c0] : memref<4x3xf32, #private>
    }
  }
  return
}

// An affine.for is unrolled here.
// CHECK-LABEL: @affine(
// CHECK-NOT: affine.for
// CHECK-COUNT-3: memref.store
// CHECK-NOT: memref.store
func.func @affine(%A: memref<64x3xf32>) {
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<3xf32, #private>
    affine.for %k = 0 to 3 {
      %x = memref.load %A[%i, %k] : memref<64x3xf32>
      memref.store %x, %b[%k] : memref<3xf32, #private>
    }
  }
  return
}

// What is written stays.
// CHECK-LABEL: @written(
// CHECK: unroll(2)
// REMARK: remark: {{.*}}not in registers: unroll(2) leaves more than one of 8 iterations
func.func @written(%A: memref<64x8xf32>) {
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<8xf32, #private>
    tc.seq (%k) = (0) to (8) unroll(2) {
      %x = memref.load %A[%i, %k] : memref<64x8xf32>
      memref.store %x, %b[%k] : memref<8xf32, #private>
    }
  }
  return
}

// CHECK-LABEL: @loaded(
// CHECK-NOT: unroll
// REMARK: remark: {{.*}}not in registers: a subscript is neither a constant nor the index of a loop
func.func @loaded(%A: memref<64xindex>, %B: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (64) {
    %b = tc.new init(0.0 : f32) : memref<8xf32, #private>
    %k = memref.load %A[%i] : memref<64xindex>
    memref.store %zero, %b[%k] : memref<8xf32, #private>
  }
  return
}

// CHECK-LABEL: @outside(
// CHECK-NOT: unroll
// REMARK: remark: {{.*}}not in registers: a subscript is the index of a loop round the buffer
func.func @outside(%B: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (64) {
    tc.seq (%k) = (0) to (8) {
      %b = tc.new : memref<8xf32, #private>
      memref.store %zero, %b[%k] : memref<8xf32, #private>
    }
  }
  return
}

// CHECK-LABEL: @thread(
// REMARK: remark: {{.*}}not in registers: a subscript is the index of a loop round the buffer
func.func @thread(%B: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (8) {
    %b = tc.new : memref<8xf32, #private>
    memref.store %zero, %b[%i] : memref<8xf32, #private>
  }
  return
}

// CHECK-LABEL: @dynamic(
// CHECK-NOT: unroll
// REMARK: remark: {{.*}}not in registers: a subscript is the index of a loop without a constant number of iterations
func.func @dynamic(%n: index) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<8xf32, #private>
    tc.seq (%k) = (0) to (%n) {
      memref.store %zero, %b[%k] : memref<8xf32, #private>
    }
  }
  return
}

// CHECK-LABEL: @large(
// CHECK-NOT: unroll
// REMARK: remark: {{.*}}not in registers: it would take 256 registers of 255
func.func @large() {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<256xf32, #private>
    tc.seq (%k) = (0) to (256) {
      memref.store %zero, %b[%k] : memref<256xf32, #private>
    }
  }
  return
}

// CHECK-LABEL: @long(
// CHECK-NOT: unroll
// REMARK: remark: {{.*}}not in registers: its loops would be 6004 ops once unrolled, and 6000 are allowed
func.func @long() {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<2xf32, #private>
    tc.seq (%k) = (0) to (2) {
      tc.seq (%l) = (0) to (1000) {
        memref.store %zero, %b[%k] : memref<2xf32, #private>
        memref.store %zero, %b[%l] : memref<2xf32, #private>
      }
    }
  }
  return
}

// 16 bytes at a time, as many steps as make 640 multiply-adds; but no loop is left for two passes.
// CHECK-LABEL: @wide(
// CHECK: tc.seq (%{{.*}}) = (0) to (24) unroll(8)
// CHECK: tc.seq (%{{.*}}) = (0) to (16) unroll(16)
func.func @wide(%C: memref<60xf32>) {
  tc.par grid (%g) = (0) to (2) {
    %row = tc.new init(1.0 : f32) : memref<24xf32, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (32) {
      %acc = tc.new init(0.0 : f32) : memref<60xf32, #private>
      tc.seq (%k) = (0) to (24) {
        tc.seq (%r) = (0) to (60) {
          %x = memref.load %row[%k] : memref<24xf32, #gpu.address_space<workgroup>>
          %s = memref.load %acc[%r] : memref<60xf32, #private>
          %n = math.fma %x, %x, %s : f32
          memref.store %n, %acc[%r] : memref<60xf32, #private>
        }
      }
      tc.seq (%k) = (0) to (16) {
        tc.seq (%r) = (0) to (60) {
          %x = memref.load %row[%k] : memref<24xf32, #gpu.address_space<workgroup>>
          %s = memref.load %acc[%r] : memref<60xf32, #private>
          %n = math.fma %x, %x, %s : f32
          memref.store %n, %acc[%r] : memref<60xf32, #private>
        }
      }
      tc.seq (%r) = (0) to (60) {
        %s = memref.load %acc[%r] : memref<60xf32, #private>
        memref.store %s, %C[%r] : memref<60xf32>
      }
    }
  }
  return
}
