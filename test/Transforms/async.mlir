// What waits for what: by effects of kernels, by elements of one buffer, in conditions and loops,
// and where the host touches memory.
//
// RUN: tc-opt %s --tc-async | FileCheck %s
// RUN: tc-opt %s --tc-async --remarks-filter=tc-async 2>&1 \
// RUN: | FileCheck %s --check-prefix=REMARK

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @half(%x: memref<128xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %a = memref.load %x[%i] : memref<128xf32>
      memref.store %a, %x[%i] : memref<128xf32>
      gpu.return
    }
    gpu.func @upper(%x: memref<128xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %c64 = arith.constant 64 : index
      %j = arith.addi %i, %c64 : index
      %a = memref.load %x[%j] : memref<128xf32>
      memref.store %a, %x[%j] : memref<128xf32>
      gpu.return
    }
    gpu.func @even(%x: memref<16xf32, strided<[2]>>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<16xf32, strided<[2]>>
      gpu.return
    }
    gpu.func @odd(%x: memref<16xf32, strided<[2], offset: 1>>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<16xf32, strided<[2], offset: 1>>
      gpu.return
    }
    gpu.func @print(%x: memref<128xf32>) kernel {
      gpu.printf "here\0A"
      gpu.return
    }
  }

  // Halves of one buffer, by the numbers of threads.
  //
  // CHECK-LABEL: func.func @halves
  // CHECK: %[[L:.*]] = gpu.launch_func async @k::@half
  // CHECK: %[[U:.*]] = gpu.launch_func async @k::@upper
  // CHECK: %[[B:.*]] = gpu.launch_func async [%[[L]]] @k::@half
  // CHECK: gpu.wait [%[[U]], %[[B]]]
  //
  // REMARK: remark: {{.*}}Waits{{.*}}it waits for part 0 of the block: it writes what that writes, of memref<128xf32>
  // REMARK: remark: {{.*}}Forked{{.*}}2 of the 3 launches and copies of this block do not wait for the one before
  func.func @halves(%x: memref<128xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @k::@half blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<128xf32>)
    gpu.launch_func @k::@upper blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<128xf32>)
    gpu.launch_func @k::@half blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<128xf32>)
    return
  }

  // Every other element each, by the strides of views.
  //
  // CHECK-LABEL: func.func @interleaved
  // CHECK: gpu.launch_func async @k::@even
  // CHECK: gpu.launch_func async @k::@odd
  func.func @interleaved(%x: memref<32xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %even = memref.subview %x[0] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2]>>
    %odd = memref.subview %x[1] [16] [2]
      : memref<32xf32> to memref<16xf32, strided<[2], offset: 1>>
    gpu.launch_func @k::@even blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%even : memref<16xf32, strided<[2]>>)
    gpu.launch_func @k::@odd blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%odd : memref<16xf32, strided<[2], offset: 1>>)
    return
  }

  // Rows that one dynamic number apart keeps apart, and those that it does not.
  //
  // CHECK-LABEL: func.func @rows
  // CHECK: %[[A:.*]] = gpu.memcpy async %{{.*}}, %
  // CHECK: %[[B:.*]] = gpu.memcpy async %{{.*}}, %
  // CHECK: gpu.memcpy async [%[[A]], %[[B]]]
  func.func @rows(%x: memref<8x16xf32>, %from: memref<16xf32>, %i: index, %j: index) {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.subview %x[%i, 0] [1, 16] [1, 1]
      : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %b = memref.subview %x[%next, 0] [1, 16] [1, 1]
      : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %c = memref.subview %x[%j, 0] [1, 16] [1, 1]
      : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    gpu.memcpy %a, %from : memref<16xf32, strided<[1], offset: ?>>, memref<16xf32>
    gpu.memcpy %b, %from : memref<16xf32, strided<[1], offset: ?>>, memref<16xf32>
    gpu.memcpy %c, %from : memref<16xf32, strided<[1], offset: ?>>, memref<16xf32>
    return
  }

  // A condition is one part. What is inside has the tokens that it waits for.
  //
  // CHECK-LABEL: func.func @condition
  // CHECK: %[[A:.*]] = gpu.memcpy async %{{.*}}, %
  // CHECK: %[[B:.*]] = gpu.memcpy async %{{.*}}, %
  // CHECK: %[[T:.*]] = scf.if %{{.*}} -> (!gpu.async.token) {
  // CHECK:   %[[C:.*]] = gpu.memcpy async [%[[A]]]
  // CHECK:   %[[D:.*]] = gpu.memcpy async [%[[C]]]
  // CHECK:   scf.yield %[[D]]
  // CHECK: } else {
  // CHECK:   scf.yield %[[A]]
  // CHECK: }
  // CHECK: gpu.wait [%[[B]], %[[T]]]
  func.func @condition(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>,
                       %d: memref<8xf32>, %in: memref<8xf32>, %which: i1) {
    gpu.memcpy %a, %in : memref<8xf32>, memref<8xf32>
    gpu.memcpy %b, %in : memref<8xf32>, memref<8xf32>
    scf.if %which {
      gpu.memcpy %c, %a : memref<8xf32>, memref<8xf32>
      gpu.memcpy %d, %c : memref<8xf32>, memref<8xf32>
    }
    return
  }

  // A loop is entered and left with nothing outstanding, and has a graph of its own.
  //
  // CHECK-LABEL: func.func @loop
  // CHECK: %[[A:.*]] = gpu.memcpy async %
  // CHECK: %[[B:.*]] = gpu.memcpy async %
  // CHECK: gpu.wait [%[[A]], %[[B]]]
  // CHECK: scf.for
  // CHECK:   %[[C:.*]] = gpu.memcpy async %
  // CHECK:   %[[D:.*]] = gpu.memcpy async %
  // CHECK:   gpu.wait [%[[C]], %[[D]]]
  // CHECK: }
  func.func @loop(%a: memref<8xf32>, %b: memref<8xf32>, %in: memref<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.memcpy %a, %in : memref<8xf32>, memref<8xf32>
    gpu.memcpy %b, %in : memref<8xf32>, memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      gpu.memcpy %a, %in : memref<8xf32>, memref<8xf32>
      gpu.memcpy %b, %in : memref<8xf32>, memref<8xf32>
    }
    return
  }

  // The host waits for what it reads, not for the rest; a call may read anything.
  //
  // CHECK-LABEL: func.func @host
  // CHECK: %[[A:.*]] = gpu.memcpy async %
  // CHECK: %[[B:.*]] = gpu.memcpy async %
  // CHECK: gpu.wait [%[[A]]]
  // CHECK: memref.load
  // CHECK: gpu.wait [%[[B]]]
  // CHECK: call @other
  func.func private @other()
  func.func @host(%a: memref<8xf32>, %b: memref<8xf32>, %in: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    gpu.memcpy %a, %in : memref<8xf32>, memref<8xf32>
    gpu.memcpy %b, %in : memref<8xf32>, memref<8xf32>
    %first = memref.load %a[%c0] : memref<8xf32>
    func.call @other() : () -> ()
    return %first : f32
  }

  // Kernels that print do so in order.
  //
  // CHECK-LABEL: func.func @prints
  // CHECK: %[[A:.*]] = gpu.launch_func async @k::@print
  // CHECK: gpu.launch_func async [%[[A]]] @k::@print
  //
  // REMARK: remark: {{.*}}Waits{{.*}}one of the two may touch any memory
  // REMARK: remark: {{.*}}NotForked{{.*}}each of the 2 launches and copies of this block waits for the one before
  func.func @prints(%x: memref<128xf32>, %y: memref<128xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@print blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<128xf32>)
    gpu.launch_func @k::@print blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%y : memref<128xf32>)
    return
  }

  // Tokens that the program has are left to it.
  //
  // CHECK-LABEL: func.func @own
  // CHECK: %[[S:.*]] = gpu.wait async
  // CHECK: %[[A:.*]] = gpu.memcpy async [%[[S]]]
  // CHECK: gpu.memcpy %{{.*}}, %
  // CHECK: gpu.wait [%[[A]]]
  //
  // REMARK: remark: {{.*}}NotForked{{.*}}the function has tokens of its own
  func.func @own(%a: memref<8xf32>, %b: memref<8xf32>, %in: memref<8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %a, %in : memref<8xf32>, memref<8xf32>
    gpu.memcpy %b, %in : memref<8xf32>, memref<8xf32>
    gpu.wait [%t]
    return
  }

  // A release alone has a token, since upstream lowers no other, and so has a launch in a loop:
  // the host need not wait in each iteration.
  //
  // CHECK-LABEL: func.func @alone
  // CHECK: %[[LOOP:.*]] = scf.for
  // CHECK: gpu.launch_func async [%{{.*}}] @k::@half
  // CHECK: %[[D:.*]] = gpu.dealloc async [%[[LOOP]]]
  // CHECK-NEXT: gpu.wait [%[[D]]]
  func.func @alone() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %x = gpu.alloc () : memref<128xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      gpu.launch_func @k::@half blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%x : memref<128xf32>)
    }
    gpu.dealloc %x : memref<128xf32>
    return
  }
}
