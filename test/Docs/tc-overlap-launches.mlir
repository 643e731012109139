// RUN: tc-opt %s --tc-overlap-launches=chip=sm_90 | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %a = memref.load %x[%i] : memref<64xf32>
      %s = arith.addf %a, %a : f32
      memref.store %s, %x[%i] : memref<64xf32>
      gpu.return
    }
  }

  // The second launch follows the first one in its stream.
  func.func @f(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %filled = gpu.launch_func async @kernels::@fill
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %scaled = gpu.launch_func async [%filled] @kernels::@scale
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%scaled]
    return
  }
}

// CHECK-LABEL: gpu.func @fill
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-LABEL: gpu.func @scale
// CHECK-NEXT: gpu.thread_id x
// CHECK-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: memref.load
// CHECK-LABEL: func.func @f
// CHECK: gpu.launch_func async @kernels::@fill
// CHECK-NOT: tc.programmatic
// CHECK: gpu.launch_func async [{{.*}}] @kernels::@scale {{.*}} {tc.programmatic}
