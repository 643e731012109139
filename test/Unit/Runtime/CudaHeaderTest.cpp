//===- CudaHeaderTest.cpp - Our declarations against cuda.h ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares driver_types.h and driver_api.h with NVIDIA's header where that is
// installed: numbers, layouts, and the number and size of each parameter. All
// of it happens at compile time; without the header the test is skipped.
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/driver_api.h"

#include "gtest/gtest.h"

#if __has_include(<cuda.h>) && __has_include(<cudaTypedefs.h>) &&               \
    __has_include(<cudaProfiler.h>)
#include <cuda.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

#include <type_traits>

// The version of cuda.h must know every call of the list.
#if CUDA_VERSION >= 13000

namespace tc::runtime::check {

template <typename Ours, typename Theirs>
struct SameShape : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameShape<R(A...), S(B...)> {
  static constexpr bool equal() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return ((sizeof(A) == sizeof(B)) && ... && (sizeof(R) == sizeof(S)));
  }
  static constexpr bool value = equal();
};

#define TC_CHECK_CALL(name, symbol, since, need, parameters)                   \
  namespace in_##symbol {                                                      \
    using Call = CUresult parameters;                                          \
    using Theirs = std::remove_pointer_t<PFN_##name##_v##since>;               \
    static_assert(SameShape<Call, Theirs>::value, "parameters of " #symbol);   \
  }
TC_DRIVER_CALLS(TC_CHECK_CALL)
#undef TC_CHECK_CALL

#define TC_CHECK_CODE(name, code, text)                                        \
  static_assert(static_cast<int>(::name) == code, #name);
TC_DRIVER_RESULTS(TC_CHECK_CODE)
#undef TC_CHECK_CODE

#define TC_CHECK(name)                                                         \
  static_assert(                                                               \
      static_cast<int>(::name) == static_cast<int>(tc::runtime::name), #name);
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
TC_CHECK(CU_DEVICE_ATTRIBUTE_WARP_SIZE)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
TC_CHECK(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
TC_CHECK(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
TC_CHECK(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
TC_CHECK(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
TC_CHECK(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
TC_CHECK(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
TC_CHECK(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
TC_CHECK(CU_FUNC_ATTRIBUTE_NUM_REGS)
TC_CHECK(CU_FUNC_ATTRIBUTE_PTX_VERSION)
TC_CHECK(CU_FUNC_ATTRIBUTE_BINARY_VERSION)
TC_CHECK(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA)
TC_CHECK(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
TC_CHECK(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
TC_CHECK(CU_POINTER_ATTRIBUTE_CONTEXT)
TC_CHECK(CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
TC_CHECK(CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
TC_CHECK(CU_POINTER_ATTRIBUTE_HOST_POINTER)
TC_CHECK(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
TC_CHECK(CU_POINTER_ATTRIBUTE_BUFFER_ID)
TC_CHECK(CU_POINTER_ATTRIBUTE_MAPPED)
TC_CHECK(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
TC_CHECK(CU_POINTER_ATTRIBUTE_IS_MANAGED)
TC_CHECK(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
TC_CHECK(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
TC_CHECK(CU_POINTER_ATTRIBUTE_RANGE_SIZE)
TC_CHECK(CU_MEMORYTYPE_HOST)
TC_CHECK(CU_MEMORYTYPE_DEVICE)
TC_CHECK(CU_MEMORYTYPE_ARRAY)
TC_CHECK(CU_MEMORYTYPE_UNIFIED)
TC_CHECK(CU_LIMIT_STACK_SIZE)
TC_CHECK(CU_LIMIT_PRINTF_FIFO_SIZE)
TC_CHECK(CU_LIMIT_MALLOC_HEAP_SIZE)
TC_CHECK(CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
TC_CHECK(CU_JIT_INPUT_PTX)
TC_CHECK(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES)
TC_CHECK(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
TC_CHECK(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
TC_CHECK(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
TC_CHECK(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
TC_CHECK(CU_MEMPOOL_ATTR_USED_MEM_HIGH)
TC_CHECK(CU_STREAM_NON_BLOCKING)
TC_CHECK(CU_EVENT_DISABLE_TIMING)
TC_CHECK(CU_JIT_INFO_LOG_BUFFER)
TC_CHECK(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
TC_CHECK(CU_JIT_ERROR_LOG_BUFFER)
TC_CHECK(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
TC_CHECK(CU_JIT_OPTIMIZATION_LEVEL)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_IGNORE)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_PRIORITY)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)
TC_CHECK(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
TC_CHECK(CU_EVENT_RECORD_EXTERNAL)
TC_CHECK(CU_EVENT_WAIT_EXTERNAL)
TC_CHECK(CU_STREAM_CAPTURE_STATUS_NONE)
TC_CHECK(CU_STREAM_CAPTURE_STATUS_ACTIVE)
TC_CHECK(CU_STREAM_CAPTURE_STATUS_INVALIDATED)
TC_CHECK(CU_STREAM_CAPTURE_MODE_GLOBAL)
TC_CHECK(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
TC_CHECK(CU_STREAM_CAPTURE_MODE_RELAXED)
TC_CHECK(CU_STREAM_ADD_CAPTURE_DEPENDENCIES)
TC_CHECK(CU_STREAM_SET_CAPTURE_DEPENDENCIES)
TC_CHECK(CU_GRAPH_NODE_TYPE_KERNEL)
TC_CHECK(CU_GRAPH_NODE_TYPE_MEMCPY)
TC_CHECK(CU_GRAPH_NODE_TYPE_MEMSET)
TC_CHECK(CU_GRAPH_NODE_TYPE_HOST)
TC_CHECK(CU_GRAPH_NODE_TYPE_GRAPH)
TC_CHECK(CU_GRAPH_NODE_TYPE_EMPTY)
TC_CHECK(CU_GRAPH_NODE_TYPE_WAIT_EVENT)
TC_CHECK(CU_GRAPH_NODE_TYPE_EVENT_RECORD)
TC_CHECK(CU_GRAPH_NODE_TYPE_MEM_ALLOC)
TC_CHECK(CU_GRAPH_NODE_TYPE_MEM_FREE)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)
TC_CHECK(CU_GRAPH_EXEC_UPDATE_SUCCESS)
TC_CHECK(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED)
TC_CHECK(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED)
TC_CHECK(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
TC_CHECK(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_SUCCESS)
TC_CHECK(CUDA_GRAPH_INSTANTIATE_ERROR)
TC_CHECK(CU_GET_PROC_ADDRESS_SUCCESS)
TC_CHECK(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
TC_CHECK(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
#undef TC_CHECK

static_assert(sizeof(CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(CUlaunchConfig, attrs) ==
              offsetof(::CUlaunchConfig, attrs));
static_assert(sizeof(CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(sizeof(CUaccessPolicyWindow) == sizeof(::CUaccessPolicyWindow));
static_assert(offsetof(CUlaunchAttribute, value) ==
              offsetof(::CUlaunchAttribute, value));
#define TC_CHECK_MEMBER(type, member)                                          \
  static_assert(sizeof(type) == sizeof(::type));                               \
  static_assert(offsetof(type, member) == offsetof(::type, member));
TC_CHECK_MEMBER(CUDA_MEMCPY2D, srcPitch)
TC_CHECK_MEMBER(CUDA_MEMCPY2D, dstDevice)
TC_CHECK_MEMBER(CUDA_MEMCPY2D, Height)
TC_CHECK_MEMBER(CUDA_MEMCPY3D, srcHeight)
TC_CHECK_MEMBER(CUDA_MEMCPY3D, dstDevice)
TC_CHECK_MEMBER(CUDA_MEMCPY3D, Depth)
TC_CHECK_MEMBER(CUDA_KERNEL_NODE_PARAMS_v1, extra)
TC_CHECK_MEMBER(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams)
TC_CHECK_MEMBER(CUDA_KERNEL_NODE_PARAMS_v2, ctx)
TC_CHECK_MEMBER(CUDA_MEMSET_NODE_PARAMS_v1, elementSize)
TC_CHECK_MEMBER(CUDA_MEMSET_NODE_PARAMS_v1, height)
TC_CHECK_MEMBER(CUDA_HOST_NODE_PARAMS_v1, userData)
TC_CHECK_MEMBER(CUDA_MEM_ALLOC_NODE_PARAMS_v1, dptr)
TC_CHECK_MEMBER(CUgraphEdgeData, type)
TC_CHECK_MEMBER(CUgraphNodeParams, kernel)
TC_CHECK_MEMBER(CUgraphNodeParams, memcpy.copyParams)
TC_CHECK_MEMBER(CUgraphNodeParams, free.dptr)
TC_CHECK_MEMBER(CUgraphNodeParams, reserved2)
TC_CHECK_MEMBER(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out)
TC_CHECK_MEMBER(CUgraphExecUpdateResultInfo, errorFromNode)
TC_CHECK_MEMBER(CUmemLocation, id)
TC_CHECK_MEMBER(CUmemAccessDesc, flags)
TC_CHECK_MEMBER(CUmemPoolProps, maxSize)
#undef TC_CHECK_MEMBER
static_assert(sizeof(CUuuid) == sizeof(::CUuuid));
static_assert(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT ==
              static_cast<int>(LaunchExtra::BufferPointer));
static_assert(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT ==
              static_cast<int>(LaunchExtra::BufferSize));

} // namespace tc::runtime::check

TEST(CudaHeader, AgreesWithOurDeclarations) {
  SUCCEED() << "compared at compile time with CUDA " << CUDA_VERSION;
}

#else
TEST(CudaHeader, AgreesWithOurDeclarations) {
  GTEST_SKIP() << "expected cuda.h of CUDA 13 or later, got " << CUDA_VERSION;
}
#endif

#else
TEST(CudaHeader, AgreesWithOurDeclarations) {
  GTEST_SKIP() << "expected cuda.h, found none";
}
#endif
