//===- Subscripts.h - Where an access goes ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The subscripts of loads and stores, and the places in a buffer that they
// give.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STEPS_SUBSCRIPTS_H
#define TC_LIB_REFERENCE_STEPS_SUBSCRIPTS_H

#include "Steps/Steps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

namespace mlir::tc::reference {

/// The subscripts of one access: numbers, or what a map makes of them.
class Subscripts {
public:
  template <typename AccessOp>
  Subscripts(AccessOp op, ValueRange indices, State &state) : op(op) {
    if constexpr (llvm::is_one_of<AccessOp, affine::AffineLoadOp,
                                  affine::AffineStoreOp,
                                  affine::AffineVectorLoadOp,
                                  affine::AffineVectorStoreOp>::value)
      map = AffineCode(op.getAffineMap(), indices, state);
    else
      numbers = state.numbersOf(indices);
  }

  /// Appends what they are now. Fails where the map does.
  llvm::Error run(State &state, SmallVectorImpl<int64_t> &result) const;

private:
  Operation *op;
  SmallVector<unsigned> numbers; ///< without a map
  std::optional<AffineCode> map;
};

/// Sets `place` to where view[subscripts] lies in the storage. Fails where it
/// is outside of the view; the error says that an op `verb` it.
llvm::Error locate(const View &view, ArrayRef<int64_t> subscripts,
                   StringRef verb, int64_t &place);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_SUBSCRIPTS_H
