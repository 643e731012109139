// Which launches may begin early, and where their kernels wait.
//
// RUN: tc-opt %s --tc-overlap-launches=chip=sm_90 | FileCheck %s
// RUN: tc-opt %s --tc-overlap-launches=chip=sm_80 | FileCheck %s --check-prefix=OLD
// OLD-NOT: griddepcontrol
// OLD-NOT: tc.programmatic

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Shared memory is prepared before the wait, which comes before a condition that reads.
    // CHECK-LABEL: gpu.func @prepares
    // CHECK: memref.store {{.*}}workgroup>>
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: arith.cmpi
    // CHECK-NEXT: llvm.inline_asm {{.*}} "griddepcontrol.wait;"
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: scf.if
    gpu.func @prepares(%x: memref<64xf32>)
        workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c9 = arith.constant 9 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %some = arith.cmpi ult, %i, %c9 : index
      scf.if %some {
        %a = memref.load %x[%i] : memref<64xf32>
        memref.store %a, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      }
      gpu.return
    }
    // What touches nothing waits, too: others rely on its end.
    // CHECK-LABEL: gpu.func @nothing
    // CHECK-NEXT: llvm.inline_asm {{.*}} "griddepcontrol.wait;"
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: gpu.return
    gpu.func @nothing() kernel {
      gpu.return
    }
    // CHECK-LABEL: gpu.func @alone
    // CHECK-NEXT: gpu.return
    gpu.func @alone() kernel {
      gpu.return
    }
    // CHECK-LABEL: gpu.func @first
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: gpu.return
    gpu.func @first() kernel {
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @chain
  // CHECK: @kernels::@first
  // CHECK-NOT: programmatic
  // CHECK: @kernels::@prepares {{.*}} {tc.programmatic}
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  func.func @chain(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %a = gpu.launch_func async @kernels::@first blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %b = gpu.launch_func async [%a] @kernels::@prepares blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%x : memref<64xf32>)
    %c = gpu.launch_func async [%b] @kernels::@nothing blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    gpu.wait [%c]
    return
  }

  // Only one of two that fork goes on with the stream, and none of several streams.
  // CHECK-LABEL: func.func @forks
  // CHECK: @kernels::@first
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  // CHECK: @kernels::@alone
  // CHECK-NOT: programmatic
  func.func @forks() {
    %c1 = arith.constant 1 : index
    %a = gpu.launch_func async @kernels::@first blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %b = gpu.launch_func async [%a] @kernels::@nothing blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %c = gpu.launch_func async [%a] @kernels::@alone blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %d = gpu.launch_func async [%b, %c] @kernels::@alone blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    gpu.wait [%d]
    return
  }

  // CHECK-LABEL: func.func @loop
  // CHECK: scf.for
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  func.func @loop(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = gpu.launch_func async @kernels::@first blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%stream = %start) -> (!gpu.async.token) {
      %a = gpu.launch_func async [%stream] @kernels::@nothing blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
      scf.yield %a : !gpu.async.token
    }
    gpu.wait [%end]
    return
  }

  // Nobody knows what came before the first iteration.
  // CHECK-LABEL: func.func @first_loop
  // CHECK: @kernels::@alone
  // CHECK-NOT: programmatic
  func.func @first_loop(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = gpu.wait async
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%stream = %start) -> (!gpu.async.token) {
      %a = gpu.launch_func async [%stream] @kernels::@alone blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
      scf.yield %a : !gpu.async.token
    }
    gpu.wait [%end]
    return
  }

  // Kernels of conditions follow those of others, whichever they are; not where there may be none.
  // CHECK-LABEL: func.func @conditions
  // CHECK: @kernels::@alone
  // CHECK-NOT: programmatic
  // CHECK: scf.if
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  // CHECK: @kernels::@prepares {{.*}} {tc.programmatic}
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  // CHECK: @kernels::@alone
  // CHECK-NOT: programmatic
  func.func @conditions(%some: i1, %x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %start = gpu.wait async
    %maybe = scf.if %some -> (!gpu.async.token) {
      %a = gpu.launch_func async [%start] @kernels::@alone blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
      scf.yield %a : !gpu.async.token
    } else {
      scf.yield %start : !gpu.async.token
    }
    %b = gpu.launch_func async [%maybe] @kernels::@first blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %c = scf.if %some -> (!gpu.async.token) {
      %d = gpu.launch_func async [%b] @kernels::@nothing blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
      scf.yield %d : !gpu.async.token
    } else {
      %d = gpu.launch_func async [%b] @kernels::@prepares blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%x : memref<64xf32>)
      scf.yield %d : !gpu.async.token
    }
    %e = gpu.launch_func async [%c] @kernels::@nothing blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    %f = gpu.launch_func async [%c] @kernels::@alone blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
    gpu.wait [%e, %f]
    return
  }

  // A copy in between ends the chain; without tokens, order does.
  // CHECK-LABEL: func.func @order
  // CHECK: @kernels::@first
  // CHECK: @kernels::@nothing {{.*}} {tc.programmatic}
  // CHECK: gpu.memcpy
  // CHECK: @kernels::@alone
  // CHECK-NOT: programmatic
  func.func @order(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.memcpy %x, %y : memref<64xf32>, memref<64xf32>
    gpu.launch_func @kernels::@alone blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
