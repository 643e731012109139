//===- MgpuProduct.cpp - Matrix products by a library ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code calls this beside MLIR's mgpu* functions, and waits for it.
//
//===----------------------------------------------------------------------===//

#include "Library/Products.h"
#include "Mgpu/MgpuState.h"
#include "Status.h"
#include "tc-runtime/tc_mgpu.h"

using namespace tc::runtime;

int64_t tcMgpuProduct(const tcProduct *product, void *a, void *b, void *c,
                      void *d, void *workspace, int64_t workspaceBytes) {
  bool isDone = false;
  mgpu::run("cuStreamSynchronize", [&](const Driver &driver) {
    CUstream stream = nullptr;
    CUresult result = driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS)
      return result;
    lastRemark() = computeProduct(driver,
                                  {*product,
                                   {a, b, c, d},
                                   workspace,
                                   static_cast<size_t>(workspaceBytes)},
                                  stream);
    isDone = lastRemark().empty();
    if (isDone)
      result = driver.cuStreamSynchronize(stream);
    driver.cuStreamDestroy_v2(stream);
    return result;
  });
  return isDone;
}

const char *tcMgpuLastRemark(void) { return tcLastRemark(); }
