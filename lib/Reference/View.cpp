//===- View.cpp - Strided views of reference values -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

using namespace llvm;

namespace mlir::tc::reference {

int64_t View::count() const {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

View View::allocate(ArrayRef<int64_t> sizes) {
  View view;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- != 0;) {
    view.strides[dim] = stride;
    stride *= sizes[dim];
  }
  view.storage = std::make_shared<std::vector<Scalar>>(view.count());
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
  auto target = copy.storage->begin();
  forEach([&](int64_t at) { *target++ = (*storage)[at]; });
  return copy;
}

} // namespace mlir::tc::reference
