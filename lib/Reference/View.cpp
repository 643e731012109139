//===- View.cpp - Strided views of reference values -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

int64_t View::count() const {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

View View::allocate(ArrayRef<int64_t> sizes, Scalar element) {
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- != 0;) {
    strides[dim] = stride;
    stride *= sizes[dim];
  }
  return allocate(sizes, strides, /*offset=*/0, element);
}

View View::allocate(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                    int64_t offset, Scalar element) {
  View view{std::make_shared<Storage>(), offset, to_vector(sizes),
            to_vector(strides)};
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    last += std::max<int64_t>(stride * (size - 1), 0);
  view.storage->elements.assign(view.count() == 0 ? 0 : last + 1, element);
  return view;
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

View View::clone() const {
  View copy = allocate(sizes);
  auto target = copy.storage->elements.begin();
  forEach([&](int64_t place) { *target++ = at(place); });
  return copy;
}

} // namespace mlir::tc::reference
