//===- View.h - Strided views of reference values ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The storage of the reference evaluation, and strided views of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_VIEW_H
#define TC_LIB_REFERENCE_VIEW_H

#include "tc/Reference/Scalar.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlir::tc::reference {

/// A strided view of shared storage.
struct View {
  std::shared_ptr<std::vector<Scalar>> storage;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;

  /// Zero-filled storage in row-major order.
  static View allocate(llvm::ArrayRef<int64_t> sizes);
  /// The first element of a view that is not empty.
  const Scalar &front() const { return (*storage)[offset]; }
  /// Number of elements.
  int64_t count() const;
  /// Calls `visit` with the storage index of each element, row-major.
  void forEach(llvm::function_ref<void(int64_t)> visit) const;
  /// A row-major copy in storage of its own.
  View clone() const;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VIEW_H
