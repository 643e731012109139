//===- Independence.h - Are parallel iterations independent? --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations of tc.par (and of scf.forall and the like) may run in any order,
// so none may write what another one reads or writes; atomic updates of one
// element may meet. The evaluation runs them in order and records who accessed
// each element last. Two accesses conflict when the innermost iteration that
// contains both has them in two iterations of one loop.
//
// One reader an element is enough: if a later reader is concurrent with it,
// then what is concurrent with the later one is so with the first (Feng and
// Leiserson, Efficient Detection of Determinacy Races in Cilk Programs, 1997).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STEPS_INDEPENDENCE_H
#define TC_LIB_REFERENCE_STEPS_INDEPENDENCE_H

#include "Memory/View.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::tc::reference {

class Independence {
public:
  enum Access { read, write, update };

  Independence() { iterations.push_back({}); }

  /// Starts a parallel loop inside of the current iteration.
  void enter(Operation *loop);
  /// Starts its next iteration, at `index`. Fails where memory does not hold
  /// the iterations that accessed something.
  llvm::Error start(llvm::ArrayRef<int64_t> index);
  /// Goes back to the iteration that contains the loop.
  void leave();

  /// Notes an access of the current iteration to an element; a sentence on the
  /// conflict when there is one, else empty.
  std::string record(Storage &storage, int64_t place, Access access);

private:
  /// An iteration by its number; 0 is nobody, 1 what is outside of all loops.
  using Number = uint32_t;
  struct Iteration {
    Number parent = 0;
    uint32_t loop = 0; ///< as it was entered; 0 is none
    uint32_t depth = 0;
    size_t firstIndex = 0; ///< into indices
  };
  struct Loop {
    Operation *op = nullptr;
    unsigned rank = 0;
  };

  /// The two iterations of one loop that have `a` and `b`, if there are such.
  std::pair<Number, Number> findConcurrent(Number a, Number b) const;
  bool areConcurrent(Number a, Number b) const {
    return a != 0 && a != b && findConcurrent(a, b).first != 0;
  }
  std::string describe(Number first, llvm::StringRef firstDid, Number second,
                       llvm::StringRef secondDoes) const;
  std::string nameOf(Number iteration) const;
  /// Forgets iterations that ended and that no record has.
  void forgetIterations();

  std::vector<Iteration> iterations = {Iteration()};
  std::vector<Loop> loops = {Loop()};
  std::vector<int64_t> indices;
  llvm::SmallVector<uint32_t> entered; ///< the loops that are running
  llvm::SmallVector<Number> outside;   ///< the iterations they were entered in
  Number current = 1;
  /// The last iteration that a record has, and the last loop entered by then.
  Number lastRecorded = 1;
  uint32_t lastLoop = 0;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_INDEPENDENCE_H
