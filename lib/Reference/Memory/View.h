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

#ifndef TC_LIB_REFERENCE_MEMORY_VIEW_H
#define TC_LIB_REFERENCE_MEMORY_VIEW_H

#include "tc/Reference/Scalar.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace mlir::tc::reference {

/// Who accessed an element, by numbers of Independence.h; 0 is nobody.
struct AccessRecord {
  uint32_t writer = 0, reader = 0, updater = 0;
};

/// The elements that views share.
struct Storage {
  /// Elements that all are `element`. Fails where memory does not hold them.
  static llvm::Expected<std::shared_ptr<Storage>> create(int64_t count,
                                                         Scalar element);
  /// Makes room for a record of each element. Fails likewise.
  llvm::Error addAccesses();

  llvm::MutableArrayRef<Scalar> elements;
  /// Empty until the first is recorded.
  llvm::MutableArrayRef<AccessRecord> accesses;

private:
  std::unique_ptr<Scalar[]> elementMemory;
  std::unique_ptr<AccessRecord[]> accessMemory;
};

/// a + b * c; sets `overflows` where 64 bits do not hold it.
int64_t addProduct(int64_t a, int64_t b, int64_t c, bool &overflows);

/// A strided view of shared storage. Those of a State passed `check`.
struct View {
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;

  /// Storage in row-major order, full of `element`. Fails where a size is
  /// negative, and where memory does not hold the elements.
  static llvm::Expected<View> allocate(llvm::ArrayRef<int64_t> sizes,
                                       Scalar element = {});
  /// Storage of a layout that starts at or behind its first element. Dynamic
  /// strides are those of row-major order.
  static llvm::Expected<View> allocate(llvm::ArrayRef<int64_t> sizes,
                                       llvm::ArrayRef<int64_t> strides,
                                       int64_t offset, Scalar element);
  /// Fails where a size is negative, and where the storage does not have all
  /// elements.
  llvm::Error check() const;
  /// The element at a place of the storage.
  Scalar &at(int64_t place) const { return storage->elements[place]; }
  /// Number of elements.
  int64_t count() const;
  /// Calls `visit` with the storage index of each element, row-major.
  void forEach(llvm::function_ref<void(int64_t)> visit) const;
  /// A row-major copy in storage of its own.
  llvm::Expected<View> clone() const;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_MEMORY_VIEW_H
