//===- driver_api.h - Calls of the CUDA driver API --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of driver calls. The launcher makes its table of function
// pointers from it, and the emulator its exports, so the two cannot disagree on
// a signature.
//
//   X(name, symbol, since, need, parameters)
//
// name        as documented, and as cuGetProcAddress is asked for
// symbol      as the library exports it
// since       the first CUDA version with this form (1000*major + 10*minor)
// need        Required: a driver without it is refused; Optional: the table
//             holds null
// parameters  of the call, which returns CUresult
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DRIVER_API_H
#define TC_RUNTIME_DRIVER_API_H

#include "tc-runtime/driver_types.h"

// clang-format off

/// The driver itself and its devices.
#define TC_DRIVER_DEVICE_CALLS(X) \
  X(cuInit, cuInit, 2000, Required, (unsigned flags)) \
  X(cuDriverGetVersion, cuDriverGetVersion, 2020, Required, (int *version)) \
  X(cuGetErrorName, cuGetErrorName, 6000, Required, (CUresult error, const char **name)) \
  X(cuGetErrorString, cuGetErrorString, 6000, Required, (CUresult error, const char **text)) \
  X(cuGetProcAddress, cuGetProcAddress, 11030, Optional, (const char *symbol, void **function, int version, uint64_t flags)) \
  X(cuGetProcAddress, cuGetProcAddress_v2, 12000, Optional, (const char *symbol, void **function, int version, uint64_t flags, CUdriverProcAddressQueryResult *status)) \
  X(cuDeviceGet, cuDeviceGet, 2000, Required, (CUdevice *device, int ordinal)) \
  X(cuDeviceGetCount, cuDeviceGetCount, 2000, Required, (int *count)) \
  X(cuDeviceGetName, cuDeviceGetName, 2000, Required, (char *name, int length, CUdevice device)) \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, Required, (int *value, CUdevice_attribute attribute, CUdevice device)) \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, Required, (size_t *bytes, CUdevice device)) \
  X(cuDeviceGetUuid, cuDeviceGetUuid, 9020, Optional, (CUuuid *uuid, CUdevice device)) \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, Optional, (CUuuid *uuid, CUdevice device)) \
  X(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, Optional, (int *major, int *minor, CUdevice device)) \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, Optional, (char *text, int length, CUdevice device)) \
  X(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, Optional, (CUdevice *device, const char *text)) \
  X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, Optional, (int *can, CUdevice device, CUdevice peer)) \
  X(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000, Optional, (int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)) \
  X(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, Optional, (CUmemoryPool *pool, CUdevice device)) \
  X(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, Optional, (CUmemoryPool *pool, CUdevice device)) \
  X(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, Optional, (CUdevice device, CUmemoryPool pool)) \
  X(cuProfilerStart, cuProfilerStart, 4000, Optional, ()) \
  X(cuProfilerStop, cuProfilerStop, 4000, Optional, ())

/// Contexts.
#define TC_DRIVER_CONTEXT_CALLS(X) \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, Required, (CUcontext *context, CUdevice device)) \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, Required, (CUdevice device)) \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, Optional, (CUdevice device)) \
  X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, Optional, (CUdevice device, unsigned flags)) \
  X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, Optional, (CUdevice device, unsigned *flags, int *active)) \
  X(cuCtxCreate, cuCtxCreate_v2, 3020, Optional, (CUcontext *context, unsigned flags, CUdevice device)) \
  X(cuCtxCreate, cuCtxCreate_v3, 11040, Optional, (CUcontext *context, void *affinity, int affinities, unsigned flags, CUdevice device)) \
  X(cuCtxCreate, cuCtxCreate_v4, 12050, Optional, (CUcontext *context, void *parameters, unsigned flags, CUdevice device)) \
  X(cuCtxDestroy, cuCtxDestroy_v2, 4000, Optional, (CUcontext context)) \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, Required, (CUcontext context)) \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, Required, (CUcontext *context)) \
  X(cuCtxSetCurrent, cuCtxSetCurrent, 4000, Optional, (CUcontext context)) \
  X(cuCtxGetCurrent, cuCtxGetCurrent, 4000, Optional, (CUcontext *context)) \
  X(cuCtxGetDevice, cuCtxGetDevice, 2000, Optional, (CUdevice *device)) \
  X(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, Optional, (CUcontext context, unsigned *version)) \
  X(cuCtxSynchronize, cuCtxSynchronize, 2000, Required, ()) \
  X(cuCtxGetFlags, cuCtxGetFlags, 7000, Optional, (unsigned *flags)) \
  X(cuCtxSetFlags, cuCtxSetFlags, 12010, Optional, (unsigned flags)) \
  X(cuCtxGetId, cuCtxGetId, 12000, Optional, (CUcontext context, unsigned long long *id)) \
  X(cuCtxGetLimit, cuCtxGetLimit, 3010, Optional, (size_t *value, CUlimit limit)) \
  X(cuCtxSetLimit, cuCtxSetLimit, 3010, Optional, (CUlimit limit, size_t value)) \
  X(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, Optional, (CUfunc_cache *config)) \
  X(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, Optional, (CUfunc_cache config)) \
  X(cuCtxGetSharedMemConfig, cuCtxGetSharedMemConfig, 4020, Optional, (CUsharedconfig *config)) \
  X(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, 4020, Optional, (CUsharedconfig config)) \
  X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, Optional, (int *least, int *greatest)) \
  X(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000, Optional, ()) \
  X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, Optional, (CUcontext peer, unsigned flags))

/// Streams and events.
#define TC_DRIVER_STREAM_CALLS(X) \
  X(cuStreamCreate, cuStreamCreate, 2000, Required, (CUstream *stream, unsigned flags)) \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, Optional, (CUstream *stream, unsigned flags, int priority)) \
  X(cuStreamDestroy, cuStreamDestroy_v2, 4000, Required, (CUstream stream)) \
  X(cuStreamSynchronize, cuStreamSynchronize, 2000, Required, (CUstream stream)) \
  X(cuStreamQuery, cuStreamQuery, 2000, Optional, (CUstream stream)) \
  X(cuStreamWaitEvent, cuStreamWaitEvent, 3020, Required, (CUstream stream, CUevent event, unsigned flags)) \
  X(cuStreamGetPriority, cuStreamGetPriority, 5050, Optional, (CUstream stream, int *priority)) \
  X(cuStreamGetFlags, cuStreamGetFlags, 5050, Optional, (CUstream stream, unsigned *flags)) \
  X(cuStreamGetCtx, cuStreamGetCtx, 9020, Optional, (CUstream stream, CUcontext *context)) \
  X(cuStreamGetId, cuStreamGetId, 12000, Optional, (CUstream stream, unsigned long long *id)) \
  X(cuStreamGetDevice, cuStreamGetDevice, 12080, Optional, (CUstream stream, CUdevice *device)) \
  X(cuStreamAddCallback, cuStreamAddCallback, 5000, Optional, (CUstream stream, CUstreamCallback callback, void *data, unsigned flags)) \
  X(cuLaunchHostFunc, cuLaunchHostFunc, 10000, Optional, (CUstream stream, CUhostFn function, void *data)) \
  X(cuStreamAttachMemAsync, cuStreamAttachMemAsync, 6000, Optional, (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)) \
  X(cuStreamSetAttribute, cuStreamSetAttribute, 11000, Optional, (CUstream stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)) \
  X(cuStreamGetAttribute, cuStreamGetAttribute, 11000, Optional, (CUstream stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value)) \
  X(cuStreamCopyAttributes, cuStreamCopyAttributes, 11000, Optional, (CUstream to, CUstream from)) \
  X(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, Optional, (CUevent event, CUstream stream, unsigned flags)) \
  X(cuEventCreate, cuEventCreate, 2000, Required, (CUevent *event, unsigned flags)) \
  X(cuEventDestroy, cuEventDestroy_v2, 4000, Required, (CUevent event)) \
  X(cuEventRecord, cuEventRecord, 2000, Required, (CUevent event, CUstream stream)) \
  X(cuEventSynchronize, cuEventSynchronize, 2000, Required, (CUevent event)) \
  X(cuEventQuery, cuEventQuery, 2000, Optional, (CUevent event)) \
  X(cuEventElapsedTime, cuEventElapsedTime, 2000, Required, (float *milliseconds, CUevent start, CUevent end)) \
  X(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, Optional, (float *milliseconds, CUevent start, CUevent end))

/// Stream capture.
#define TC_DRIVER_CAPTURE_CALLS(X) \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, Optional, (CUstream stream, CUstreamCaptureMode mode)) \
  X(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, Optional, (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode)) \
  X(cuStreamEndCapture, cuStreamEndCapture, 10000, Optional, (CUstream stream, CUgraph *graph)) \
  X(cuStreamIsCapturing, cuStreamIsCapturing, 10000, Optional, (CUstream stream, CUstreamCaptureStatus *status)) \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, Optional, (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id)) \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, Optional, (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph, const CUgraphNode **after, size_t *count)) \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, Optional, (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph, const CUgraphNode **after, const CUgraphEdgeData **data, size_t *count)) \
  X(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies, 11030, Optional, (CUstream stream, CUgraphNode *after, size_t count, unsigned flags)) \
  X(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, 12030, Optional, (CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data, size_t count, unsigned flags)) \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, Optional, (CUstreamCaptureMode *mode))

/// Graphs and their edges.
#define TC_DRIVER_GRAPH_CALLS(X) \
  X(cuGraphCreate, cuGraphCreate, 10000, Optional, (CUgraph *graph, unsigned flags)) \
  X(cuGraphDestroy, cuGraphDestroy, 10000, Optional, (CUgraph graph)) \
  X(cuGraphClone, cuGraphClone, 10000, Optional, (CUgraph *clone, CUgraph graph)) \
  X(cuUserObjectCreate, cuUserObjectCreate, 11030, Optional, (CUuserObject *object, void *data, CUhostFn destroy, unsigned count, unsigned flags)) \
  X(cuUserObjectRetain, cuUserObjectRetain, 11030, Optional, (CUuserObject object, unsigned count)) \
  X(cuUserObjectRelease, cuUserObjectRelease, 11030, Optional, (CUuserObject object, unsigned count)) \
  X(cuGraphRetainUserObject, cuGraphRetainUserObject, 11030, Optional, (CUgraph graph, CUuserObject object, unsigned count, unsigned flags)) \
  X(cuGraphReleaseUserObject, cuGraphReleaseUserObject, 11030, Optional, (CUgraph graph, CUuserObject object, unsigned count)) \
  X(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000, Optional, (CUgraphNode *found, CUgraphNode original, CUgraph clone)) \
  X(cuGraphNodeGetType, cuGraphNodeGetType, 10000, Optional, (CUgraphNode node, CUgraphNodeType *type)) \
  X(cuGraphDestroyNode, cuGraphDestroyNode, 10000, Optional, (CUgraphNode node)) \
  X(cuGraphGetNodes, cuGraphGetNodes, 10000, Optional, (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
  X(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000, Optional, (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
  X(cuGraphGetEdges, cuGraphGetEdges, 10000, Optional, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)) \
  X(cuGraphGetEdges, cuGraphGetEdges_v2, 12030, Optional, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)) \
  X(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000, Optional, (CUgraphNode node, CUgraphNode *nodes, size_t *count)) \
  X(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, 12030, Optional, (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)) \
  X(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000, Optional, (CUgraphNode node, CUgraphNode *nodes, size_t *count)) \
  X(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, 12030, Optional, (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)) \
  X(cuGraphAddDependencies, cuGraphAddDependencies, 10000, Optional, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)) \
  X(cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030, Optional, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data, size_t count)) \
  X(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000, Optional, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)) \
  X(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030, Optional, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data, size_t count)) \
  X(cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030, Optional, (CUgraph graph, const char *path, unsigned flags))

/// Nodes of graphs.
#define TC_DRIVER_NODE_CALLS(X) \
  X(cuGraphAddKernelNode, cuGraphAddKernelNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams, 10000, Optional, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams, 10000, Optional, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)) \
  X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000, Optional, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *parameters)) \
  X(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000, Optional, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)) \
  X(cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, 11000, Optional, (CUgraphNode to, CUgraphNode from)) \
  X(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000, Optional, (CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *value)) \
  X(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000, Optional, (CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)) \
  X(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMCPY3D *parameters, CUcontext context)) \
  X(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000, Optional, (CUgraphNode node, CUDA_MEMCPY3D *parameters)) \
  X(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000, Optional, (CUgraphNode node, const CUDA_MEMCPY3D *parameters)) \
  X(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMSET_NODE_PARAMS_v1 *parameters, CUcontext context)) \
  X(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000, Optional, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000, Optional, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphAddHostNode, cuGraphAddHostNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_HOST_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000, Optional, (CUgraphNode node, CUDA_HOST_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000, Optional, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child)) \
  X(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000, Optional, (CUgraphNode node, CUgraph *child)) \
  X(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)) \
  X(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUevent event)) \
  X(cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010, Optional, (CUgraphNode node, CUevent *event)) \
  X(cuGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, 11010, Optional, (CUgraphNode node, CUevent event)) \
  X(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUevent event)) \
  X(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010, Optional, (CUgraphNode node, CUevent *event)) \
  X(cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010, Optional, (CUgraphNode node, CUevent event)) \
  X(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, 11040, Optional, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUdeviceptr address)) \
  X(cuGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, 11040, Optional, (CUgraphNode node, CUdeviceptr *address)) \
  X(cuGraphAddNode, cuGraphAddNode, 12020, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraphNodeParams *parameters)) \
  X(cuGraphAddNode, cuGraphAddNode_v2, 12030, Optional, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *parameters)) \
  X(cuGraphNodeSetParams, cuGraphNodeSetParams, 12020, Optional, (CUgraphNode node, CUgraphNodeParams *parameters)) \
  X(cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate, 12030, Optional, (CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context, unsigned value, unsigned flags)) \
  X(cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040, Optional, (CUdevice device, CUgraphMem_attribute attribute, void *value)) \
  X(cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040, Optional, (CUdevice device, CUgraphMem_attribute attribute, void *value)) \
  X(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040, Optional, (CUdevice device))

/// Executable graphs.
#define TC_DRIVER_EXEC_CALLS(X) \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, Optional, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
  X(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000, Optional, (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)) \
  X(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000, Optional, (CUgraphExec exec, uint64_t *flags)) \
  X(cuGraphUpload, cuGraphUpload, 11010, Optional, (CUgraphExec exec, CUstream stream)) \
  X(cuGraphLaunch, cuGraphLaunch, 10000, Optional, (CUgraphExec exec, CUstream stream)) \
  X(cuGraphExecDestroy, cuGraphExecDestroy, 10000, Optional, (CUgraphExec exec)) \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams, 10010, Optional, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000, Optional, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)) \
  X(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020, Optional, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *parameters, CUcontext context)) \
  X(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020, Optional, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v1 *parameters, CUcontext context)) \
  X(cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020, Optional, (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS_v1 *parameters)) \
  X(cuGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, 11010, Optional, (CUgraphExec exec, CUgraphNode node, CUgraph child)) \
  X(cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010, Optional, (CUgraphExec exec, CUgraphNode node, CUevent event)) \
  X(cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010, Optional, (CUgraphExec exec, CUgraphNode node, CUevent event)) \
  X(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020, Optional, (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *parameters)) \
  X(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060, Optional, (CUgraphExec exec, CUgraphNode node, unsigned isEnabled)) \
  X(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060, Optional, (CUgraphExec exec, CUgraphNode node, unsigned *isEnabled)) \
  X(cuGraphExecUpdate, cuGraphExecUpdate, 10020, Optional, (CUgraphExec exec, CUgraph graph, CUgraphNode *node, CUgraphExecUpdateResult *result)) \
  X(cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000, Optional, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info))

/// Modules, kernels and launches.
#define TC_DRIVER_MODULE_CALLS(X) \
  X(cuModuleLoad, cuModuleLoad, 2000, Optional, (CUmodule *module, const char *path)) \
  X(cuModuleLoadData, cuModuleLoadData, 2000, Required, (CUmodule *module, const void *image)) \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, Required, (CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)) \
  X(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, Optional, (CUmodule *module, const void *image)) \
  X(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, Optional, (CUmoduleLoadingMode *mode)) \
  X(cuLinkCreate, cuLinkCreate_v2, 6050, Optional, (unsigned count, CUjit_option *options, void **values, CUlinkState *state)) \
  X(cuLinkAddData, cuLinkAddData_v2, 6050, Optional, (CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name, unsigned count, CUjit_option *options, void **values)) \
  X(cuLinkAddFile, cuLinkAddFile_v2, 6050, Optional, (CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options, void **values)) \
  X(cuLinkComplete, cuLinkComplete, 5050, Optional, (CUlinkState state, void **image, size_t *bytes)) \
  X(cuLinkDestroy, cuLinkDestroy, 5050, Optional, (CUlinkState state)) \
  X(cuLibraryLoadData, cuLibraryLoadData, 12000, Optional, (CUlibrary *library, const void *image, CUjit_option *options, void **values, unsigned count, CUlibraryOption *libraryOptions, void **libraryValues, unsigned libraryCount)) \
  X(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, Optional, (CUlibrary *library, const char *path, CUjit_option *options, void **values, unsigned count, CUlibraryOption *libraryOptions, void **libraryValues, unsigned libraryCount)) \
  X(cuLibraryUnload, cuLibraryUnload, 12000, Optional, (CUlibrary library)) \
  X(cuLibraryGetKernel, cuLibraryGetKernel, 12000, Optional, (CUkernel *kernel, CUlibrary library, const char *name)) \
  X(cuLibraryGetModule, cuLibraryGetModule, 12000, Optional, (CUmodule *module, CUlibrary library)) \
  X(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000, Optional, (CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)) \
  X(cuKernelGetFunction, cuKernelGetFunction, 12000, Optional, (CUfunction *function, CUkernel kernel)) \
  X(cuKernelGetAttribute, cuKernelGetAttribute, 12000, Optional, (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)) \
  X(cuKernelSetAttribute, cuKernelSetAttribute, 12000, Optional, (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)) \
  X(cuModuleUnload, cuModuleUnload, 2000, Required, (CUmodule module)) \
  X(cuModuleGetFunction, cuModuleGetFunction, 2000, Required, (CUfunction *function, CUmodule module, const char *name)) \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020, Optional, (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)) \
  X(cuFuncGetAttribute, cuFuncGetAttribute, 2020, Required, (int *value, CUfunction_attribute attribute, CUfunction function)) \
  X(cuFuncSetAttribute, cuFuncSetAttribute, 9000, Required, (CUfunction function, CUfunction_attribute attribute, int value)) \
  X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, Optional, (CUfunction function, CUfunc_cache config)) \
  X(cuFuncGetModule, cuFuncGetModule, 11000, Optional, (CUmodule *module, CUfunction function)) \
  X(cuFuncGetName, cuFuncGetName, 12030, Optional, (const char **name, CUfunction function)) \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, Optional, (CUfunction function, size_t index, size_t *offset, size_t *bytes)) \
  X(cuFuncIsLoaded, cuFuncIsLoaded, 12040, Optional, (CUfunctionLoadingState *state, CUfunction function)) \
  X(cuFuncLoad, cuFuncLoad, 12040, Optional, (CUfunction function)) \
  X(cuFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, 4020, Optional, (CUfunction function, CUsharedconfig config)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, Optional, (int *blocks, CUfunction function, int threads, size_t dynamicShared, unsigned flags)) \
  X(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050, Optional, (int *grid, int *block, CUfunction function, CUoccupancyB2DSize dynamicSharedOf, size_t dynamicShared, int most)) \
  X(cuOccupancyMaxPotentialBlockSizeWithFlags, cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, Optional, (int *grid, int *block, CUfunction function, CUoccupancyB2DSize dynamicSharedOf, size_t dynamicShared, int most, unsigned flags)) \
  X(cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock, 10020, Optional, (size_t *bytes, CUfunction function, int blocks, int threads)) \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, Optional, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicShared, CUstream stream, void **parameters)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, Optional, (int *blocks, CUfunction function, int threads, size_t dynamicShared)) \
  X(cuLaunchKernel, cuLaunchKernel, 4000, Required, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicShared, CUstream stream, void **parameters, void **extra)) \
  X(cuLaunchKernelEx, cuLaunchKernelEx, 11060, Optional, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))

/// Allocation.
#define TC_DRIVER_MEMORY_CALLS(X) \
  X(cuMemAlloc, cuMemAlloc_v2, 3020, Required, (CUdeviceptr *address, size_t bytes)) \
  X(cuMemFree, cuMemFree_v2, 3020, Required, (CUdeviceptr address)) \
  X(cuMemAllocAsync, cuMemAllocAsync, 11020, Optional, (CUdeviceptr *address, size_t bytes, CUstream stream)) \
  X(cuMemFreeAsync, cuMemFreeAsync, 11020, Optional, (CUdeviceptr address, CUstream stream)) \
  X(cuMemAllocManaged, cuMemAllocManaged, 6000, Required, (CUdeviceptr *address, size_t bytes, unsigned flags)) \
  X(cuMemAllocPitch, cuMemAllocPitch_v2, 3020, Optional, (CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned elementBytes)) \
  X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, Optional, (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)) \
  X(cuMemPoolCreate, cuMemPoolCreate, 11020, Optional, (CUmemoryPool *pool, const CUmemPoolProps *properties)) \
  X(cuMemPoolDestroy, cuMemPoolDestroy, 11020, Optional, (CUmemoryPool pool)) \
  X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, Optional, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
  X(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, Optional, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
  X(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, Optional, (CUmemoryPool pool, size_t keep)) \
  X(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, Optional, (CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)) \
  X(cuMemHostAlloc, cuMemHostAlloc, 2020, Optional, (void **address, size_t bytes, unsigned flags)) \
  X(cuMemAllocHost, cuMemAllocHost_v2, 3020, Optional, (void **address, size_t bytes)) \
  X(cuMemFreeHost, cuMemFreeHost, 2000, Optional, (void *address)) \
  X(cuMemHostRegister, cuMemHostRegister_v2, 6050, Required, (void *address, size_t bytes, unsigned flags)) \
  X(cuMemHostUnregister, cuMemHostUnregister, 4000, Required, (void *address)) \
  X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, Optional, (CUdeviceptr *device, void *host, unsigned flags)) \
  X(cuMemGetInfo, cuMemGetInfo_v2, 3020, Optional, (size_t *free, size_t *total)) \
  X(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, Optional, (CUdeviceptr *base, size_t *bytes, CUdeviceptr address)) \
  X(cuPointerGetAttribute, cuPointerGetAttribute, 4000, Optional, (void *value, CUpointer_attribute attribute, CUdeviceptr address)) \
  X(cuPointerGetAttributes, cuPointerGetAttributes, 7000, Optional, (unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr address)) \
  X(cuPointerSetAttribute, cuPointerSetAttribute, 6000, Optional, (const void *value, CUpointer_attribute attribute, CUdeviceptr address)) \
  X(cuMemHostGetFlags, cuMemHostGetFlags, 2030, Optional, (unsigned *flags, void *address)) \
  X(cuMemAdvise, cuMemAdvise, 8000, Optional, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)) \
  X(cuMemAdvise, cuMemAdvise_v2, 12020, Optional, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)) \
  X(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000, Optional, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)) \
  X(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, 12020, Optional, (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream))

/// Tensor maps. The numbers are those of CUtensorMapDataType, -Interleave,
/// -Swizzle, -L2promotion and -FloatOOBfill; a map has 128 bytes.
#define TC_DRIVER_TENSOR_CALLS(X) \
  X(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000, Optional, (void *map, unsigned type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides, const unsigned *box, const unsigned *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill)) \
  X(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col, 12000, Optional, (void *map, unsigned type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides, const int *lower, const int *upper, unsigned channels, unsigned pixels, const unsigned *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill)) \
  X(cuTensorMapReplaceAddress, cuTensorMapReplaceAddress, 12000, Optional, (void *map, void *address))

/// Copies and fills.
#define TC_DRIVER_COPY_CALLS(X) \
  X(cuMemcpy, cuMemcpy, 4000, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyAsync, cuMemcpyAsync, 4000, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, Required, (CUdeviceptr to, const void *from, size_t bytes)) \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, Required, (void *to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, Required, (CUdeviceptr to, CUdeviceptr from, size_t bytes)) \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, Optional, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, Optional, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, Optional, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpy2D, cuMemcpy2D_v2, 3020, Optional, (const CUDA_MEMCPY2D *copy)) \
  X(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, 3020, Optional, (const CUDA_MEMCPY2D *copy)) \
  X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020, Optional, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
  X(cuMemcpy3D, cuMemcpy3D_v2, 3020, Optional, (const CUDA_MEMCPY3D *copy)) \
  X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020, Optional, (const CUDA_MEMCPY3D *copy, CUstream stream)) \
  X(cuMemcpyPeer, cuMemcpyPeer, 4000, Optional, (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes)) \
  X(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, Optional, (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes, CUstream stream)) \
  X(cuMemsetD8, cuMemsetD8_v2, 3020, Required, (CUdeviceptr to, unsigned char value, size_t count)) \
  X(cuMemsetD16, cuMemsetD16_v2, 3020, Optional, (CUdeviceptr to, unsigned short value, size_t count)) \
  X(cuMemsetD32, cuMemsetD32_v2, 3020, Optional, (CUdeviceptr to, unsigned value, size_t count)) \
  X(cuMemsetD8Async, cuMemsetD8Async, 3020, Optional, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream)) \
  X(cuMemsetD16Async, cuMemsetD16Async, 3020, Required, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream)) \
  X(cuMemsetD32Async, cuMemsetD32Async, 3020, Required, (CUdeviceptr to, unsigned value, size_t count, CUstream stream)) \
  X(cuMemsetD2D8, cuMemsetD2D8_v2, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)) \
  X(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)) \
  X(cuMemsetD2D16, cuMemsetD2D16_v2, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)) \
  X(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)) \
  X(cuMemsetD2D32, cuMemsetD2D32_v2, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)) \
  X(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020, Optional, (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream))

// clang-format on

/// All of them.
#define TC_DRIVER_CALLS(X)                                                     \
  TC_DRIVER_DEVICE_CALLS(X)                                                    \
  TC_DRIVER_CONTEXT_CALLS(X)                                                   \
  TC_DRIVER_STREAM_CALLS(X)                                                    \
  TC_DRIVER_CAPTURE_CALLS(X)                                                   \
  TC_DRIVER_GRAPH_CALLS(X)                                                     \
  TC_DRIVER_NODE_CALLS(X)                                                      \
  TC_DRIVER_EXEC_CALLS(X)                                                      \
  TC_DRIVER_MODULE_CALLS(X)                                                    \
  TC_DRIVER_MEMORY_CALLS(X)                                                    \
  TC_DRIVER_TENSOR_CALLS(X)                                                    \
  TC_DRIVER_COPY_CALLS(X)

#endif // TC_RUNTIME_DRIVER_API_H
