// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// The copy of a block runs up to two iterations ahead of the sum that reads it.
module attributes {transform.with_named_sequence} {
func.func @sums(%A: memref<4096xf32>, %B: memref<64xf32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.seq (%k) = (0) to (4096) step (64) {
      %from = tc.view %A(%k) <offset = ?, sizes = [64], strides = [1]> : memref<4096xf32> to memref<64xf32, strided<[1], offset: ?>>
      %tile = tc.stage %from pad(0.0 : f32) : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32, #gpu.address_space<workgroup>>
      tc.par block (%t) = (0) to (64) {
        %x = memref.load %tile[%t] : memref<64xf32, #gpu.address_space<workgroup>>
        %y = memref.load %B[%t] : memref<64xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %B[%t] : memref<64xf32>
      }
    }
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %module : (!transform.any_op) -> !transform.any_op
  transform.tc.pipeline %nest stages = 3 : !transform.any_op
  transform.yield
}
}

// CHECK: tc.seq (%{{.*}}) = (0) to (4096) step (64) stages(3)
