//===- Parts.h - Parts of a graph of device work ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is device work, or a condition or a loop of nothing else. It waits for
// tokens, and gives some.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_LAUNCHES_PARTS_H
#define TC_LIB_TRANSFORMS_LAUNCHES_PARTS_H

#include "tc/Analysis/DeviceWork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tc {

/// Of how many iterations of a loop none waits for another one.
constexpr size_t kMostInFlight = 4;

remark::RemarkOpts nameAsyncRemark(StringRef what);

/// Does `op` compute a number, or a view, and nothing else?
bool isComputation(Operation &op);

bool hasDeviceWork(Operation *op);

/// Is `op` device work, a condition of parts, or a loop of parts which is a
/// chain or has independent iterations?
bool isPart(Operation &op, HostMemory &memory);

/// Are the iterations of `op` independent of each other?
bool isIndependent(Operation *op);

/// `loop`, if its iterations are independent, and those that are all there is
/// in it, from the outermost one.
SmallVector<scf::ForOp> getIndependentLoops(scf::ForOp loop);

/// How many iterations of such loops are in flight.
size_t countInFlight(ArrayRef<scf::ForOp> loops);

/// Gets the body of the innermost loop, which it may change, and what that
/// carries; gives what the next iteration gets.
using CarriedBuilder =
    function_ref<SmallVector<Value>(Block &body, ArrayRef<Value> carried)>;

/// Gives loops that are one in the other more values to carry. Returns the last
/// ones.
ValueRange carryValues(RewriterBase &rewriter, ArrayRef<scf::ForOp> loops,
                       ValueRange inits, CarriedBuilder build);

/// Replaces device work by the same with results of these types.
Operation *rebuildWork(Operation *op, TypeRange types);

/// Makes a part wait for these tokens and give some.
SmallVector<Value> addTokens(Operation *op, ValueRange after);

/// What an iteration of independent loops of `block` allocates and frees is
/// allocated before the loops and freed behind them, once for each iteration in
/// flight. Not where something else keeps the loops from being parts.
void hoistBuffers(Block &block, HostMemory &memory);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_LAUNCHES_PARTS_H
