//===- Product.h - Products of dense matrices -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What matrix instructions compute once their operands are dense arrays.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_PRODUCT_H
#define TC_LIB_EMULATOR_WARP_PRODUCT_H

#include "Warp/TensorUnit.h"

#include <optional>

namespace tc::emulator::warp {

/// c = a * b + c as `form` says, dense in row-major order; as `unit` adds, or
/// exactly if there is none.
void addProduct(const MatrixForm &form, std::optional<TensorUnit> unit,
                const double *a, const double *b, double *c);
void addProduct(const MatrixForm &form, const int32_t *a, const int32_t *b,
                int32_t *c);

} // namespace tc::emulator::warp

#endif // TC_LIB_EMULATOR_WARP_PRODUCT_H
