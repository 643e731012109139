//===- Dlpack.h - Tensors of DLPack -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of https://dmlc.github.io/dlpack/latest/c_api.html.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_DLPACK_H
#define TC_LIB_RUNTIME_DLPACK_H

#include <cstdint>

namespace tc::runtime {

enum DLDeviceType : int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13,
};

struct DLDevice {
  int32_t type; ///< DLDeviceType, or one that is not known here
  int32_t number;
};

struct DLDataType {
  uint8_t code; ///< tcElementCode, or one that is not known here
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byteOffset;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_DLPACK_H
