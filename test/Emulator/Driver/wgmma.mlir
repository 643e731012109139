// `wgmma` as LLVM lowers it: row r of a has a one at term r % 16, and element (k, n)
// of b is 16 n + k, so element (r, n) of the product is 16 n + r % 16.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90a cubin-features=+ptx80 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_EMU_CHECKS=all mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so,%mlir_libs/libmlir_runner_utils.so \
// RUN: | FileCheck %s

// CHECK: rank = 2 offset = 0 sizes = [64, 8]
// CHECK: {{\[\[}}0, 16, 32, 48, 64, 80, 96, 112],
// CHECK-NEXT: [1, 17, 33, 49, 65, 81, 97, 113],
// CHECK: [15, 31, 47, 63, 79, 95, 111, 127],
// CHECK-NEXT: [0, 16, 32, 48, 64, 80, 96, 112],
// CHECK: [15, 31, 47, 63, 79, 95, 111, 127]]
!sums = !llvm.struct<(f32, f32, f32, f32)>
func.func @main() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %host = memref.alloc() : memref<64x8xf32>
  %unranked = memref.cast %host : memref<64x8xf32> to memref<*xf32>
  gpu.host_register %unranked : memref<*xf32>
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1)
      workgroup(%a : memref<1024xbf16, #gpu.address_space<workgroup>>,
                %b : memref<128xbf16, #gpu.address_space<workgroup>>) {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k4 = arith.constant 4 : index
    %k8 = arith.constant 8 : index
    %k16 = arith.constant 16 : index
    %k32 = arith.constant 32 : index
    %k64 = arith.constant 64 : index
    %k128 = arith.constant 128 : index
    %f0 = arith.constant 0.0 : bf16
    %f1 = arith.constant 1.0 : bf16
    // Element 128 (r / 8) + 64 (k / 8) + 8 (r % 8) + k % 8 is (r, k).
    scf.for %i = %k0 to %k8 step %k1 {
      %e0 = arith.muli %tx, %k8 : index
      %e = arith.addi %e0, %i : index
      %r8 = arith.divui %e, %k128 : index
      %in = arith.remui %e, %k128 : index
      %khigh = arith.divui %in, %k64 : index
      %in2 = arith.remui %in, %k64 : index
      %rlow = arith.divui %in2, %k8 : index
      %klow = arith.remui %in2, %k8 : index
      %r0 = arith.muli %r8, %k8 : index
      %r = arith.addi %r0, %rlow : index
      %kk = arith.muli %khigh, %k8 : index
      %k = arith.addi %kk, %klow : index
      %rmod = arith.remui %r, %k16 : index
      %isOne = arith.cmpi eq, %rmod, %k : index
      %value = arith.select %isOne, %f1, %f0 : bf16
      memref.store %value, %a[%e] : memref<1024xbf16, #gpu.address_space<workgroup>>
    }
    %khigh = arith.divui %tx, %k64 : index
    %in2 = arith.remui %tx, %k64 : index
    %n = arith.divui %in2, %k8 : index
    %klow = arith.remui %in2, %k8 : index
    %kk = arith.muli %khigh, %k8 : index
    %k = arith.addi %kk, %klow : index
    %n16 = arith.muli %n, %k16 : index
    %sum = arith.addi %n16, %k : index
    %word = arith.index_cast %sum : index to i32
    %wide = arith.sitofp %word : i32 to f32
    %narrow = arith.truncf %wide : f32 to bf16
    memref.store %narrow, %b[%tx] : memref<128xbf16, #gpu.address_space<workgroup>>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier

    %aIndex = memref.extract_aligned_pointer_as_index %a : memref<1024xbf16, #gpu.address_space<workgroup>> -> index
    %bIndex = memref.extract_aligned_pointer_as_index %b : memref<128xbf16, #gpu.address_space<workgroup>> -> index
    %aAddress = arith.index_cast %aIndex : index to i64
    %bAddress = arith.index_cast %bIndex : index to i64
    %four = arith.constant 4 : i64
    %mask = arith.constant 0x3fff : i64
    // 128 bytes from 8 terms to the next ones, 256 from 8 rows.
    %strides = arith.constant 0x0000001000080000 : i64
    %a4 = arith.shrui %aAddress, %four : i64
    %b4 = arith.shrui %bAddress, %four : i64
    %aStart = arith.andi %a4, %mask : i64
    %bStart = arith.andi %b4, %mask : i64
    %aDescriptor = arith.ori %aStart, %strides : i64
    %bDescriptor = arith.ori %bStart, %strides : i64

    %z = arith.constant 0.0 : f32
    %s = llvm.mlir.poison : !sums
    %s0 = llvm.insertvalue %z, %s[0] : !sums
    %s1 = llvm.insertvalue %z, %s0[1] : !sums
    %s2 = llvm.insertvalue %z, %s1[2] : !sums
    %s3 = llvm.insertvalue %z, %s2[3] : !sums
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %aDescriptor, %bDescriptor, %s3,
        #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, #nvvm.wgmma_scale_out<one>],
        A [<bf16>, #nvvm.wgmma_scale_in<one>, <row>],
        B [<bf16>, #nvvm.wgmma_scale_in<one>, <col>]
        : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0

    // Lane l of warp w has (16 w + l / 4, 2 (l % 4)), its neighbour, and 8 rows below.
    %warp = arith.divui %tx, %k32 : index
    %lane = arith.remui %tx, %k32 : index
    %w16 = arith.muli %warp, %k16 : index
    %l4 = arith.divui %lane, %k4 : index
    %row = arith.addi %w16, %l4 : index
    %below = arith.addi %row, %k8 : index
    %lm = arith.remui %lane, %k4 : index
    %column = arith.muli %lm, %k2 : index
    %next = arith.addi %column, %k1 : index
    %d0 = llvm.extractvalue %d[0] : !sums
    %d1 = llvm.extractvalue %d[1] : !sums
    %d2 = llvm.extractvalue %d[2] : !sums
    %d3 = llvm.extractvalue %d[3] : !sums
    memref.store %d0, %host[%row, %column] : memref<64x8xf32>
    memref.store %d1, %host[%row, %next] : memref<64x8xf32>
    memref.store %d2, %host[%below, %column] : memref<64x8xf32>
    memref.store %d3, %host[%below, %next] : memref<64x8xf32>
    gpu.terminator
  }
  call @printMemrefF32(%unranked) : (memref<*xf32>) -> ()
  gpu.host_unregister %unranked : memref<*xf32>
  memref.dealloc %host : memref<64x8xf32>
  return
}

func.func private @printMemrefF32(memref<*xf32>)
