//===- Context.cpp - Contexts of the emulated driver ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primary context, contexts made by hand, and each thread's stack of them.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// The limits that a context keeps are those of stack, printf and malloc, and
/// of the part of L2 for what stays there.
static CUresult checkLimit(const Call &call, CUlimit limit) {
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE ||
      (limit >= CU_LIMIT_STACK_SIZE && limit <= CU_LIMIT_MALLOC_HEAP_SIZE))
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                   "expected a limit from 0 to 2, or 6, got " +
                       llvm::Twine(limit));
}

namespace tc::runtime {
extern "C" {

//===----------------------------------------------------------------------===//
// The primary context
//===----------------------------------------------------------------------===//

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain", Needs::Driver);
  if (CUresult bad = checkPlace(call, context))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  State &state = call.state;
  if (!state.primary) {
    Context made;
    made.primary = true;
    made.flags = state.primaryFlags;
    state.primary = state.contexts.add(made);
  }
  ++state.primaryReferences;
  *context = state.primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  Call call("cuDevicePrimaryCtxRelease", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  State &state = call.state;
  if (state.primaryReferences == 0)
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a retained primary context, got none");
  if (--state.primaryReferences != 0)
    return CUDA_SUCCESS;
  call.waitForAll(state.primary);
  state.clear(state.primary);
  state.contexts.erase(state.primary);
  state.primary = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  Call call("cuDevicePrimaryCtxReset", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  State &state = call.state;
  call.waitForAll(state.primary);
  Context *context = state.contexts.find(state.primary);
  if (!context)
    return CUDA_SUCCESS;
  state.clear(state.primary);
  context->fault = CUDA_SUCCESS;
  context->report.clear();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  Call call("cuDevicePrimaryCtxSetFlags", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  call.state.primaryFlags = flags;
  if (Context *context = call.state.contexts.find(call.state.primary))
    context->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                    int *active) {
  Call call("cuDevicePrimaryCtxGetState", Needs::Driver);
  if (CUresult bad = checkPlace(call, flags ? active : nullptr))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  *flags = call.state.primaryFlags;
  *active = call.state.primary != nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Contexts made by hand
//===----------------------------------------------------------------------===//

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  Call call("cuCtxCreate", Needs::Driver);
  if (CUresult bad = checkPlace(call, context))
    return bad;
  if (CUresult bad = checkDevice(call, device))
    return bad;
  Context made;
  made.flags = flags;
  *context = call.state.contexts.add(made);
  getContextStack().push_back(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int affinities,
                        unsigned flags, CUdevice device) {
  if (affinity || affinities != 0) {
    Call call("cuCtxCreate", Needs::Driver);
    return call ? call.fail(CUDA_ERROR_NOT_SUPPORTED,
                            "expected no execution affinity")
                : call.status();
  }
  return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags,
                        CUdevice device) {
  if (parameters) {
    Call call("cuCtxCreate", Needs::Driver);
    return call ? call.fail(CUDA_ERROR_NOT_SUPPORTED,
                            "expected no creation parameters")
                : call.status();
  }
  return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  Call call("cuCtxDestroy", Needs::Driver);
  if (!call)
    return call.status();
  call.waitForAll(context);
  Context *found = call.state.contexts.find(context);
  if (!found || found->primary)
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a context of cuCtxCreate, got another handle");
  call.state.clear(context);
  call.state.contexts.erase(context);
  std::vector<CUcontext> &stack = getContextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// The current context
//===----------------------------------------------------------------------===//

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  Call call("cuCtxPushCurrent", Needs::Driver);
  if (!call)
    return call.status();
  if (!call.state.contexts.find(context))
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a context, got another or a destroyed handle");
  getContextStack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  Call call("cuCtxPopCurrent", Needs::Driver);
  if (!call)
    return call.status();
  std::vector<CUcontext> &stack = getContextStack();
  if (stack.empty())
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a current context, got none");
  if (context)
    *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  Call call("cuCtxSetCurrent", Needs::Driver);
  if (!call)
    return call.status();
  if (context && !call.state.contexts.find(context))
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a context, got another or a destroyed handle");
  std::vector<CUcontext> &stack = getContextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  Call call("cuCtxGetCurrent", Needs::Driver);
  if (CUresult bad = checkPlace(call, context))
    return bad;
  std::vector<CUcontext> &stack = getContextStack();
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  Call call("cuCtxGetDevice", Needs::Context);
  if (CUresult bad = checkPlace(call, device))
    return bad;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  Call call("cuCtxGetApiVersion", Needs::Driver);
  if (CUresult bad = checkPlace(call, version))
    return bad;
  if (context && !call.state.contexts.find(context))
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a context, got another or a destroyed handle");
  *version = 3020; // of the _v2 forms of the context calls
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  Call call("cuCtxSynchronize", Needs::Quiet);
  if (!call)
    return call.status();
  CUresult result = call.waitForAll(call.handle);
  call.state.publish(/*always=*/false);
  return result;
}

//===----------------------------------------------------------------------===//
// Settings of a context
//===----------------------------------------------------------------------===//

CUresult cuCtxGetFlags(unsigned *flags) {
  Call call("cuCtxGetFlags", Needs::Context);
  if (CUresult bad = checkPlace(call, flags))
    return bad;
  *flags = call.context->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
  Call call("cuCtxSetFlags", Needs::Context);
  if (call)
    call.context->flags = flags;
  return call.status();
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  Call call("cuCtxGetId", context ? Needs::Driver : Needs::Context);
  if (CUresult bad = checkPlace(call, id))
    return bad;
  *id = reinterpret_cast<uintptr_t>(context ? context : call.handle);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  Call call("cuCtxGetLimit", Needs::Context);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if (CUresult bad = checkLimit(call, limit))
    return bad;
  *value = call.context->limits[limit];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  Call call("cuCtxSetLimit", Needs::Context);
  if (!call)
    return call.status();
  if (CUresult bad = checkLimit(call, limit))
    return bad;
  // More than there is, it is as much as there is.
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
    value = std::min<size_t>(value, persistingL2Bytes);
  call.context->limits[limit] = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Call call("cuCtxGetStreamPriorityRange", Needs::Context);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = greatestPriority;
  return call.status();
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  Call call("cuCtxEnablePeerAccess", Needs::Context);
  return call ? call.fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                          "expected two devices, got one")
              : call.status();
}
}
} // namespace tc::runtime
