// Products of complex numbers in programs: views with strides, an old result and two factors,
// tensors; and a conjugate, which is a function of an element, so that multiply-adds compute it.
//
// RUN: grep -o '^func.func @[a-z0-9_]*' %s | sed 's|func.func @\(.*\)|{"case": "\1", "input": "%s", "name": "\1", "chip": "sm_90a"}|' > %t.jsonl
// RUN: env TC_EMU_CHECKS=all tc-run --batch=%t.jsonl --device=emulator --verify > %t.reports
// RUN: FileCheck %s --check-prefix=RUNS < %t.reports --implicit-check-not='"verified":false' --implicit-check-not='"error"'
// RUNS-COUNT-4: "verified":true
//
// RUN: tc-opt %s --tc-to-nvvm=format=isa > %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK-DAG: mma.sync.aligned.m16n8k8.row.col.f64
// CHECK-DAG: mma.sync.aligned.m16n8k4.row.col.f64
// CHECK-DAG: mma.sync.aligned.m16n8k{{[48]}}.row.col.f32.tf32
// RUN: tc-opt %s --tc-normalize --tc-schedule | FileCheck %s --check-prefix=SIMT
// SIMT-LABEL: @conjugate(
// SIMT: kernel = fma

func.func @strided(%A: memref<37x40xcomplex<f64>, strided<[100, 2], offset: 3>>,
                   %B: memref<40x30xcomplex<f64>, strided<[1, 50]>>, %C: memref<37x30xcomplex<f64>>) {
  tc.contract (i = 37, j = 30, k = 40)
      ins(%A[i, k] : memref<37x40xcomplex<f64>, strided<[100, 2], offset: 3>>,
          %B[k, j] : memref<40x30xcomplex<f64>, strided<[1, 50]>>)
      outs(%C[i, j] : memref<37x30xcomplex<f64>>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8],
        stages = 2, kernel = mma, unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

func.func @scaled(%A: memref<37x40xcomplex<f64>>, %B: memref<40x30xcomplex<f64>>,
                  %S: memref<1xcomplex<f64>>, %C: memref<37x30xcomplex<f64>>) {
  tc.contract (i = 37, j = 30, k = 40)
      ins(%A[i, k] : memref<37x40xcomplex<f64>>, %B[k, j] : memref<40x30xcomplex<f64>>)
      sides(%S[0] : memref<1xcomplex<f64>>, %C[i, j] : memref<37x30xcomplex<f64>>)
      outs(%C[i, j] : memref<37x30xcomplex<f64>>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 4, j = 2], step = [k = 4],
        kernel = mma, unit = <"m16n8k4.f64", m = [j = 8], n = [i = 4], k = [k = 4]>>}
      epilogue (%v: complex<f64>, %s: complex<f64>, %old: complex<f64>) {
        %x = complex.mul %v, %s : complex<f64>
        %y = complex.mul %old, %s : complex<f64>
        %z = complex.add %x, %y : complex<f64>
        tc.yield %z : complex<f64>
      }
  return
}

func.func @tensors(%A: tensor<512x24xcomplex<f32>>, %B: tensor<24x1024xcomplex<f32>>,
                   %C: tensor<512x1024xcomplex<f32>>) -> tensor<512x1024xcomplex<f32>> {
  %0 = linalg.matmul {tc.precision = #tc<precision tf32x3>}
      ins(%A, %B : tensor<512x24xcomplex<f32>>, tensor<24x1024xcomplex<f32>>)
      outs(%C : tensor<512x1024xcomplex<f32>>) -> tensor<512x1024xcomplex<f32>>
  return %0 : tensor<512x1024xcomplex<f32>>
}

func.func @conjugate(%A: memref<37x40xcomplex<f64>>, %B: memref<40x30xcomplex<f64>>, %C: memref<37x30xcomplex<f64>>) {
  tc.contract (i = 37, j = 30, k = 40)
      ins(%A[i, k] : memref<37x40xcomplex<f64>>, %B[k, j] : memref<40x30xcomplex<f64>>)
      outs(%C[i, j] : memref<37x30xcomplex<f64>>)
      map (%a: complex<f64>, %b: complex<f64>) {
        %c = complex.conj %a : complex<f64>
        %p = complex.mul %c, %b : complex<f64>
        tc.yield %p : complex<f64>
      }
  return
}
