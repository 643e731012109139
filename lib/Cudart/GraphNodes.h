//===- GraphNodes.h - Parameters of nodes of the runtime --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CUDART_GRAPHNODES_H
#define TC_LIB_CUDART_GRAPHNODES_H

#include "Copy.h"

namespace tc::cudart {

/// cudaKernelNodeParams and cudaKernelNodeParamsV2.
struct KernelNode {
  const void *stub;
  Dim3 grid, block;
  unsigned shared;
  void **parameters, **extra;
};

/// Fails where there are no parameters, or no such kernel.
Error toDriver(const KernelNode *from, CUDA_KERNEL_NODE_PARAMS_v2 &to);

inline CUcontext getContext(const Driver &d) {
  CUcontext current = nullptr;
  d.cuCtxGetCurrent(&current);
  return current;
}

} // namespace tc::cudart

#endif // TC_LIB_CUDART_GRAPHNODES_H
