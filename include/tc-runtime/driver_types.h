//===- driver_types.h - Types of the CUDA driver API ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of the types and codes of the CUDA driver API that this
// project uses, so that neither the launcher nor the emulator needs NVIDIA's
// header. Names and numbers are those of the "CUDA Driver API" reference, where
// their meaning is documented. A unit test compares them with cuda.h wherever
// that header is installed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DRIVER_TYPES_H
#define TC_RUNTIME_DRIVER_TYPES_H

#include <cstddef>
#include <cstdint>

namespace tc::runtime {

/// Status codes: name, number, and what it says in words.
#define TC_DRIVER_RESULTS(X)                                                   \
  X(CUDA_SUCCESS, 0, "no error")                                               \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                           \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                              \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "cuInit was not called")                    \
  X(CUDA_ERROR_DEINITIALIZED, 4, "the driver is shutting down")                \
  X(CUDA_ERROR_STUB_LIBRARY, 34, "the library is a stub without a driver")     \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device")                       \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                  \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "invalid kernel image")                     \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "no current context, or an invalid one")  \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image for this device")      \
  X(CUDA_ERROR_INVALID_PTX, 218, "PTX that cannot be compiled")                \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "unsupported PTX version")        \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "devices that share no memory")   \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                          \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304, "a call of the system failed")           \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid handle")                          \
  X(CUDA_ERROR_ILLEGAL_STATE, 401, "not in a state that permits this")         \
  X(CUDA_ERROR_LOSSY_QUERY, 402, "an answer would leave something out")        \
  X(CUDA_ERROR_NOT_FOUND, 500, "no such symbol")                               \
  X(CUDA_ERROR_NOT_READY, 600, "not yet complete")                             \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "a kernel accessed an illegal address")   \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                                   \
    "a launch asks for more than the kernel may have")                         \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "a kernel ran too long")                   \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "the primary context is in use")   \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "the context was destroyed")         \
  X(CUDA_ERROR_ASSERT, 710, "an assertion failed in a kernel")                 \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                            \
    "host memory that is registered already")                                  \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                \
    "host memory that is not registered")                                      \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "illegal instruction in a kernel")    \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned access in a kernel")       \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "a kernel failed")                          \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720,                              \
    "more blocks than can run together")                                       \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "not permitted")                            \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "not supported on this device")             \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803,                                    \
    "the user and the kernel part of the driver differ in version")            \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                \
    "not permitted while a stream is captured")                                \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,                                \
    "an error has ended the capture of the stream")                            \
  X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "two captures would become one")     \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,                                  \
    "the capture did not begin in this stream")                                \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904,                                   \
    "a captured stream was not joined to that where the capture began")        \
  X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905,                                  \
    "a captured stream would wait for work that is not captured")              \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                   \
    "the legacy stream would wait for a captured one")                         \
  X(CUDA_ERROR_CAPTURED_EVENT, 907, "an event recorded in a captured stream")  \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                               \
    "the capture began in another thread")                                     \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                                 \
    "the graph differs too much from the one that was instantiated")           \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "invalid cluster size")              \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

/// What every call returns.
enum CUresult : int {
#define TC_ENUMERATOR(name, code, text) name = code,
  TC_DRIVER_RESULTS(TC_ENUMERATOR)
#undef TC_ENUMERATOR
};

/// A device by its ordinal; a device address; opaque handles.
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUlibrary = struct CUlib_st *;
using CUkernel = struct CUkern_st *;
using CUlinkState = struct CUlinkState_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUuserObject = struct CUuserObject_st *;

/// What a stream calls on the host, and what a block of that many threads needs
/// of dynamic shared memory.
using CUstreamCallback = void (*)(CUstream, CUresult, void *);
using CUhostFn = void (*)(void *);
using CUoccupancyB2DSize = size_t (*)(int);

struct CUuuid {
  char bytes[16];
};

// The attributes below are plain numbers: a caller may ask for any of them, and
// the driver refuses the ones it does not know.
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUpointer_attribute = int;
using CUjit_option = int;
using CUlaunchAttributeID = int;
using CUfunc_cache = int;
using CUlimit = int;
using CUsharedconfig = int;
using CUmem_advise = int;
using CUmemPool_attribute = int;
using CUmemAccess_flags = int;
using CUjitInputType = int;
using CUlibraryOption = int;
using CUmoduleLoadingMode = int;
using CUfunctionLoadingState = int;
using CUstreamCaptureStatus = int;
using CUstreamCaptureMode = int;
using CUgraphNodeType = int;
using CUgraphConditionalNodeType = int;
using CUgraphConditionalHandle = uint64_t;
using CUgraphExecUpdateResult = int;
using CUgraphInstantiateResult = int;
using CUgraphMem_attribute = int;
using CUdevice_P2PAttribute = int;
using CUdriverProcAddressQueryResult = int;

enum : CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum : CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

enum : CUpointer_attribute {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
};

enum : unsigned {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};
enum : unsigned { CU_STREAM_NON_BLOCKING = 1 };
enum : unsigned { CU_EVENT_DISABLE_TIMING = 2 };
enum : unsigned { CU_EVENT_RECORD_EXTERNAL = 1, CU_EVENT_WAIT_EXTERNAL = 1 };

enum : CUstreamCaptureStatus {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};
enum : CUstreamCaptureMode {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};
enum : unsigned {
  CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0,
  CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1,
};

enum : CUjit_option {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
};

enum : CUlaunchAttributeID {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
  CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
};

enum : CUdriverProcAddressQueryResult {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};

enum : CUlimit {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
};

enum : CUjitInputType { CU_JIT_INPUT_PTX = 1 };

enum : CUmemPool_attribute {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
};

/// One end of a copy of rows: the memory is at `host` or at `device`, as `type`
/// says, `x` bytes into row `y`, and rows are `pitch` bytes apart.
struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  unsigned srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  unsigned dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

/// The same with slices of `height` rows.
struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  unsigned srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  unsigned dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

struct CUmemLocation {
  int type, id;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

struct CUmemPoolProps {
  int allocType, handleTypes;
  CUmemLocation location;
  void *securityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

/// Memory of which a share is to stay in L2.
struct CUaccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  int hitProp, missProp;
};

/// An attribute of a launch or a stream: 64 bytes, read according to its id.
union CUlaunchAttributeValue {
  char bytes[64];
  int cooperative;
  CUaccessPolicyWindow accessPolicyWindow;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  struct {
    CUevent event;
    int flags, triggerAtBlockStart;
  } programmaticEvent;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
};

/// What cuLaunchKernelEx takes.
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

enum : CUgraphNodeType {
  CU_GRAPH_NODE_TYPE_KERNEL = 0,
  CU_GRAPH_NODE_TYPE_MEMCPY = 1,
  CU_GRAPH_NODE_TYPE_MEMSET = 2,
  CU_GRAPH_NODE_TYPE_HOST = 3,
  CU_GRAPH_NODE_TYPE_GRAPH = 4,
  CU_GRAPH_NODE_TYPE_EMPTY = 5,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
  CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
  CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
  CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
};

enum : CUgraphConditionalNodeType {
  CU_GRAPH_COND_TYPE_IF = 0,
  CU_GRAPH_COND_TYPE_WHILE = 1,
  CU_GRAPH_COND_TYPE_SWITCH = 2,
};
enum : unsigned { CU_GRAPH_COND_ASSIGN_DEFAULT = 1 };

enum : uint64_t {
  CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1,
  CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2,
  CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4,
  CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8,
};

enum : CUgraphExecUpdateResult {
  CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
  CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
  CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
  CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
  CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
};

enum : CUgraphInstantiateResult {
  CUDA_GRAPH_INSTANTIATE_SUCCESS = 0,
  CUDA_GRAPH_INSTANTIATE_ERROR = 1,
};

/// The first form ends before `kern`.
struct CUDA_KERNEL_NODE_PARAMS_v1 {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct CUDA_KERNEL_NODE_PARAMS_v2 {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
  CUkernel kern; ///< taken where `func` is null
  CUcontext ctx;
};

/// `width` is in elements of 1, 2 or 4 bytes, `pitch` in bytes.
struct CUDA_MEMSET_NODE_PARAMS_v1 {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};

struct CUDA_HOST_NODE_PARAMS_v1 {
  CUhostFn fn;
  void *userData;
};

/// `dptr` is what the call answers.
struct CUDA_MEM_ALLOC_NODE_PARAMS_v1 {
  CUmemPoolProps poolProps;
  const CUmemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  CUdeviceptr dptr;
};

/// `phGraph_out` is what the call answers: the graphs that the node chooses
/// from, `size` of them.
struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned size;
  CUgraph *phGraph_out;
  CUcontext ctx;
};

/// Of cuUserObjectCreate and cuGraphRetainUserObject.
enum CUuserObject_flags : unsigned {
  CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1,
  CU_GRAPH_USER_OBJECT_MOVE = 1
};

/// Zeros say that the end of one node comes before the start of the other. From
/// a port of a kernel, its blocks have triggered (1) or begun (2); the type of
/// such an edge is 1: the other kernel waits for the end itself.
struct CUgraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

/// The parameters of any node, read according to its type.
struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    struct {
      int flags, reserved;
      CUcontext copyCtx;
      CUDA_MEMCPY3D copyParams;
    } memcpy;
    CUDA_MEMSET_NODE_PARAMS_v1 memset;
    CUDA_HOST_NODE_PARAMS_v1 host;
    struct {
      CUgraph graph;
      int ownership; ///< 0: the node has a clone
    } graph;
    struct {
      CUevent event;
    } eventWait, eventRecord;
    CUDA_MEM_ALLOC_NODE_PARAMS_v1 alloc;
    struct {
      CUdeviceptr dptr;
    } free;
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
  };
  long long reserved2;
};

struct CUDA_GRAPH_INSTANTIATE_PARAMS {
  uint64_t flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  CUgraphInstantiateResult result_out;
};

/// Which node of the new graph, and of an edge the node it comes from, differs.
struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode, errorFromNode;
};

/// Keys in the `extra` list of a launch, which hands over packed parameters
/// (CU_LAUNCH_PARAM_END, ..._BUFFER_POINTER, ..._BUFFER_SIZE).
enum class LaunchExtra : uintptr_t {
  End = 0,
  BufferPointer = 1,
  BufferSize = 2
};

} // namespace tc::runtime

#endif // TC_RUNTIME_DRIVER_TYPES_H
