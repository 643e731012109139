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
  // CHECK: gpu.module @others [#nvvm.target<chip = "sm_75">]
  gpu.module @others [#nvvm.target<chip = "sm_75">] {
  }
}
