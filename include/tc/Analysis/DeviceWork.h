//===- DeviceWork.h - What host code has the device do ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, copies, sets and releases of a host function, each with the memory
// that it reads and writes, and which of them may meet there.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_DEVICEWORK_H
#define TC_ANALYSIS_DEVICEWORK_H

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tc {

/// Does the device do what `op` asks for: gpu.launch_func, gpu.memcpy,
/// gpu.memset, gpu.dealloc?
bool isDeviceWork(Operation *op);

/// What a kernel does with one of its arguments.
struct KernelArgument {
  bool reads = false, writes = false;
  /// Its elements, in terms of the kernel; none where that is not known, or
  /// there are too many.
  std::optional<SmallVector<NestAccess>> elements = SmallVector<NestAccess>();
};

/// What a kernel does to memory.
struct KernelEffects {
  SmallVector<KernelArgument> arguments;
  /// Does it touch what it is not given?
  bool touchesAnything = false;
};

/// What the loads, stores and copies of `kernel` reach. An op that does not
/// tell its effects may read and write all that it is given.
KernelEffects getKernelEffects(gpu::GPUFuncOp kernel, NestValues &values);

/// What an op, and what is inside of it, does to memory, on the host or on the
/// device.
struct MemoryUse {
  SmallVector<NestAccess> accesses;
  bool touchesAnything = false;

  bool isEmpty() const { return accesses.empty() && !touchesAnything; }
};

/// Two accesses that may reach one element, and of which one writes; null for
/// something that may touch anything.
struct MemoryConflict {
  const NestAccess *first = nullptr, *second = nullptr;
};

/// The memory of host code. Kernels and values are looked at once.
class HostMemory {
public:
  explicit HostMemory(MLIRContext *context) : values(context) {}

  /// What `op` and the ops inside of it do. Stays valid when they are replaced,
  /// as long as the buffers, sizes and indices that they were given are there.
  MemoryUse getUse(Operation *op);
  /// Where one of these may write what the other one touches.
  std::optional<MemoryConflict> findConflict(const MemoryUse &first,
                                             const MemoryUse &second);

private:
  const KernelEffects &getEffects(gpu::GPUFuncOp kernel);
  void addLaunch(gpu::LaunchFuncOp launch, MemoryUse &use);
  void addOp(Operation *op, MemoryUse &use);
  void substituteOperands(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel,
                          NestAccess &element);
  bool mayMeet(const NestAccess &first, const NestAccess &second);

  NestValues values;
  SymbolTableCollection symbols;
  DenseMap<Operation *, KernelEffects> kernels;
};

} // namespace mlir::tc

#endif // TC_ANALYSIS_DEVICEWORK_H
