//===- ArgumentNames.h - What arguments are called in C ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_PACKAGE_ARGUMENTNAMES_H
#define TC_LIB_RUNNER_PACKAGE_ARGUMENTNAMES_H

#include "tc/Runner/Program.h"

namespace mlir::tc {

/// Names of the `count` arguments of the C function of `program`, all
/// different: identifiers of C and C++ that none of its other parameters has.
///
/// Operands of an einsum are A, B, C, .... An argument of a function in a file
/// is called as its location is, or as the file writes it: `%lhs` is lhs.
/// Without such a name it is arg0, arg1, ..., by its number. Results, which
/// come after the arguments, are `result`, or result0, result1, ....
std::vector<std::string> nameArguments(Program &program, size_t count);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_PACKAGE_ARGUMENTNAMES_H
