//===- TCOps.td - All ops of the tc dialect ----------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file TableGen runs on; each include holds one kind of op.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_TCOPS_TD
#define TC_IR_TCOPS_TD

include "tc/IR/ContractOp.td"
include "tc/IR/HostOps.td"
include "tc/IR/PtxOp.td"
include "tc/IR/ReduceOps.td"
include "tc/IR/RegionOps.td"
include "tc/IR/ViewOps.td"
include "tc/IR/WithOps.td"

#endif // TC_IR_TCOPS_TD
