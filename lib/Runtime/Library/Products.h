//===- Products.h - Matrix products by cuBLASLt --------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One product, on a stream, where there is a library that takes it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_LIBRARY_PRODUCTS_H
#define TC_LIB_RUNTIME_LIBRARY_PRODUCTS_H

#include "tc-runtime/Driver.h"
#include "tc-runtime/tc_product.h"

#include <array>
#include <string>

namespace tc::runtime {

/// A product, where its matrices lie (A, B, C, D), and what the library may
/// use.
struct ProductCall {
  const tcProduct &product;
  std::array<void *, 4> matrices;
  void *workspace;
  size_t workspaceBytes;
};

/// Has the library ready in the current context, so that a capture can have its
/// products. Says why not where there is none.
std::string prepareProducts(const Driver &driver);

/// Puts the product on the stream. Where the library does not take it nothing
/// happens, and the result says why; else it is empty.
std::string computeProduct(const Driver &driver, const ProductCall &call,
                           CUstream stream);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_LIBRARY_PRODUCTS_H
