//===- Describe.h - Declares descriptions of structures ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a header needs that declares a structure which other files write, read
// or describe as JSON:
//
//   template <> const Structure<Loop> &describe();
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEMA_DESCRIBE_H
#define TC_SCHEMA_DESCRIBE_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
template <typename T>
class ArrayRef;
} // namespace llvm

namespace mlir::tc::schema {

template <typename T>
class Structure;

/// The description of a structure: specialised beside it.
template <typename T>
const Structure<T> &describe();

/// The names of an enumeration's values, in their order: specialised beside it.
template <typename E>
llvm::ArrayRef<llvm::StringLiteral> getNames();

/// How any type is written, read and described: Codec.h.
template <typename T, typename Enabled = void>
struct Codec;

} // namespace mlir::tc::schema

#endif // TC_SCHEMA_DESCRIBE_H
