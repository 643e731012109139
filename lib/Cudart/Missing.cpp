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
  X(cudaDeviceGetHostAtomicCapabilities) X(cudaDeviceGetNvSciSyncAttributes) \
  X(cudaDeviceGetP2PAtomicCapabilities) X(cudaDeviceGetP2PAttribute) \
  X(cudaDeviceGetTexture1DLinearMaxWidth) \
  X(cudaDeviceRegisterAsyncNotification) \
  X(cudaDeviceUnregisterAsyncNotification) \
  X(cudaExternalMemoryGetMappedBuffer) \
  X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaFreeArray) \
  X(cudaFreeMipmappedArray) X(cudaFuncGetParamInfo) X(cudaGetChannelDesc) \
  X(cudaGetMipmappedArrayLevel) X(cudaGetSurfaceObjectResourceDesc) \
  X(cudaGetTextureObjectResourceDesc) X(cudaGetTextureObjectResourceViewDesc) \
  X(cudaGetTextureObjectTextureDesc) \
  X(cudaGraphAddExternalSemaphoresSignalNode) \
  X(cudaGraphAddExternalSemaphoresWaitNode) \
  X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
  X(cudaGraphExternalSemaphoresSignalNodeGetParams) \
  X(cudaGraphExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExternalSemaphoresWaitNodeGetParams) \
  X(cudaGraphExternalSemaphoresWaitNodeSetParams) \
  X(cudaGraphicsMapResources) X(cudaGraphicsResourceGetMappedMipmappedArray) \
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
  X(cudaSignalExternalSemaphoresAsync) X(cudaStreamGetDevice) \
  X(cudaStreamGetId) X(cudaWaitExternalSemaphoresAsync)
// clang-format on

extern "C" {
#define TC_DEFINE(name)                                                        \
  int name() { return tc::cudart::missing(#name); }
TC_MISSING_CALLS(TC_DEFINE)
#undef TC_DEFINE
}
