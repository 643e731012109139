//===- KernelPasses.td - Passes on kernels -----------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM and ptxas may assume of a kernel, and what they may not.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_KERNELPASSES_TD
#define TC_TRANSFORMS_KERNELPASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateKernels : Pass<"tc-annotate-kernels", "gpu::GPUModuleOp"> {
  let summary = "Say what LLVM and ptxas may assume of a kernel";
  let description = [{
    Overview: within phase 7. Says of each kernel how many blocks a multiprocessor
    has to have room for (`nvvm.minctasm`): as many as its schedule says
    (`tc.resident` of the module), else one, since ptxas has an occupancy of its own
    in mind and would rather spill than miss it. A block of dynamic extents may have
    1024 threads (`nvvm.maxntid`), for which registers are left. Aligns workgroup memory to 16
    bytes (`llvm.align`), as LLVM's wide accesses want it. Allows no vectors of
    integers of 2 to 31 bits (`noimplicitfloat`): PTX has no products of them.

    Requires: `gpu.func` kernels, of blocks of at most 1024 threads where their
    size is known, and vectors of at most 512 KiB, which is the local memory of a
    thread. What a kernel says already is left as it is.

    Ensures: ptxas spills only when a thread needs more than the chip's limit, or its
    share of the registers where a schedule asks for several blocks.

    Does not: change code.

    Example: test/Docs/tc-annotate-kernels.mlir.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def PlaceConstants : Pass<"tc-place-constants", "gpu::GPUModuleOp"> {
  let summary = "Put tables that threads read alike into constant memory";
  let description = [{
    Overview: within phase 7. A constant `memref.global` of a kernel module goes to
    memory space 4 if all threads of a block that read it read the same element at a
    time: indices are made of constants, arguments, numbers of blocks, and of
    loops whose bounds are made of these. Others stay in global memory, and a
    remark says why.

    Requires: outlined kernels, `gpu.func`.

    Ensures: all tables of a module in constant memory have at most `most` bytes. A
    kernel can have 64 KiB of it, its parameters and constants of ptxas included.

    Does not: put buffers that a call provides into constant memory. They would have
    to be copied there before each launch.

    Example: test/Docs/tc-place-constants.mlir.
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"32 << 10",
           "Bytes of constant memory that a module may use">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def AssumeNoAlias : Pass<"tc-assume-noalias", "ModuleOp"> {
  let summary = "Say which buffers of a kernel overlap no other";
  let description = [{
    Overview: within phase 7. An argument of a kernel is `llvm.noalias` if its buffer
    is known to be none of the others': different arguments of a function, or
    allocations. LLVM then keeps an element that a loop reads and writes in a
    register, and stores it once.

    Requires: outlined kernels, `gpu.func`, and their launches.

    Ensures: kernels whose threads communicate (barriers, atomic updates, PTX) stay as
    they are: to LLVM no other thread writes what is `noalias`. So do kernels of
    several launches.

    Does not: compare addresses at run time.

    Example: test/Docs/tc-assume-noalias.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def KeepLoads : Pass<"tc-keep-loads", "gpu::GPUModuleOp"> {
  let summary = "Keep loads of shared memory in the branches they are in";
  let description = [{
    Overview: within phase 7. LLVM may execute a load earlier, and in threads in
    which the program does not, where it knows that it cannot fault. From shared
    memory that is a race with a thread that writes, although nobody uses what was
    read. The pass forbids it: by the attribute `sanitize_thread`, which has no
    other effect here, and by hiding from LLVM where a store to a constant place
    goes.

    Requires: kernels in the LLVM dialect.

    Ensures: a kernel without races has none in PTX.

    Does not: change instructions, or what is known of variable addresses.

    Example: test/Docs/tc-keep-loads.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SignOffsets : Pass<"tc-sign-offsets", "gpu::GPUModuleOp"> {
  let summary = "Let LLVM know that offsets may be negative";
  let description = [{
    Overview: within phase 7. Upstream's lowering of `memref.load` and
    `memref.store` says of each product of an index and a stride, and of each
    address, that it does not wrap as an unsigned number (`nuw`). Of a negative
    stride this is not so, and LLVM may draw conclusions: that the index is 0, or
    that an offset of 32 bits may be extended by zeros. The pass takes the word
    back.

    Requires: kernels in the LLVM dialect.

    Ensures: no address and no integer arithmetic says `nuw`.

    Does not: touch `nsw` and `inbounds`, which hold.

    Example: test/Docs/tc-sign-offsets.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TC_TRANSFORMS_KERNELPASSES_TD
