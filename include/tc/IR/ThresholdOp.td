//===- ThresholdOp.td - tc.threshold -----------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_THRESHOLDOP_TD
#define TC_IR_THRESHOLDOP_TD

include "tc/IR/TCDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_ThresholdOp : Op<TC_Dialect, "threshold", [Pure]> {
  let summary = "whether a number reaches a limit that has a name";
  let description = [{
    True where `number >= limit`. The limit belongs to the function, by its name:
    words of letters and digits with a '.' between. It is the `default` unless
    somebody sets another: host code has a variable for each limit that it compares
    with (see convert-tc-to-gpu), so it may be set without compiling again. 0 is
    reached by every number that is not negative, 2^63 - 1 by none that there is.
    All comparisons of a function with one limit have one default.

    Example: test/Docs/op-threshold.mlir.
  }];
  let arguments = (ins Index:$number, StrAttr:$limit, I64Attr:$defaultLimit);
  let results = (outs I1:$reached);
  let assemblyFormat = [{
    $number `reaches` $limit `default` `(` $defaultLimit `)` attr-dict
  }];
  let hasVerifier = 1;
}

#endif // TC_IR_THRESHOLDOP_TD
