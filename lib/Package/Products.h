//===- Products.h - Products by a library, in packages --------- -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls for products, which are given the call of the package and a number
// instead of a constant.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_PRODUCTS_H
#define TC_LIB_PACKAGE_PRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tc {

/// Does `op` ask a library for a product?
bool isProductCall(Operation *op);

/// Makes `function` one that is given no products.
void assumeNoLibrary(func::FuncOp function);

/// Makes each call for a product one of tcPackageProduct, with `call` and the
/// number in the name of its constant. Reports a function of that name that is
/// another.
LogicalResult lowerProductCalls(func::FuncOp function, Value call);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_PRODUCTS_H
