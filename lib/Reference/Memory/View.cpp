//===- View.cpp - Strided views of reference values -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/View.h"

#include "Memory/Memory.h"

#include "tc/Algebra/Lmad.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <new>

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Objects that are default-constructed; null where memory does not hold them.
template <typename T>
static std::unique_ptr<T[]> allocateArray(int64_t count) {
  int64_t bytes;
  if (MulOverflow<int64_t>(count, sizeof(T), bytes) || !canAllocate(bytes))
    return nullptr;
  return std::unique_ptr<T[]>(new (std::nothrow) T[count]);
}

static Error createMemoryError(double elements, size_t bytesOfEach) {
  return createStringError(
      formatv("expected the values of the reference to fit into memory, got "
              "{0:f0} elements, which take {1:f0} MiB",
              elements, elements * bytesOfEach / (1 << 20)));
}

Expected<std::shared_ptr<Storage>> Storage::create(int64_t count,
                                                   Scalar element) {
  auto storage = std::make_shared<Storage>();
  storage->elementMemory = allocateArray<Scalar>(count);
  if (!storage->elementMemory)
    return createMemoryError(count, sizeof(Scalar));
  storage->elements = {storage->elementMemory.get(), size_t(count)};
  llvm::fill(storage->elements, element);
  return storage;
}

Error Storage::addAccesses() {
  accessMemory = allocateArray<AccessRecord>(elements.size());
  if (!accessMemory)
    return createMemoryError(elements.size(), sizeof(AccessRecord));
  accesses = {accessMemory.get(), elements.size()};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

int64_t addProduct(int64_t a, int64_t b, int64_t c, bool &overflows) {
  int64_t product, sum;
  overflows |= MulOverflow(b, c, product);
  overflows |= AddOverflow(a, product, sum);
  return sum;
}

int64_t View::count() const {
  if (is_contained(sizes, 0))
    return 0; // the product of the others may overflow
  return product_of(sizes);
}

/// The first and the last place of a view that is not empty; none where 64 bits
/// do not hold them, or the number of elements.
static std::optional<Footprint>
findReach(int64_t offset, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t count = 1;
  bool overflows = false;
  for (int64_t size : sizes)
    count = addProduct(0, count, size, overflows);
  return overflows ? std::nullopt : footprint(Lmad(offset, sizes, strides));
}

static Error checkSizes(ArrayRef<int64_t> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size < 0)
      return createStringError(
          formatv("expected sizes of at least 0, got {0} for dimension {1}",
                  size, dim));
  return Error::success();
}

Error View::check() const {
  if (Error error = checkSizes(sizes))
    return error;
  if (is_contained(sizes, 0))
    return Error::success();
  std::optional<Footprint> reach = findReach(offset, sizes, strides);
  if (!reach)
    return createStringError("expected a view of fewer than 2^63 elements");
  int64_t elements = storage->elements.size();
  if (reach->min >= 0 && reach->max < elements)
    return Error::success();
  return createStringError(
      formatv("the view leaves the buffer: it has element {0}, where the "
              "buffer has {1}",
              reach->min < 0 ? reach->min : reach->max, elements));
}

Expected<View> View::allocate(ArrayRef<int64_t> sizes, Scalar element) {
  SmallVector<int64_t> strides(sizes.size(), ShapedType::kDynamic);
  return allocate(sizes, strides, /*offset=*/0, element);
}

Expected<View> View::allocate(ArrayRef<int64_t> sizes, ArrayRef<int64_t> given,
                              int64_t offset, Scalar element) {
  if (Error error = checkSizes(sizes))
    return std::move(error);
  SmallVector<int64_t> strides(given);
  int64_t dense = 1;
  bool overflows = false; // findReach finds out
  for (auto [stride, size] :
       llvm::zip_equal(llvm::reverse(strides), llvm::reverse(sizes))) {
    if (ShapedType::isDynamic(stride))
      stride = dense;
    dense = addProduct(0, dense, size, overflows);
  }
  int64_t elements = 0;
  if (!is_contained(sizes, 0)) {
    std::optional<Footprint> reach = findReach(offset, sizes, strides);
    if (!reach || reach->max == std::numeric_limits<int64_t>::max())
      return createMemoryError(0x1p63, sizeof(Scalar));
    if (reach->min < 0)
      return createStringError("expected a buffer that starts at or behind its "
                               "first element");
    elements = reach->max + 1;
  }
  Expected<std::shared_ptr<Storage>> storage =
      Storage::create(elements, element);
  if (!storage)
    return storage.takeError();
  return View{std::move(*storage), offset, to_vector(sizes), strides};
}

void View::forEach(function_ref<void(int64_t)> visit) const {
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t at = offset;
  for (int64_t left = count(); left != 0; --left) {
    visit(at);
    for (size_t dim = sizes.size(); dim-- != 0;) {
      at += strides[dim];
      if (++index[dim] != sizes[dim])
        break;
      at -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
  }
}

Expected<View> View::clone() const {
  Expected<View> copy = allocate(sizes);
  if (!copy)
    return copy;
  auto target = copy->storage->elements.begin();
  forEach([&](int64_t place) { *target++ = at(place); });
  return copy;
}

} // namespace mlir::tc::reference
