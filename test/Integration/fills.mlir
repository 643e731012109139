// Results that depend on no input: fills alone, of views, before and after other ops. Each
// function against the reference.
//
// RUN: grep -o '^func.func @[a-z0-9_]*' %s | sed 's|func.func @\(.*\)|{"case": "\1", "input": "%s", "name": "\1"}|' > %t.jsonl
// RUN: tc-run --batch=%t.jsonl --device=emulator --verify > %t.reports
// RUN: FileCheck %s < %t.reports --implicit-check-not='"verified":false' --implicit-check-not='"error"'
// CHECK-COUNT-10: "verified":true
//
// RUN: tc-opt %s --tc-to-nvvm=format=isa | FileCheck %s --check-prefix=KERNEL
// KERNEL-LABEL: llvm.func @alone(
// KERNEL: gpu.launch_func
// KERNEL-LABEL: llvm.func @of_the_run(
// KERNEL: gpu.launch_func @of_the_run_kernels::@of_the_run blocks {{.*}} : f32
// KERNEL: gpu.launch_func @of_the_run_kernels::@of_the_run_unaligned blocks {{.*}} : f32
// KERNEL-NOT: gpu.launch_func

func.func @alone(%C: memref<64x48xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%C : memref<64x48xf32>)
  return
}

func.func @tensor() -> tensor<7x13xf16> {
  %two = arith.constant 2.0 : f16
  %e = tensor.empty() : tensor<7x13xf16>
  %r = linalg.fill ins(%two : f16) outs(%e : tensor<7x13xf16>) -> tensor<7x13xf16>
  return %r : tensor<7x13xf16>
}

func.func @scalar(%C: memref<f64>) {
  %two = arith.constant 2.0 : f64
  linalg.fill ins(%two : f64) outs(%C : memref<f64>)
  return
}

func.func @pair(%C: memref<7x13xcomplex<f32>>) {
  %c = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  linalg.fill ins(%c : complex<f32>) outs(%C : memref<7x13xcomplex<f32>>)
  return
}

// What lies between the elements stays.
func.func @view(%C: memref<7x13xi8>) {
  %three = arith.constant 3 : i8
  %v = memref.subview %C[1, 2] [3, 5] [2, 2] : memref<7x13xi8> to memref<3x5xi8, strided<[26, 2], offset: 15>>
  linalg.fill ins(%three : i8) outs(%v : memref<3x5xi8, strided<[26, 2], offset: 15>>)
  return
}

func.func @empty(%C: memref<0x13xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%C : memref<0x13xf32>)
  return
}

func.func @computed(%C: memref<7x13xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%C : memref<7x13xf32>) {
  ^bb0(%old: f32):
    %five = arith.constant 5.0 : f32
    %root = math.sqrt %five : f32
    linalg.yield %root : f32
  }
  return
}

// A factor that is the same everywhere, and the start of the sum.
func.func @factor(%A: tensor<7x13xf32>) -> tensor<7x5xf32> {
  %three = arith.constant 3.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<13x5xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<13x5xf32>) -> tensor<13x5xf32>
  %e2 = tensor.empty() : tensor<7x5xf32>
  %f2 = linalg.fill ins(%one : f32) outs(%e2 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r = linalg.matmul ins(%A, %f : tensor<7x13xf32>, tensor<13x5xf32>) outs(%f2 : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

func.func @copied(%C: memref<8x13xf32>, %D: memref<8x13xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%C : memref<8x13xf32>)
  linalg.copy ins(%C : memref<8x13xf32>) outs(%D : memref<8x13xf32>)
  return
}

// One kernel: the start of the sum is a term of it.
func.func @start(%A: tensor<64x32xf32>, %B: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<64x48xf32>) {
  ^bb0(%old: f32):
    %five = arith.constant 5.0 : f32
    %root = math.sqrt %five : f32
    linalg.yield %root : f32
  } -> tensor<64x48xf32>
  %r = linalg.matmul ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// As @start. Not run: tc-run has no scalar arguments.
  func.func @of_the_run(%A: tensor<512x64xf32>, %B: tensor<64x512xf32>, %x: f32) -> tensor<512x512xf32> {
    %e = tensor.empty() : tensor<512x512xf32>
    %f = linalg.fill ins(%x : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
    %r = linalg.matmul ins(%A, %B : tensor<512x64xf32>, tensor<64x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
    return %r : tensor<512x512xf32>
  }
