// What tc-tile refuses: what tc-normalize or tc-schedule would, and element types that no
// instruction of a GPU takes.
//
// RUN: tc-opt %s --tc-tile --split-input-file --verify-diagnostics
// RUN: not tc-opt %s --tc-tile=chip=gfx90a --split-input-file 2>&1 | FileCheck %s

// CHECK: error: expected one of sm_75, {{.*}}, sm_120, got 'gfx90a'

func.func @too_many_threads(%A: memref<4096xf32>, %C: memref<4096xf32>) {
  // expected-error @+1 {{has an illegal schedule: expected at most 1024 threads in a block of sm_90a, got 2048}}
  tc.contract (i = 4096) ins(%A[i] : memref<4096xf32>) outs(%C[i] : memref<4096xf32>)
      {schedule = #tc.schedule<thread = [i = 2048], kernel = fma>}
  return
}

// -----

func.func @overlapping(%A: memref<8xf32>, %C: memref<8xf32, strided<[0]>>) {
  // expected-error @+1 {{expected each result element to be reached once}}
  tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<8xf32, strided<[0]>>)
  return
}

// -----

func.func @quad(%A: memref<8xf128>, %C: memref<8xf128>) {
  // expected-error @+1 {{expected elements of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, or complex ones of f32 or f64, got 'f128'}}
  tc.contract (i = 8) ins(%A[i] : memref<8xf128>) outs(%C[i] : memref<8xf128>)
  return
}

// -----

func.func @complex(%A: memref<8xcomplex<bf16>>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected elements of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, or complex ones of f32 or f64, got 'complex<bf16>'}}
  tc.contract (i = 8) ins(%A[i] : memref<8xcomplex<bf16>>) outs(%C[i] : memref<8xf32>)
      map (%x: complex<bf16>) {
        %one = arith.constant 1.0 : f32
        tc.yield %one : f32
      }
  return
}

// -----

func.func @side(%A: memref<8xf32>, %b: memref<8xi7>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected elements of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, or complex ones of f32 or f64, got 'i7'}}
  tc.contract (i = 8) ins(%A[i] : memref<8xf32>) sides(%b[i] : memref<8xi7>) outs(%C[i] : memref<8xf32>)
      epilogue (%acc: f32, %s: i7) {
        tc.yield %acc : f32
      }
  return
}

// -----

func.func @index(%A: memref<8xindex>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected elements of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, or complex ones of f32 or f64, got 'index'}}
  tc.contract (i = 8) ins(%A[i] : memref<8xindex>) outs(%C[i] : memref<8xf32>)
      map (%x: index) {
        %one = arith.constant 1.0 : f32
        tc.yield %one : f32
      }
  return
}

// -----

// Positions that do not fit 64 bits, whether in the shape or in the strides.
func.func @huge(%A: memref<1099511627776x1099511627776xf32>, %C: memref<1099511627776xf32>) {
  // expected-error @+1 {{expected subscripts to span less than 2^60 elements, got 'memref<1099511627776x1099511627776xf32>'}}
  tc.contract (i = 1099511627776, j = 1099511627776)
      ins(%A[i, j] : memref<1099511627776x1099511627776xf32>) outs(%C[i] : memref<1099511627776xf32>)
  return
}

// -----

func.func @far(%A: memref<4xf32, strided<[9000000000000000000]>>, %C: memref<4xf32>) {
  // expected-error @+1 {{expected subscripts to span less than 2^60 elements, got 'memref<4xf32, strided<[9000000000000000000]>>'}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32, strided<[9000000000000000000]>>) outs(%C[i] : memref<4xf32>)
  return
}

// -----

func.func @long_sum(%A: memref<9223372036854775807xf32>, %C: memref<f32>) {
  // expected-error @+1 {{expected subscripts to span less than 2^60 elements}}
  tc.contract (q = 9223372036854775807) ins(%A[q] : memref<9223372036854775807xf32>) outs(%C[] : memref<f32>)
  return
}

// -----

// A step of one input alone must not wrap round to something small.
func.func @long_step(%A: memref<8xf32>, %C: memref<f32>) {
  // expected-error @+1 {{expected at most 232448 bytes of shared memory on sm_90a, got}}
  tc.contract (q = 8) ins(%A[q] : memref<8xf32>) outs(%C[] : memref<f32>)
      {schedule = #tc.schedule<step = [q = 9223372036854775807], kernel = fma>}
  return
}
