//===- Copy.cpp - Copies and fills of the runtime -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kind of a copy says on which side each end is; by default the addresses
// do.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#include <cstring>

using namespace tc::cudart;

namespace {

/// The rows of one end.
struct End {
  const void *pointer;
  size_t pitch;
};

unsigned getType(int kind, bool isSource) {
  if (kind == Default)
    return CU_MEMORYTYPE_UNIFIED;
  bool isHost =
      kind == HostToHost || kind == (isSource ? HostToDevice : DeviceToHost);
  return isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUDA_MEMCPY2D makeRows(End to, End from, size_t width, size_t height,
                       int kind) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = getType(kind, true);
  copy.dstMemoryType = getType(kind, false);
  copy.srcHost = from.pointer;
  copy.srcDevice = toDevice(from.pointer);
  copy.srcPitch = from.pitch;
  copy.dstHost = const_cast<void *>(to.pointer);
  copy.dstDevice = toDevice(to.pointer);
  copy.dstPitch = to.pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

bool isKind(int kind) { return kind >= HostToHost && kind <= Default; }

Error copy(const Driver &d, void *to, const void *from, size_t bytes,
           int kind) {
  if (!isKind(kind))
    return 21; // cudaErrorInvalidMemcpyDirection
  if (!bytes)
    return 0;
  switch (kind) {
  case HostToHost:
    std::memcpy(to, from, bytes);
    return 0;
  case HostToDevice:
    return d.cuMemcpyHtoD_v2(toDevice(to), from, bytes);
  case DeviceToHost:
    return d.cuMemcpyDtoH_v2(to, toDevice(from), bytes);
  case DeviceToDevice:
    return d.cuMemcpyDtoD_v2(toDevice(to), toDevice(from), bytes);
  default:
    return d.cuMemcpy(toDevice(to), toDevice(from), bytes);
  }
}

Error copy(const Driver &d, void *to, const void *from, size_t bytes, int kind,
           CUstream stream) {
  if (!isKind(kind))
    return 21;
  if (!bytes)
    return 0;
  switch (kind) {
  case HostToDevice:
    return d.cuMemcpyHtoDAsync_v2(toDevice(to), from, bytes, stream);
  case DeviceToHost:
    return d.cuMemcpyDtoHAsync_v2(to, toDevice(from), bytes, stream);
  case DeviceToDevice:
    return d.cuMemcpyDtoDAsync_v2(toDevice(to), toDevice(from), bytes, stream);
  default: // from host to host, too, in the stream's order
    return d.cuMemcpyAsync(toDevice(to), toDevice(from), bytes, stream);
  }
}

} // namespace

Error tc::cudart::findPlace(const void *symbol, size_t offset, size_t bytes,
                            void *&place) {
  CUdeviceptr address = 0;
  size_t size = 0;
  if (Error error = findVariable(symbol, address, size))
    return error;
  if (offset > size || bytes > size - offset)
    return CUDA_ERROR_INVALID_VALUE;
  place = reinterpret_cast<void *>(address + offset);
  return 0;
}

Error tc::cudart::toDriver(const Parameters3D *from, CUDA_MEMCPY3D &to) {
  if (!from || !isKind(from->kind))
    return CUDA_ERROR_INVALID_VALUE;
  if (from->sourceArray || from->targetArray)
    return CUDA_ERROR_NOT_SUPPORTED;
  to = {};
  to.srcMemoryType = getType(from->kind, true);
  to.dstMemoryType = getType(from->kind, false);
  to.srcXInBytes = from->sourceAt.x;
  to.srcY = from->sourceAt.y;
  to.srcZ = from->sourceAt.z;
  to.srcHost = from->source.pointer;
  to.srcDevice = toDevice(from->source.pointer);
  to.srcPitch = from->source.pitch;
  to.srcHeight = from->source.height;
  to.dstXInBytes = from->targetAt.x;
  to.dstY = from->targetAt.y;
  to.dstZ = from->targetAt.z;
  to.dstHost = from->target.pointer;
  to.dstDevice = toDevice(from->target.pointer);
  to.dstPitch = from->target.pitch;
  to.dstHeight = from->target.height;
  to.WidthInBytes = from->extent.x;
  to.Height = from->extent.y;
  to.Depth = from->extent.z;
  return 0;
}

Parameters3D tc::cudart::toRuntime(const CUDA_MEMCPY3D &from) {
  Parameters3D to = {};
  bool fromHost = from.srcMemoryType == CU_MEMORYTYPE_HOST;
  bool toHost = from.dstMemoryType == CU_MEMORYTYPE_HOST;
  to.kind = fromHost ? (toHost ? HostToHost : HostToDevice)
                     : (toHost ? DeviceToHost : DeviceToDevice);
  to.sourceAt = {from.srcXInBytes, from.srcY, from.srcZ};
  to.source = {fromHost ? const_cast<void *>(from.srcHost)
                        : reinterpret_cast<void *>(from.srcDevice),
               from.srcPitch, from.WidthInBytes, from.srcHeight};
  to.targetAt = {from.dstXInBytes, from.dstY, from.dstZ};
  to.target = {toHost ? from.dstHost : reinterpret_cast<void *>(from.dstDevice),
               from.dstPitch, from.WidthInBytes, from.dstHeight};
  to.extent = {from.WidthInBytes, from.Height, from.Depth};
  return to;
}

Error tc::cudart::makeRow(void *to, const void *from, size_t bytes, int kind,
                          CUDA_MEMCPY3D &copy) {
  Parameters3D row = {};
  row.kind = kind;
  row.source = {const_cast<void *>(from), bytes, bytes, 1};
  row.target = {to, bytes, bytes, 1};
  row.extent = {bytes, 1, 1};
  return toDriver(&row, copy);
}

extern "C" {

Error cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  return call([=](const Driver &d) { return copy(d, to, from, bytes, kind); });
}

Error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                      CUstream stream) {
  return call(
      [=](const Driver &d) { return copy(d, to, from, bytes, kind, stream); });
}

Error cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, DeviceToDevice);
}

Error cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes,
                          CUstream stream) {
  return cudaMemcpyAsync(to, from, bytes, DeviceToDevice, stream);
}

Error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                         size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    void *to = nullptr;
    if (Error error = findPlace(symbol, offset, bytes, to))
      return error;
    return copy(d, to, from, bytes, kind);
  });
}

Error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                           size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    void *from = nullptr;
    if (Error error = findPlace(symbol, offset, bytes, from))
      return error;
    return copy(d, to, from, bytes, kind);
  });
}

Error cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                              size_t bytes, size_t offset, int kind,
                              CUstream stream) {
  return call([=](const Driver &d) -> Error {
    void *to = nullptr;
    if (Error error = findPlace(symbol, offset, bytes, to))
      return error;
    return copy(d, to, from, bytes, kind, stream);
  });
}

Error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                size_t offset, int kind, CUstream stream) {
  return call([=](const Driver &d) -> Error {
    void *from = nullptr;
    if (Error error = findPlace(symbol, offset, bytes, from))
      return error;
    return copy(d, to, from, bytes, kind, stream);
  });
}

Error cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch,
                   size_t width, size_t height, int kind) {
  return call([=](const Driver &d) -> Error {
    if (!isKind(kind))
      return 21;
    CUDA_MEMCPY2D rows =
        makeRows({to, toPitch}, {from, fromPitch}, width, height, kind);
    return width && height ? Error(d.cuMemcpy2DUnaligned_v2(&rows)) : 0;
  });
}

Error cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                        size_t fromPitch, size_t width, size_t height, int kind,
                        CUstream stream) {
  return call([=](const Driver &d) -> Error {
    if (!isKind(kind))
      return 21;
    CUDA_MEMCPY2D rows =
        makeRows({to, toPitch}, {from, fromPitch}, width, height, kind);
    return width && height ? Error(d.cuMemcpy2DAsync_v2(&rows, stream)) : 0;
  });
}

Error cudaMemcpy3D(const void *parameters) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = toDriver(static_cast<const Parameters3D *>(parameters), copy);
    return error ? error : Error(d.cuMemcpy3D_v2(&copy));
  });
}

Error cudaMemcpy3DAsync(const void *parameters, CUstream stream) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = toDriver(static_cast<const Parameters3D *>(parameters), copy);
    return error ? error : Error(d.cuMemcpy3DAsync_v2(&copy, stream));
  });
}

Error cudaMemset(void *to, int value, size_t bytes) {
  return call([=](const Driver &d) -> Error {
    return bytes ? Error(d.cuMemsetD8_v2(toDevice(to), value, bytes)) : 0;
  });
}

Error cudaMemsetAsync(void *to, int value, size_t bytes, CUstream stream) {
  return call([=](const Driver &d) -> Error {
    return bytes ? Error(d.cuMemsetD8Async(toDevice(to), value, bytes, stream))
                 : 0;
  });
}

Error cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                   size_t height) {
  return call([=](const Driver &d) -> Error {
    return width && height ? Error(d.cuMemsetD2D8_v2(toDevice(to), pitch, value,
                                                     width, height))
                           : 0;
  });
}

Error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                        size_t height, CUstream stream) {
  return call([=](const Driver &d) -> Error {
    return width && height
               ? Error(d.cuMemsetD2D8Async(toDevice(to), pitch, value, width,
                                           height, stream))
               : 0;
  });
}
}
