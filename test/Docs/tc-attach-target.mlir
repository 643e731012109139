// RUN: tc-opt %s --tc-attach-target | FileCheck %s

module attributes {tc.machine = #tc.machine<
    chip = "sm_90a", multiprocessors = 132, warp_size = 32, max_block_threads = 1024,
    max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  // CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80">]
  gpu.module @kernels {
  }
  // An instruction of a later version of PTX.
  // CHECK: gpu.module @later [#nvvm.target<chip = "sm_90a", features = "+ptx81">]
  gpu.module @later {
    llvm.func @round(%a: f32, %b: f32) -> vector<2xbf16> {
      %pair = nvvm.convert.f32x2.to.bf16x2 %a, %b {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xbf16>
      llvm.return %pair : vector<2xbf16>
    }
  }
  // CHECK: gpu.module @products_of_f8 [#nvvm.target<chip = "sm_90a", features = "+ptx84">]
  gpu.module @products_of_f8 {
    llvm.func @multiply(%a: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
      %d = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"(%a, %a, %a, %a, %a, %a, %c, %c, %c, %c)
          : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      llvm.return %d : !llvm.struct<(f32, f32, f32, f32)>
    }
  }
  // CHECK: gpu.module @by_hand [#nvvm.target<chip = "sm_90a", features = "+ptx83">]
  gpu.module @by_hand {
    llvm.func @fence() {
      llvm.inline_asm has_side_effects "fence.proxy.tensormap::generic.release.gpu;", "" : () -> ()
      llvm.return
    }
  }
  // CHECK: gpu.module @others [#nvvm.target<chip = "sm_75">]
  gpu.module @others [#nvvm.target<chip = "sm_75">] {
  }
}
