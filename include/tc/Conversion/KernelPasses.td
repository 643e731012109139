//===- KernelPasses.td - What upstream does not convert --*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on kernels, some of them on code for the CPU too, and to binaries.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_KERNELPASSES_TD
#define TC_CONVERSION_KERNELPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAsyncCopyToNVVM
    : Pass<"convert-async-copy-to-nvvm", "gpu::GPUModuleOp"> {
  let summary = "Turn nvgpu.device_async_copy into cp.async";
  let description = [{
    Overview: within phase 7. `nvgpu.device_async_copy` becomes
    `nvvm.cp.async.shared.global`, by the patterns of upstream's
    `convert-nvgpu-to-nvvm`, with indices of the width that the data layout of
    the `gpu.module` says, so that `convert-gpu-to-nvvm` agrees.

    Requires: copies without a number of source elements.

    Ensures: no op of `nvgpu` is left.

    Does not: choose what is copied how; `convert-tc-to-gpu` does.

    Example: test/Docs/convert-async-copy-to-nvvm.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ConvertFmaToLLVM : Pass<"convert-fma-to-llvm", "gpu::GPUModuleOp"> {
  let summary = "Turn math.fma, and others of one instruction, into intrinsics";
  let description = [{
    Overview: within phase 7. `math.fma` becomes `llvm.intr.fma`, which LLVM
    selects as `fma.rn`; in the same way `absf`, `absi`, `copysign`, `sqrt`,
    `ceil`, `floor`, `trunc`, `round`, `roundeven`, and `arith.maxnumf` and
    `arith.minnumf`. `math.isnan`, `isinf`, `isfinite` and `isnormal` become
    comparisons. Upstream's conversion would call `__nv_fmaf` and so on, so that
    PTX could not be made without the CUDA toolkit's libdevice.

    Requires: scalars of a type that LLVM has.

    Ensures: none of these ops is left on scalars.

    Does not: convert other functions (see `tc-expand-functions`).

    Example: test/Docs/convert-fma-to-llvm.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def ConvertNVVMToBinary : Pass<"convert-nvvm-to-binary", "::mlir::ModuleOp"> {
  let summary = "Turn kernels in the NVVM dialect into PTX, or cubins";
  let description = [{
    Overview: from phase 7 to 8. Each `gpu.module` becomes a `gpu.binary` that
    holds its PTX, with `cubin` what ptxas makes of that. The CUDA toolkit's
    libdevice is linked where a kernel calls a function of it: that which the
    environment's `TC_LIBDEVICE` names, else that of the toolkit that
    `CUDA_ROOT`, `CUDA_HOME` or `CUDA_PATH` names, or that ptxas belongs to. Where
    schedules ask for several blocks on a multiprocessor (`tc.resident` of a kernel)
    and there is a ptxas, it is asked whether that spills; a kernel that does so may
    take as many registers as it likes (`nvvm.minctasm = 1`), and a remark says so.

    Requires: kernels in the LLVM and NVVM dialects, in modules with targets.

    Ensures: no `gpu.module` is left. A symbol that nobody defines is reported
    at its use; a cubin is a whole ELF file.

    Does not: make fat binaries (see upstream's `gpu-module-to-binary`).

    Example: test/Docs/convert-nvvm-to-binary.mlir.
  }];
  let options = [Option<"cubin", "cubin", "bool", /*default=*/"false",
                        "Assemble the PTX with ptxas">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def OverlapLaunches : Pass<"tc-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let a kernel begin before the one that it waits for has ended";
  let description = [{
    Overview: within phase 7, on sm_90 and later. Programmatic dependent launch: a launch
    that goes on with the stream of another one, and waits for nothing else, gets the
    attribute `tc.programmatic`, by which the device may start its blocks once those of
    the other one all run. Its kernel waits itself (`griddepcontrol.wait`), in each of
    its threads, before the first op that may touch memory that other kernels have too:
    computing indices and preparing shared memory come before that. Behind it, or at
    the beginning of a kernel that need not wait, `griddepcontrol.launch_dependents`
    lets the next kernel begin. That early it takes no place from blocks of its own
    kernel, since all of them have begun when the last one has executed it.

    Requires: outlined kernels, and launches with the tokens of `tc-async`, or without
    tokens in the order of a stream.

    Ensures: a launch with the attribute is of a kernel that waits before its first
    access of global memory, and follows another launch of the program, which waits or
    has no attribute: so the end of each says that all before it have ended. The kernel
    may be launched without the attribute, too: the wait then returns at once.

    Does not: change what waits for what, or anything on older chips. The first launch
    of a loop whose stream may have been given something else before waits for all.

    Example: test/Docs/tc-overlap-launches.mlir.
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"",
                        "GPU architecture, that of the module if empty">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::tc::TCDialect"];
}

def ConvertProgrammaticToMgpu
    : Pass<"convert-programmatic-to-mgpu", "::mlir::ModuleOp"> {
  let summary = "Tell the mgpu library of launches that may begin early";
  let description = [{
    Overview: from phase 7 to 8. Upstream's `gpu-to-llvm` knows of no attributes of
    launches. So a launch with `tc.programmatic` (see `tc-overlap-launches`) comes
    behind a call of `tcMgpuOverlap`, which our mgpu library takes for the next launch
    of the thread.

    Requires: host functions in the LLVM dialect.

    Ensures: no launch has the attribute.

    Does not: know of packages, which make it a call of their own runtime.

    Example: test/Docs/convert-programmatic-to-mgpu.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::tc::TCDialect"];
}

def ExpandF8 : Pass<"tc-expand-f8"> {
  let summary = "Make arithmetic on floats of 8 bits something a machine has";
  let description = [{
    Overview: within phase 7, and of loops for the CPU. What is computed with
    `f8E4M3FN` and `f8E5M2` is computed in f32. Conversions from and to them
    become instructions of the chip (sm_89 and later) or arithmetic on integers:
    those to 8 bits round to nearest, and to the largest number what is beyond
    it.

    Requires: scalars and vectors of `arith` and `math`. The `chip` counts where
    the pass runs on a `gpu.module`.

    Ensures: numbers of 8 bits are only loaded, stored, selected and cast to
    bits; other types are as they were.

    Does not: change the type of a buffer.

    Example: test/Docs/tc-expand-f8.mlir.
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"",
                        "The chip to compile for (default: tc.machine)">];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandVectors : Pass<"tc-expand-vectors"> {
  let summary = "Make ops of vectors something that LLVM has";
  let description = [{
    Overview: within phase 7, and of loops for the CPU. Transfers, masks,
    contractions, reductions of several dimensions, slices, transpositions and
    the like become loads, stores and arithmetic on vectors of one dimension, by
    patterns of upstream. A transfer that is not along a row is unrolled into
    accesses of single elements, one that may leave its buffer is masked.

    Requires: vectors of static extents, of at most 32768 elements.

    Ensures: what is left of `vector` is converted to LLVM op by op. Code without
    such ops is as it was.

    Does not: convert to LLVM; find out that a row is aligned.

    Example: test/Docs/tc-expand-vectors.mlir.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandFunctions : Pass<"tc-expand-functions", "gpu::GPUModuleOp"> {
  let summary = "Make functions of scalars something a GPU has";
  let description = [{
    Overview: within phase 7. Functions of complex numbers (`exp`, `abs`,
    division, ...) become functions of real and imaginary parts. Functions of
    floats that no instruction computes are left to the CUDA toolkit's libdevice
    where it is found (see `convert-nvvm-to-binary`); elsewhere, and with `own`,
    those of f32 become polynomials, by way of f32 those of f16 and bf16 too.
    `math.clampf` is a maximum and a minimum.

    Requires: kernels with scalar code of `arith`, `math` and `complex`.

    Ensures: no kernel calls a function that is not there; a function of f64
    that only libdevice has is reported at the op.

    Does not: convert what an instruction does: `math.fma`, `math.sqrt`,
    rounding, ... (see `convert-fma-to-llvm`).

    Example: test/Docs/tc-expand-functions.mlir.
  }];
  let options = [Option<"own", "own", "bool", /*default=*/"false",
                        "Use no libdevice even where there is one">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TC_CONVERSION_KERNELPASSES_TD
