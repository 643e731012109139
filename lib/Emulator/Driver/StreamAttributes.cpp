//===- StreamAttributes.cpp - What streams are told of their work ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes say how a GPU may do the work of a stream: what stays in L2, how
// the host waits. Nothing that the emulator does hangs on them. They are kept,
// so that a program reads what it has written.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// Refuses attributes of launches that the reference does not list for streams.
static CUresult checkAttribute(const Call &call, CUlaunchAttributeID id) {
  switch (id) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    return CUDA_SUCCESS;
  default:
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute of streams (1, 3, 8, 9 or 10), "
                     "got " +
                         llvm::Twine(id));
  }
}

/// A window of memory has at most as many bytes as the device says, and a share
/// of it that stays.
static CUresult checkWindow(const Call &call,
                            const CUaccessPolicyWindow &window) {
  if (window.num_bytes > size_t(accessPolicyWindow))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a window of at most " +
                         llvm::Twine(accessPolicyWindow) + " bytes, got " +
                         llvm::Twine(window.num_bytes));
  if (!(window.hitRatio >= 0 && window.hitRatio <= 1))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a hit ratio from 0 to 1");
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID id,
                              const CUlaunchAttributeValue *value) {
  Call call("cuStreamSetAttribute", stream);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if (CUresult bad = checkAttribute(call, id))
    return bad;
  if (id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
    if (CUresult bad = checkWindow(call, value->accessPolicyWindow))
      return bad;
  call.state.streamAttributes[{stream, id}] = *value;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID id,
                              CUlaunchAttributeValue *value) {
  Call call("cuStreamGetAttribute", stream);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if (CUresult bad = checkAttribute(call, id))
    return bad;
  auto found = call.state.streamAttributes.find({stream, id});
  *value = found == call.state.streamAttributes.end() ? CUlaunchAttributeValue{}
                                                      : found->second;
  return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  Call call("cuStreamCopyAttributes", to);
  if (!call)
    return call.status();
  if (CUresult bad = call.enter(from))
    return bad;
  auto &all = call.state.streamAttributes;
  for (CUlaunchAttributeID id : {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                                 CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                 CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
                                 CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN}) {
    auto found = all.find({from, id});
    if (found != all.end())
      all[{to, id}] = CUlaunchAttributeValue(found->second);
    else
      all.erase({to, id});
  }
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
