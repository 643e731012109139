// A kernel that declares 16 KiB of shared memory and is launched with BYTES more.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @twice_reversed(%a: memref<8xf64>)
        workgroup(%known : memref<2048xf64, #gpu.address_space<workgroup>>) kernel {
      %zero = arith.constant 0 : index
      %last = arith.constant 7 : index
      %t = gpu.thread_id x
      %u = arith.subi %last, %t : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %asked = memref.view %bytes[%zero][]
          : memref<?xi8, #gpu.address_space<workgroup>> to memref<10000xf64, #gpu.address_space<workgroup>>
      %x = memref.load %a[%t] : memref<8xf64>
      memref.store %x, %asked[%t] : memref<10000xf64, #gpu.address_space<workgroup>>
      memref.store %x, %known[%t] : memref<2048xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %asked[%u] : memref<10000xf64, #gpu.address_space<workgroup>>
      %z = memref.load %known[%u] : memref<2048xf64, #gpu.address_space<workgroup>>
      %sum = arith.addf %y, %z : f64
      memref.store %sum, %a[%t] : memref<8xf64>
      gpu.return
    }
  }
  func.func @main(%a: memref<8xf64>) {
    %one = arith.constant 1 : index
    %threads = arith.constant 8 : index
    %bytes = arith.constant BYTES : i32
    gpu.launch_func @kernels::@twice_reversed blocks in (%one, %one, %one) threads in (%threads, %one, %one)
        dynamic_shared_memory_size %bytes args(%a : memref<8xf64>)
    return
  }
}
