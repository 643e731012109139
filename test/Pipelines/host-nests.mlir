// A nest that calls what only the host has runs there, between kernels, in host code that
// tc-opt makes. Without them, too.
//
// RUN: tc-opt %s --tc-to-nvvm --remarks 2>%t.remarks \
// RUN: | env TC_DRIVER=emulator TC_EMU_CHECKS=all mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so,%mlir_libs/libmlir_runner_utils.so \
// RUN: | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS --implicit-check-not=HostNest < %t.remarks
//
// A package has no host code but launches; nor has PTX.
// RUN: not tc-compile %s --name=roots --emit=package -o %t.package 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not tc-compile %s --name=roots -o - 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=.extern
// RUN: tc-compile %s --name=roots --emit=gpu -o - | FileCheck %s --check-prefix=GPU
// REFUSED: host-nests.mlir:[[#@LINE+27]]:14: error: expected a function with a body, or of libdevice, got 'cbrtf': the nest that calls it is host code, of which nothing is kept here but launches; tc-opt --tc-to-nvvm keeps it
// REFUSED: host-nests.mlir:[[#@LINE+17]]:5: note: the nest
// GPU: call @roots_host(

func.func private @cbrtf(f32) -> f32

// The second nest reads what the first one, a kernel, wrote, and the third one what it wrote
// itself, in a part of a buffer, by a view.
func.func @roots(%A: memref<?xf32>, %B: memref<6xf32>, %n: index) {
  tc.par (%i) = (0) to (%n) {
    %x = memref.load %A[%i] : memref<?xf32>
    %s = arith.mulf %x, %x : f32
    %c = arith.mulf %s, %x : f32
    memref.store %c, %A[%i] : memref<?xf32>
  }
  %part = memref.subview %B[1] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 1>>
  %one = arith.constant 1.0 : f32
  tc.seq (%k) = (0) to (2) {
    tc.par (%i) = (0) to (4) {
      %t = tc.new : memref<1xf32>
      %c0 = arith.constant 0 : index
      %x = memref.load %A[%i] : memref<?xf32>
      %z = arith.addf %x, %one : f32
      memref.store %z, %t[%c0] : memref<1xf32>
      tc.reduce (%j) = (0) to (1) init(%one : f32) {
        %r = memref.load %t[%c0] : memref<1xf32>
        %y = arith.subf %r, %one : f32
        %w = func.call @cbrtf(%y) : (f32) -> f32
        tc.yield %w : f32
      } combine (%a: f32, %b: f32) {
        %p = arith.mulf %a, %b : f32
        tc.yield %p : f32
      } finish (%p: f32) {
        memref.store %p, %part[%i] : memref<4xf32, strided<[1], offset: 1>>
      }
    }
  }
  tc.par (%i) = (0) to (6) {
    %x = memref.load %B[%i] : memref<6xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %B[%i] : memref<6xf32>
  }
  return
}

func.func @alone(%A: memref<6xf32>) {
  tc.par (%i) = (0) to (6) {
    %x = memref.load %A[%i] : memref<6xf32>
    %y = func.call @root(%x) : (f32) -> f32
    // By the C library on the host.
    %z = math.erf %y : f32
    memref.store %z, %A[%i] : memref<6xf32>
  }
  return
}
// A function that nests call, and that stays a function.
func.func private @root(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf olt, %x, %zero : f32
  cf.cond_br %c, ^a, ^b
^a:
  return %zero : f32
^b:
  %y = call @cbrtf(%x) : (f32) -> f32
  return %y : f32
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %A = gpu.alloc host_shared (%c6) : memref<?xf32>
  %B = gpu.alloc host_shared () : memref<6xf32>
  scf.for %i = %c0 to %c6 step %c1 {
    %k = arith.index_cast %i : index to i32
    %x = arith.sitofp %k : i32 to f32
    memref.store %x, %A[%i] : memref<?xf32>
    memref.store %x, %B[%i] : memref<6xf32>
  }
  call @roots(%A, %B, %c6) : (memref<?xf32>, memref<6xf32>, index) -> ()
  %a = memref.cast %A : memref<?xf32> to memref<*xf32>
  %b = memref.cast %B : memref<6xf32> to memref<*xf32>
  // CHECK: [0,  1,  8,  27,  64,  125]
  call @printMemrefF32(%a) : (memref<*xf32>) -> ()
  // CHECK: [0,  0,  2,  4,  6,  10]
  call @printMemrefF32(%b) : (memref<*xf32>) -> ()
  %eight = arith.constant 8.0 : f32
  memref.store %eight, %B[%c1] : memref<6xf32>
  call @alone(%B) : (memref<6xf32>) -> ()
  // CHECK: [0,  0.99532
  call @printMemrefF32(%b) : (memref<*xf32>) -> ()
  %t = gpu.wait async
  %t0 = gpu.dealloc async [%t] %A : memref<?xf32>
  %t1 = gpu.dealloc async [%t0] %B : memref<6xf32>
  gpu.wait [%t1]
  return
}
func.func private @printMemrefF32(memref<*xf32>)

// REMARKS: host-nests.mlir:[[#]]:14: {{.*}}HostNest{{.*}} Reason="the nest runs on the host, on copies of its buffers, since 'cbrtf' has no body"
// REMARKS: HostNest
