//===- Signature.h - What a packaged function takes ----------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of one packaged contraction, from which follow the C header,
// the manifest and the checks that the runtime makes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_SIGNATURE_H
#define TC_PACKAGE_SIGNATURE_H

#include "tc-runtime/tc_package.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tc {

/// A buffer, or a scalar.
struct PackagedArgument {
  std::string name;
  std::string type;  ///< of an element, as reports have it: "f32"
  std::string cType; ///< of an element: "float"
  uint32_t role = 0; ///< tcArgumentRole
  uint32_t elementBytes = 0;
  uint32_t elementType = 0; ///< TC_ELEMENT_TYPE
  tcQuantity offset = {0, TC_CONSTANT};
  llvm::SmallVector<tcQuantity> extents, strides;
  bool isRowMajor = false; ///< without gaps

  bool isScalar() const { return role & TC_SCALAR; }
  bool isWritten() const { return role & TC_WRITTEN; }
  bool isOnHost() const { return role & TC_HOST; }
};

struct PackagedParameter {
  std::string name;
  bool isExtent = true; ///< else a stride or an offset, of any sign
};

struct Signature {
  std::string name; ///< of the contraction
  std::string text; ///< what it computes, for comments
  llvm::SmallVector<PackagedArgument, 0> arguments;
  llvm::SmallVector<PackagedParameter> parameters;
  llvm::SmallVector<std::string> thresholds; ///< limits of tc.threshold

  /// The C function, "tc_product".
  std::string symbol() const { return "tc_" + name; }
  /// The C variable of a limit, "tc_product_threshold_rows_0_device".
  std::string symbolOf(llvm::StringRef threshold) const;
};

/// The C header of functions of these signatures; `package` guards it.
std::string formatHeader(llvm::StringRef package,
                         llvm::ArrayRef<const Signature *> signatures);

/// The prototype of the function that launches, without a semicolon.
std::string formatPrototype(const Signature &signature);

} // namespace mlir::tc

#endif // TC_PACKAGE_SIGNATURE_H
