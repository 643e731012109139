// tc-to-nvvm leaves nothing behind in silence.
//
// RUN: tc-opt %s --tc-to-nvvm --split-input-file --verify-diagnostics
// RUN: not tc-opt %s --tc-to-nvvm=chip=sm_1 --split-input-file 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-opt %s --tc-to-nvvm=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT

// CHIP: error: expected one of sm_75, {{.*}}, sm_120, got 'sm_1'
// FORMAT: {{format.*elf}}

func.func @not_a_contraction(%A: memref<8xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected every operation to be part of a kernel by now, got 'linalg.softmax'}}
  linalg.softmax dimension(0) ins(%A : memref<8xf32>) outs(%C : memref<8xf32>)
  return
}

// -----

func.func @schedule(%A: memref<4096xf32>, %C: memref<4096xf32>) {
  // expected-error @+1 {{has an illegal schedule: expected at most 1024 threads}}
  tc.contract (i = 4096) ins(%A[i] : memref<4096xf32>) outs(%C[i] : memref<4096xf32>)
      {schedule = #tc.schedule<thread = [i = 4096], kernel = fma>}
  return
}

// -----

// One block has no thread for each of these.
func.func @full_without_grid(%A: memref<2000xf32>, %x: f32) {
  // expected-error @+1 {{expected a thread for each iteration of 'full', at most 1024}}
  tc.par full (%t) = (0) to (2000) {
    memref.store %x, %A[%t] : memref<2000xf32>
  }
  return
}
