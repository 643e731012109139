//===- Copy.h - What a copy of the runtime says -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies in the form of the runtime, and in that of the driver.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CUDART_COPY_H
#define TC_LIB_CUDART_COPY_H

#include "Cudart.h"

namespace tc::cudart {

/// cudaMemcpyKind.
enum Kind { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };

/// cudaMemcpy3DParms.
struct Box {
  size_t x, y, z;
};
struct Pitched {
  void *pointer;
  size_t pitch, width, height;
};
struct Parameters3D {
  void *sourceArray;
  Box sourceAt;
  Pitched source;
  void *targetArray;
  Box targetAt;
  Pitched target;
  Box extent; ///< in bytes, rows and slices
  int kind;
};

Error toDriver(const Parameters3D *from, CUDA_MEMCPY3D &to);
Parameters3D toRuntime(const CUDA_MEMCPY3D &from);
/// A copy of one row.
Error makeRow(void *to, const void *from, size_t bytes, int kind,
              CUDA_MEMCPY3D &copy);
/// The place in a variable that a copy from or to it begins at.
Error findPlace(const void *symbol, size_t offset, size_t bytes, void *&place);

} // namespace tc::cudart

#endif // TC_LIB_CUDART_COPY_H
