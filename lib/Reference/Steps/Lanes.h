//===- Lanes.h - Iterations that run together -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp exchange values. So where a tc.par full does that, 32 of
// its iterations run together, step by step, each with values of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STEPS_LANES_H
#define TC_LIB_REFERENCE_STEPS_LANES_H

#include "State.h"

namespace mlir::tc::reference {

class Lanes {
public:
  /// Lanes of a warp.
  static constexpr size_t kMost = 32;

  /// One more, with the values that `state` has now.
  void add(const State &state) { values.push_back(state.getValues()); }
  size_t size() const { return values.size(); }
  void clear() { values.clear(); }

  /// Runs `visit` for each lane, by number, with its values in `state`.
  llvm::Error forEach(State &state,
                      llvm::function_ref<llvm::Error(size_t)> visit);
  /// The value of `get`, which has to be the same in all lanes; there is at
  /// least one. An error says that lanes differ in `what`.
  template <typename T>
  llvm::Expected<T> agreeOn(const char *what, State &state,
                            llvm::function_ref<llvm::Expected<T>(State &)> get);
  /// The scalar of each lane in this place.
  SmallVector<Scalar> collect(unsigned place) const;

private:
  std::vector<State::Values> values;
};

template <typename T>
llvm::Expected<T>
Lanes::agreeOn(const char *what, State &state,
               llvm::function_ref<llvm::Expected<T>(State &)> get) {
  std::optional<T> all;
  llvm::Error error = forEach(state, [&](size_t) -> llvm::Error {
    llvm::Expected<T> own = get(state);
    if (!own)
      return own.takeError();
    if (all && !(*all == *own))
      return llvm::createStringError("expected the same %s for all lanes of a "
                                     "warp, which do something together here",
                                     what);
    all = std::move(*own);
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return std::move(*all);
}

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_LANES_H
