//===- Tensor.cpp - Device memory as a tensor of DLPack -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures are those of DLPack 0.x, which all libraries take ("C API",
// https://dmlc.github.io/dlpack/latest/c_api.html).
//
//===----------------------------------------------------------------------===//

#include "Dlpack.h"
#include "LauncherState.h"

#include <cstdint>

using namespace tc::runtime;

namespace {
struct DLManagedTensor {
  DLTensor tensor;
  void *owner;
  void (*deleter)(DLManagedTensor *);
};

/// A tensor with all that it points to.
struct OwnedTensor {
  DLManagedTensor managed;
  tcDevice *device;
  std::vector<int64_t> shape, strides;
};
} // namespace

/// There is nobody to tell of a failure.
static void freeTensor(DLManagedTensor *managed) {
  auto *tensor = static_cast<OwnedTensor *>(managed->owner);
  tcFree(tensor->device,
         reinterpret_cast<tcAddress>(tensor->managed.tensor.data));
  delete tensor;
}

/// Sets the strides; false where the bytes do not fit into 63 bits.
static bool layOut(OwnedTensor &tensor, int64_t bits, int64_t &bytes) {
  int64_t elements = 1;
  bytes = 0;
  tensor.strides.resize(tensor.shape.size());
  for (size_t dim = tensor.shape.size(); dim-- != 0;) {
    tensor.strides[dim] = elements;
    if (tensor.shape[dim] < 0 ||
        __builtin_mul_overflow(elements, tensor.shape[dim], &elements))
      return false;
  }
  return !__builtin_mul_overflow(elements, bits / 8, &bytes);
}

int tcTensorCreate(tcDevice *device, int code, int bits, int rank,
                   const int64_t *shape, void **tensor) {
  if (!device || !tensor || rank < 0 || (rank > 0 && !shape) || bits < 8 ||
      bits % 8 != 0 || bits > 128 || code < 0 || code > 255)
    return fail(TC_INVALID_ARGUMENT,
                "tcTensorCreate: expected a device, a type of whole bytes, a "
                "shape, and a place for the tensor");
  *tensor = nullptr;
  auto owned = std::make_unique<OwnedTensor>();
  owned->shape.assign(shape, shape + rank);
  owned->device = device;
  int64_t bytes = 0;
  if (!layOut(*owned, bits, bytes))
    return fail(TC_WRONG_EXTENT, "tcTensorCreate: expected extents of at least "
                                 "0, and bytes that 63 bits can count");
  tcAddress address = 0;
  if (bytes != 0)
    if (int status = tcAllocate(device, static_cast<size_t>(bytes), &address))
      return status;
  owned->managed = {{reinterpret_cast<void *>(address),
                     {kDLCUDA, device->session.device},
                     rank,
                     {static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                      /*lanes=*/1},
                     owned->shape.data(),
                     owned->strides.data(),
                     /*byteOffset=*/0},
                    owned.get(),
                    freeTensor};
  *tensor = &owned.release()->managed;
  return TC_OK;
}
