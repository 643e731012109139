//===- State.h - Values of a reference evaluation -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the evaluation of a function knows so far.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STATE_H
#define TC_LIB_REFERENCE_STATE_H

#include "Memory/View.h"
#include "Steps/Independence.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace mlir::tc::reference {

/// The values of SSA values, in numbered places: of scalars the numbers, of
/// memrefs and tensors views.
class State {
public:
  /// What the places hold.
  struct Values {
    std::vector<Scalar> scalars;
    std::vector<View> views;
  };
  const Values &getValues() const { return values; }
  void swapValues(Values &other) { std::swap(values, other); }

  /// The place of `value`; a new one when it is asked for the first time.
  unsigned numberOf(Value value) {
    auto [entry, isNew] = numbers.try_emplace(value, values.scalars.size());
    if (isNew) {
      values.scalars.emplace_back();
      values.views.emplace_back();
    }
    return entry->second;
  }
  SmallVector<unsigned> numbersOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return numberOf(v); });
  }
  Scalar &scalar(unsigned number) { return values.scalars[number]; }
  View &view(unsigned number) { return values.views[number]; }

  /// The view of `value`, or null.
  const View *find(Value value) const {
    auto entry = numbers.find(value);
    if (entry == numbers.end() || !values.views[entry->second].storage)
      return nullptr;
    return &values.views[entry->second];
  }
  void set(Value value, View view) {
    this->view(numberOf(value)) = std::move(view);
  }
  /// The same for a view that there may be none of.
  llvm::Error set(Value value, llvm::Expected<View> view) {
    if (!view)
      return view.takeError();
    set(value, std::move(*view));
    return llvm::Error::success();
  }
  void set(Value value, Scalar scalar) {
    this->scalar(numberOf(value)) = scalar;
  }
  /// The number that `value`, of a scalar type, has now.
  const Scalar &scalarOf(Value value) { return scalar(numberOf(value)); }
  int64_t integerOf(OpFoldResult value);
  SmallVector<int64_t> integersOf(ArrayRef<OpFoldResult> values);
  /// Do those of `values` that are no scalars have views?
  bool areKnown(ValueRange values) const;
  /// The view of `value`, which is known; of a scalar, a view of rank 0 of a
  /// copy.
  View viewOf(Value value);

  /// Notes an access of the current iteration. Fails where it reads or updates
  /// what nobody has written, or conflicts with that of another iteration.
  llvm::Error record(const View &view, int64_t place,
                     Independence::Access access);

  /// Notes that the way of the program from `op` on, or where it reads or
  /// writes, depends on rounding errors.
  void noteUndecided(Operation *op);

  int64_t f8SumBits = 0; ///< of EvaluateOptions
  /// Set when the iterations of parallel loops are checked.
  std::optional<Independence> independence;
  bool copiesRead = false;             ///< as EvaluateOptions has it
  uint64_t undecided = 0;              ///< how often that was noted
  Operation *firstUndecided = nullptr; ///< where first
  /// Where an error occurred, the innermost op.
  Operation *failed = nullptr;

private:
  llvm::DenseMap<Value, unsigned> numbers;
  Values values;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STATE_H
