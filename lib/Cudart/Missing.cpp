//===- Missing.cpp - What the runtime does not have -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that calls one of these gets an error that it can handle, and a
// line on standard error, instead of an end by the dynamic linker.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

// clang-format off
#define TC_MISSING_CALLS(X) \
  X(cudaArrayGetInfo) X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) \
  X(cudaArrayGetSparseProperties) X(cudaCreateSurfaceObject) \
  X(cudaCreateTextureObject) X(cudaDestroyExternalMemory) \
  X(cudaDestroyExternalSemaphore) X(cudaDestroySurfaceObject) \
  X(cudaDestroyTextureObject) X(cudaDeviceFlushGPUDirectRDMAWrites) \
  X(cudaDeviceGetGraphMemAttribute) X(cudaDeviceGetHostAtomicCapabilities) \
  X(cudaDeviceGetNvSciSyncAttributes) X(cudaDeviceGetP2PAtomicCapabilities) \
  X(cudaDeviceGetP2PAttribute) X(cudaDeviceGetTexture1DLinearMaxWidth) \
  X(cudaDeviceGraphMemTrim) X(cudaDeviceRegisterAsyncNotification) \
  X(cudaDeviceSetGraphMemAttribute) X(cudaDeviceUnregisterAsyncNotification) \
  X(cudaExternalMemoryGetMappedBuffer) \
  X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaFreeArray) \
  X(cudaFreeMipmappedArray) X(cudaFuncGetParamInfo) X(cudaGetChannelDesc) \
  X(cudaGetMipmappedArrayLevel) X(cudaGetSurfaceObjectResourceDesc) \
  X(cudaGetTextureObjectResourceDesc) X(cudaGetTextureObjectResourceViewDesc) \
  X(cudaGetTextureObjectTextureDesc) X(cudaGraphAddChildGraphNode) \
  X(cudaGraphAddDependencies) X(cudaGraphAddEmptyNode) \
  X(cudaGraphAddEventRecordNode) X(cudaGraphAddEventWaitNode) \
  X(cudaGraphAddExternalSemaphoresSignalNode) \
  X(cudaGraphAddExternalSemaphoresWaitNode) X(cudaGraphAddHostNode) \
  X(cudaGraphAddKernelNode) X(cudaGraphAddMemAllocNode) \
  X(cudaGraphAddMemFreeNode) X(cudaGraphAddMemcpyNode) \
  X(cudaGraphAddMemcpyNode1D) X(cudaGraphAddMemcpyNodeFromSymbol) \
  X(cudaGraphAddMemcpyNodeToSymbol) X(cudaGraphAddMemsetNode) \
  X(cudaGraphAddNode) X(cudaGraphChildGraphNodeGetGraph) X(cudaGraphClone) \
  X(cudaGraphConditionalHandleCreate) X(cudaGraphCreate) \
  X(cudaGraphDebugDotPrint) X(cudaGraphDestroy) X(cudaGraphDestroyNode) \
  X(cudaGraphEventRecordNodeGetEvent) X(cudaGraphEventRecordNodeSetEvent) \
  X(cudaGraphEventWaitNodeGetEvent) X(cudaGraphEventWaitNodeSetEvent) \
  X(cudaGraphExecChildGraphNodeSetParams) X(cudaGraphExecDestroy) \
  X(cudaGraphExecEventRecordNodeSetEvent) \
  X(cudaGraphExecEventWaitNodeSetEvent) \
  X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
  X(cudaGraphExecGetFlags) X(cudaGraphExecHostNodeSetParams) \
  X(cudaGraphExecKernelNodeSetParams) X(cudaGraphExecMemcpyNodeSetParams) \
  X(cudaGraphExecMemcpyNodeSetParams1D) \
  X(cudaGraphExecMemcpyNodeSetParamsFromSymbol) \
  X(cudaGraphExecMemcpyNodeSetParamsToSymbol) \
  X(cudaGraphExecMemsetNodeSetParams) X(cudaGraphExecNodeSetParams) \
  X(cudaGraphExecUpdate) X(cudaGraphExternalSemaphoresSignalNodeGetParams) \
  X(cudaGraphExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExternalSemaphoresWaitNodeGetParams) \
  X(cudaGraphExternalSemaphoresWaitNodeSetParams) X(cudaGraphGetEdges) \
  X(cudaGraphGetNodes) X(cudaGraphGetRootNodes) X(cudaGraphHostNodeGetParams) \
  X(cudaGraphHostNodeSetParams) X(cudaGraphInstantiate) \
  X(cudaGraphInstantiateWithFlags) X(cudaGraphInstantiateWithParams) \
  X(cudaGraphKernelNodeCopyAttributes) X(cudaGraphKernelNodeGetAttribute) \
  X(cudaGraphKernelNodeGetParams) X(cudaGraphKernelNodeSetAttribute) \
  X(cudaGraphKernelNodeSetParams) X(cudaGraphLaunch) \
  X(cudaGraphMemAllocNodeGetParams) X(cudaGraphMemFreeNodeGetParams) \
  X(cudaGraphMemcpyNodeGetParams) X(cudaGraphMemcpyNodeSetParams) \
  X(cudaGraphMemcpyNodeSetParams1D) X(cudaGraphMemcpyNodeSetParamsFromSymbol) \
  X(cudaGraphMemcpyNodeSetParamsToSymbol) X(cudaGraphMemsetNodeGetParams) \
  X(cudaGraphMemsetNodeSetParams) X(cudaGraphNodeFindInClone) \
  X(cudaGraphNodeGetDependencies) X(cudaGraphNodeGetDependentNodes) \
  X(cudaGraphNodeGetEnabled) X(cudaGraphNodeGetType) \
  X(cudaGraphNodeSetEnabled) X(cudaGraphNodeSetParams) \
  X(cudaGraphReleaseUserObject) X(cudaGraphRemoveDependencies) \
  X(cudaGraphRetainUserObject) X(cudaGraphUpload) X(cudaGraphicsMapResources) \
  X(cudaGraphicsResourceGetMappedMipmappedArray) \
  X(cudaGraphicsResourceGetMappedPointer) X(cudaGraphicsResourceSetMapFlags) \
  X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources) \
  X(cudaGraphicsUnregisterResource) X(cudaImportExternalMemory) \
  X(cudaImportExternalSemaphore) X(cudaIpcCloseMemHandle) \
  X(cudaIpcGetEventHandle) X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) \
  X(cudaIpcOpenMemHandle) X(cudaKernelSetAttributeForDevice) \
  X(cudaLibraryEnumerateKernels) X(cudaLibraryGetGlobal) \
  X(cudaLibraryGetKernel) X(cudaLibraryGetKernelCount) \
  X(cudaLibraryGetManaged) X(cudaLibraryGetUnifiedFunction) \
  X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile) X(cudaLibraryUnload) \
  X(cudaLogsCurrent) X(cudaLogsDumpToFile) X(cudaLogsDumpToMemory) \
  X(cudaLogsRegisterCallback) X(cudaLogsUnregisterCallback) \
  X(cudaMalloc3DArray) X(cudaMallocArray) X(cudaMallocMipmappedArray) \
  X(cudaMemDiscardAndPrefetchBatchAsync) X(cudaMemDiscardBatchAsync) \
  X(cudaMemGetDefaultMemPool) X(cudaMemGetMemPool) \
  X(cudaMemPoolExportPointer) X(cudaMemPoolExportToShareableHandle) \
  X(cudaMemPoolGetAccess) X(cudaMemPoolImportFromShareableHandle) \
  X(cudaMemPoolImportPointer) X(cudaMemPrefetchBatchAsync) \
  X(cudaMemRangeGetAttribute) X(cudaMemRangeGetAttributes) \
  X(cudaMemSetMemPool) X(cudaMemcpy2DArrayToArray) X(cudaMemcpy2DFromArray) \
  X(cudaMemcpy2DFromArrayAsync) X(cudaMemcpy2DToArray) \
  X(cudaMemcpy2DToArrayAsync) X(cudaMemcpy3DBatchAsync) X(cudaMemcpy3DPeer) \
  X(cudaMemcpy3DPeerAsync) X(cudaMemcpyArrayToArray) X(cudaMemcpyBatchAsync) \
  X(cudaMemcpyFromArray) X(cudaMemcpyFromArrayAsync) X(cudaMemcpyToArray) \
  X(cudaMemcpyToArrayAsync) X(cudaMemset3D) X(cudaMemset3DAsync) \
  X(cudaMipmappedArrayGetMemoryRequirements) \
  X(cudaMipmappedArrayGetSparseProperties) \
  X(cudaOccupancyMaxPotentialClusterSize) \
  X(cudaSignalExternalSemaphoresAsync) X(cudaStreamBeginCapture) \
  X(cudaStreamBeginCaptureToGraph) X(cudaStreamEndCapture) \
  X(cudaStreamGetCaptureInfo) \
  X(cudaStreamGetDevice) X(cudaStreamGetId) \
  X(cudaStreamUpdateCaptureDependencies) \
  X(cudaThreadExchangeStreamCaptureMode) X(cudaUserObjectCreate) \
  X(cudaUserObjectRelease) X(cudaUserObjectRetain) \
  X(cudaWaitExternalSemaphoresAsync)
// clang-format on

extern "C" {
#define TC_DEFINE(name)                                                        \
  int name() { return tc::cudart::missing(#name); }
TC_MISSING_CALLS(TC_DEFINE)
#undef TC_DEFINE
}
