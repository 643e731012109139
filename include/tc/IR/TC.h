//===- TC.h - The tc dialect -----------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its attributes and its ops.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_TC_H
#define TC_IR_TC_H

#include "tc/Algebra/Mapping.h"
#include "tc/Target/Mma.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "tc/IR/TCEnums.h.inc"

#include "tc/IR/Precision.h"

namespace mlir::tc {

/// A factor of a schedule: the iterator's name and how many.
struct Factor {
  StringAttr iterator;
  int64_t value;
  bool operator==(const Factor &other) const {
    return iterator == other.iterator && value == other.value;
  }
};
inline llvm::hash_code hash_value(const Factor &factor) {
  return llvm::hash_combine(factor.iterator, factor.value);
}

/// Most vectors, and most rows, of the register tile of a CPU.
inline constexpr int64_t kMostHostTile = 64;

/// The factor of `iterator` in a list; 1 when it is not there.
int64_t getFactor(ArrayRef<Factor> factors, StringRef iterator);

/// The types that each input of a tensor instruction may have, and that of its
/// accumulators: f32 where products of f32 may be products of parts of the
/// instruction's type.
SmallVector<Type, 2> getInputTypes(const MmaShape &shape, Precision precision,
                                   MLIRContext *context);
Type getSumType(const MmaShape &shape, MLIRContext *context);
/// Terms that are added to zero before they are added to accumulators where
/// `promote` of #tc.mma does not say how many; 0 if all are added to the
/// accumulators directly.
int64_t getPromotedTerms(const MmaShape &shape, const Decomposition &product);
/// `real`, a type of a tensor instruction, or where `like` is complex, and
/// `real` f32 or f64, complex numbers of it: their products are several real
/// ones.
Type getNumberLike(Type real, Type like);

/// The bounds, steps and widths of an index space, one of each per dimension:
/// values, or attributes where they are constants.
struct SpaceBounds {
  SmallVector<OpFoldResult> lower, upper, step, width;
};

/// Arrays with their subscripts.
struct MappedArrays {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  size_t size() const { return values.size(); }
  void add(Value value, AffineMap map) {
    values.push_back(value);
    maps.push_back(map);
  }
  void append(const MappedArrays &others) {
    llvm::append_range(values, others.values);
    llvm::append_range(maps, others.maps);
  }
};

/// What a contraction reads and writes.
struct ContractArrays {
  MappedArrays inputs, sides, outputs;
};

} // namespace mlir::tc

// The dialect's own header names the attributes it checks on foreign ops.
#define GET_ATTRDEF_CLASSES
#include "tc/IR/TCAttrs.h.inc"

#include "tc/IR/TCDialect.h.inc"

#define GET_OP_CLASSES
#include "tc/IR/TCOps.h.inc"

namespace mlir::tc {

/// Threads that a warp or a warpgroup has; 1 of the other levels.
int64_t getTeamThreads(Level level);

/// The indices of the tc.par of level block and below round `op`, outermost
/// first: they number the thread, or the team, that runs it.
SmallVector<Value> getThreadIndices(Operation *op);

/// Bytes of the memory for a buffer of numbers: those of the dense buffer below
/// its layout, in whole units of 16. None where they are more than an integer
/// holds, or the layout is not static.
std::optional<int64_t> countBufferBytes(MemRefType type);

/// Elements from the first one of the buffer below a layout to the last one in
/// it. None where they are more than an integer holds, or the layout is not
/// static.
std::optional<int64_t> countSpan(MemRefType type);

/// The buffer that a memref is or views, through views of any kind; other
/// values are their own.
Value findBuffer(Value value);
/// An op that uses `buffer`, or a view of it, for anything but loads, stores
/// and atomic updates of elements and operands of tc.ptx; null if none does.
Operation *findUnplacedUser(Value buffer);
/// The memref of which `memref.assume_alignment` ops give `value`.
Value skipAssumptions(Value value);

/// May `op` write or free memory for which `isAlias` is true of its memref, or,
/// if `alsoReads`, read it?
bool mayTouch(Operation *op, bool alsoReads,
              llvm::function_ref<bool(Value memref)> isAlias);

/// What `value`, a result in destination style, was written over first; other
/// values are their own.
Value findOrigin(Value value);

/// Copies the ops of a region of one block to the insertion point; and what it
/// yields.
SmallVector<Value> copyRegion(OpBuilder &builder, Region &region,
                              ValueRange arguments);

/// The ops in `root` of one type of which `test` is true, inner ones first.
template <typename OpT>
SmallVector<OpT> collectOps(
    Operation *root, function_ref<bool(OpT)> test = [](OpT) { return true; }) {
  SmallVector<OpT> ops;
  root->walk([&](OpT op) {
    if (test(op))
      ops.push_back(op);
  });
  return ops;
}

/// Is `test` true of an op of `root`: an op, with all that is inside of it, a
/// block or a region?
template <typename Root>
bool containsOp(Root &root, function_ref<bool(Operation *)> test) {
  auto visit = [&](Operation *op) {
    return test(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return root.walk(visit).wasInterrupted();
}

/// May a limit of tc.threshold have this name?
bool isLimitName(StringRef name);

/// The slot of a tc.new or tc.stage; none of one with memory of its own, and of
/// other ops.
std::optional<int64_t> getSlot(Operation *buffer);

} // namespace mlir::tc

#endif // TC_IR_TC_H
