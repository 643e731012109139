// tc-expand-functions: what is left for libdevice, and what is done without.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-expand-functions{own}))' | FileCheck %s
//
// Twice is once.
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-expand-functions{own}))' > %t.once
// RUN: tc-opt %t.once --pass-pipeline='builtin.module(gpu.module(tc-expand-functions{own}))' | diff %t.once -
//
// Compiled whole, nothing is called that is not there: with the toolkit, and without.
// RUN: tc-opt %s --tc-to-nvvm | FileCheck %s --check-prefix=BINARY
// RUN: env -u CUDA_HOME -u CUDA_PATH -u CUDA_ROOT tc-opt %s --tc-to-nvvm | FileCheck %s --check-prefix=BINARY
// BINARY: .entry real
// BINARY-NOT: .extern .func

gpu.module @kernels {
  // Polynomials of f32 serve narrower floats.
  // CHECK-LABEL: gpu.func @real(
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: math.fma {{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  // CHECK-NOT: math.{{exp|tanh|log}}
  gpu.func @real(%p: memref<f32>, %q: memref<f16>, %r: memref<bf16>) kernel {
    %x = memref.load %p[] : memref<f32>
    %y = memref.load %q[] : memref<f16>
    %z = memref.load %r[] : memref<bf16>
    %h = math.exp %y : f16
    memref.store %h, %q[] : memref<f16>
    %a = math.exp %x : f32
    %b = math.log %a : f32
    %c = math.tanh %b : f32
    %d = math.sinh %c : f32
    %e = math.powf %d, %x : f32
    memref.store %e, %p[] : memref<f32>
    %t = math.tanh %z : bf16
    memref.store %t, %r[] : memref<bf16>
    gpu.return
  }

  // What an instruction does stays as it is, of f64 too.
  // CHECK-LABEL: gpu.func @instructions(
  // CHECK: math.sqrt %{{.*}} : f64
  // CHECK-NEXT: math.absf %{{.*}} : f64
  // CHECK-NEXT: math.fma
  gpu.func @instructions(%p: memref<f64>) kernel {
    %x = memref.load %p[] : memref<f64>
    %a = math.sqrt %x : f64
    %b = math.absf %a : f64
    %c = math.fma %a, %b, %x : f64
    memref.store %c, %p[] : memref<f64>
    gpu.return
  }

  // Sums and products of complex numbers are left, functions are those of their parts.
  // CHECK-LABEL: gpu.func @complex(
  // CHECK: complex.mul
  // CHECK: complex.add
  // CHECK-NOT: complex.{{abs|div|conj|neg}}
  // CHECK: gpu.return
  gpu.func @complex(%p: memref<complex<f64>>, %q: memref<f64>) kernel {
    %x = memref.load %p[] : memref<complex<f64>>
    %y = complex.mul %x, %x : complex<f64>
    %z = complex.add %y, %x : complex<f64>
    %c = complex.conj %z : complex<f64>
    %d = complex.div %c, %x : complex<f64>
    %n = complex.neg %d : complex<f64>
    memref.store %n, %p[] : memref<complex<f64>>
    %a = complex.abs %n : complex<f64>
    memref.store %a, %q[] : memref<f64>
    gpu.return
  }
}

// CHECK-LABEL: func.func @host(
// CHECK: math.exp
func.func @host(%x: f32) -> f32 {
  %r = math.exp %x : f32
  return %r : f32
}
