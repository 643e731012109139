//===- Passes.td - Passes over scripts ---------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_PASSES
#define TC_TRANSFORMOPS_PASSES

include "mlir/Pass/PassBase.td"

def ChooseKnobs : Pass<"tc-choose-knobs"> {
  let summary = "choose the options of a script's knobs";
  let description = [{
    Selects an option of each `transform.tune.knob`, and a region of each
    `transform.tune.alternatives`, that `knobs` names. Knobs of one name have one
    choice. With `list` a remark names each option, in the order of the script; `tc-tune`
    tries them.

    Example: test/Docs/tc-choose-knobs.mlir.
  }];
  let options = [
    ListOption<"knobs", "knobs", "std::string",
               "NAME=NUMBER: the option of a knob, counted from 0">,
    Option<"list", "list", "bool", /*default=*/"false",
           "Name the options of all knobs in remarks">,
  ];
}

#endif // TC_TRANSFORMOPS_PASSES
