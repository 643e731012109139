//===- NestParts.h - Cutting a tc.par into nests ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Map distribution: Henriksen, Serup, Elsman, Henglein and Oancea, "Futhark:
// purely functional GPU-programming with nested parallelism and in-place array
// updates", PLDI 2017. No iteration of a tc.par sees what another one does. So
// a nest of several ops is several nests, one after the other, whatever these
// do. What is needed is that each part can tell what it takes from another.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_FLATTENING_NESTPARTS_H
#define TC_LIB_TRANSFORMS_FLATTENING_NESTPARTS_H

#include "tc/IR/TC.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tc {

/// The name of `op`, in quotes.
std::string quoteName(Operation *op);

/// The parts of the body of a tc.par, each of which can be a nest of its own.
class NestParts {
public:
  /// Ops of the body that stay together: one that is to come out, or what is
  /// between two such.
  using Part = SmallVector<Operation *>;

  /// An op of the body is to come out if `comesOut` says so.
  NestParts(ParOp par, std::function<bool(Operation *)> comesOut);

  ArrayRef<Part> get() const { return parts; }
  /// Why the parts cannot be nests; empty if they can.
  std::string findObstacle();
  /// Why `buffer`, of each iteration, cannot be one of all iterations.
  std::string findObstacle(NewOp buffer);
  /// Why the nest of `loop`, one of the parts, cannot be a loop of nests.
  std::string findObstacle(SeqOp loop);
  /// Gives each buffer that several parts use, or one that comes out, a place
  /// for each iteration outside of the nest. Values that several parts use are
  /// passed on by such buffers.
  void givePlaces();
  /// The same for all buffers.
  void giveAllPlaces();
  /// Makes a tc.par before the nest, of `part` and what it needs.
  ParOp copyWith(const Part &part);

private:
  /// Can a buffer have a place for each iteration, numbered by its indices?
  bool canNumberPlaces(bool areFilled);
  /// The uses of `value`, of a part, in other parts.
  SmallVector<OpOperand *> findUsesElsewhere(OpResult value);
  std::string findObstacle(OpResult value);
  void passByMemory(OpResult value);
  bool needsPlaces(NewOp buffer);
  void givePlaces(NewOp buffer);

  ParOp par;
  std::function<bool(Operation *)> comesOut;
  /// Ops that each part may compute for itself.
  DenseSet<Operation *> arithmetic;
  SmallVector<NewOp> buffers;
  SmallVector<Part> parts;
  DenseMap<Operation *, unsigned> partOf;
};

/// Makes a loop of nests of `par`, which holds `loop` and besides it only what
/// each iteration of that may compute anew: `par` is then in the loop.
void interchange(ParOp par, SeqOp loop);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_NESTPARTS_H
