// tc-promote: a memory space for each buffer of a nest.
//
// RUN: tc-opt %s --tc-tile --tc-promote --cse --mlir-print-local-scope | FileCheck %s
//
// A chip that has less shared memory:
// RUN: tc-opt %s --tc-tile --tc-promote=chip=sm_80 | FileCheck %s --check-prefix=SM80
//
// What is placed is left alone.
// RUN: tc-opt %s --tc-tile --tc-promote > %t.once
// RUN: tc-opt %t.once --tc-promote | diff %t.once -

// The results that threads show each other are in workgroup memory.
// CHECK-LABEL: @shared(
// CHECK: tc.new init(0.000000e+00 : f32) threads(2) : memref<1x16x2xf32, #gpu.address_space<private>>
// CHECK: tc.new : memref<2x1x16xf32, #gpu.address_space<workgroup>>
func.func @shared(%A: memref<8x64xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [q = 16], register = [i = 2], step = [q = 64], kernel = fma>}
  return
}

// A buffer that has a place keeps it, and one that is not of threads is for all of them.
// CHECK-LABEL: @placed(
// CHECK: tc.new init(0.000000e+00 : f32) threads(1) : memref<4x2xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new init(0.000000e+00 : f32) : memref<4x2xf32, #gpu.address_space<workgroup>>
func.func @placed(%C: memref<4xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new init(0.0 : f32) threads(1) : memref<4x2xf32, #gpu.address_space<workgroup>>
    %b = tc.new init(0.0 : f32) : memref<4x2xf32>
    tc.par block (%t) = (0) to (4) {
      %x = memref.load %a[%t, %g] : memref<4x2xf32, #gpu.address_space<workgroup>>
      %y = memref.load %b[%t, %g] : memref<4x2xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %C[%t] : memref<4xf32>
    }
  }
  return
}

// Outside of nests a buffer lasts from kernel to kernel; a kernel fills it.
// CHECK-LABEL: @outside(
// CHECK: %[[N:.+]] = memref.alloc() : memref<4x8xf32>
// CHECK-NEXT: tc.par device (%[[I:.+]], %[[J:.+]]) = (0, 0) to (4, 8) {
// CHECK: memref.store %{{.*}}, %[[N]][%[[I]], %[[J]]]
// CHECK: memref.alloc() : memref<f32>
// CHECK-NEXT: tc.par device
func.func @outside(%C: memref<8xf32>) {
  %n = tc.new init(1.0 : f32) : memref<4x8xf32>
  %m = tc.new init(2.0 : f32) : memref<f32, #gpu.address_space<global>>
  tc.par device (%i) = (0) to (8) {
    %c0 = arith.constant 0 : index
    %x = memref.load %n[%c0, %i] : memref<4x8xf32>
    %y = memref.load %m[] : memref<f32, #gpu.address_space<global>>
    %z = arith.addf %x, %y : f32
    memref.store %z, %C[%i] : memref<8xf32>
  }
  return
}

// Of 160 and 96 KiB the smaller buffer makes room enough.
// CHECK-LABEL: @large(
// CHECK: tc.new : memref<40960xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new : memref<24576xf32, #gpu.address_space<global>>
// CHECK: tc.new : memref<262144xf32, #gpu.address_space<global>>
// CHECK: tc.new : memref<1024xf32, #gpu.address_space<private>>
func.func @large(%A: memref<40960xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new : memref<40960xf32>
    %b = tc.new : memref<24576xf32>
    tc.par block (%t) = (0) to (24576) {
      %x = memref.load %A[%t] : memref<40960xf32>
      memref.store %x, %a[%t] : memref<40960xf32>
      memref.store %x, %b[%t] : memref<24576xf32>
      %c = tc.new : memref<262144xf32>
      %d = tc.new : memref<1024xf32>
      memref.store %x, %c[%t] : memref<262144xf32>
      memref.store %x, %d[%g] : memref<1024xf32>
    }
    tc.par block (%t) = (0) to (24576) {
      %x = memref.load %a[%t] : memref<40960xf32>
      %y = memref.load %b[%t] : memref<24576xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %A[%t] : memref<40960xf32>
    }
  }
  return
}

// Each warp has its own, eight in a block of the usual size; what a program places stays.
// CHECK-LABEL: @warps(
// CHECK: tc.new : memref<8192xf32, #gpu.address_space<global>>
// CHECK: tc.new : memref<1024xf32, #gpu.address_space<workgroup>>
func.func @warps(%A: memref<8192xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%w) = (0) to (8) {
      %a = tc.new : memref<8192xf32>
      %b = tc.new : memref<1024xf32, #gpu.address_space<workgroup>>
      tc.par warp (%l) = (0) to (1024) {
        %x = memref.load %A[%l] : memref<8192xf32>
        memref.store %x, %a[%l] : memref<8192xf32>
        memref.store %x, %b[%l] : memref<1024xf32, #gpu.address_space<workgroup>>
      }
    }
  }
  return
}

// More iterations than an integer counts are those of a block of the usual size.
// CHECK-LABEL: @warps_of_many(
// CHECK: tc.new : memref<8192xf32, #gpu.address_space<global>>
func.func @warps_of_many(%A: memref<8192xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%v, %w) = (0, 0) to (4294967296, 4294967296) {
      %a = tc.new : memref<8192xf32>
      tc.par warp (%l) = (0) to (1024) {
        %x = memref.load %A[%l] : memref<8192xf32>
        memref.store %x, %a[%l] : memref<8192xf32>
      }
    }
  }
  return
}

// As many bytes as a block has on sm_90a, and four more.
// CHECK-LABEL: @limit(
// CHECK: tc.new : memref<58112xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new : memref<58113xf32, #gpu.address_space<global>>
// SM80-LABEL: @limit(
// SM80: tc.new : memref<58112xf32, #gpu.address_space<global>>
// SM80: tc.new : memref<58113xf32, #gpu.address_space<global>>
func.func @limit(%A: memref<58113xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new : memref<58112xf32>
    tc.par block (%t) = (0) to (32) {
      %x = memref.load %A[%t] : memref<58113xf32>
      memref.store %x, %a[%t] : memref<58112xf32>
    }
  }
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new : memref<58113xf32>
    tc.par block (%t) = (0) to (32) {
      %x = memref.load %A[%t] : memref<58113xf32>
      memref.store %x, %a[%t] : memref<58113xf32>
    }
  }
  return
}
