/*===- tc_product.h - Matrix products that a library computes ------*- C
-*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What host code tells the runtime of a tc.library_product.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_RUNTIME_TC_PRODUCT_H
#define TC_RUNTIME_TC_PRODUCT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of elements. */
typedef enum tcNumber {
  TC_F16 = 0,
  TC_BF16 = 1,
  TC_F32 = 2,
  TC_F64 = 3,
  TC_C64 = 4, /**< two f32 */
  TC_C128 = 5 /**< two f64 */
} tcNumber;

/** What factors of f32 may be rounded to. */
typedef enum tcRounding {
  TC_UNROUNDED = 0,
  TC_TO_TF32 = 1,
  TC_TO_BF16 = 2
} tcRounding;

/** D = alpha * A * B + beta * C, for each matrix of a batch, as
    tc.library_product has it. All words are of 64 bits. */
typedef struct tcProduct {
  int64_t factor;   /**< tcNumber of A and B */
  int64_t result;   /**< tcNumber of C and D */
  int64_t rounding; /**< tcRounding */
  int64_t transposed[2];
  int64_t extents[4]; /**< rows, columns, terms, batch */
  int64_t leading[4]; /**< of A, B, C, D, in elements */
  int64_t strides[4]; /**< between matrices, in elements */
  double alpha[2];    /**< real and imaginary part */
  double beta[2];
} tcProduct;

#ifdef __cplusplus
}
#endif

#endif /* TC_RUNTIME_TC_PRODUCT_H */
