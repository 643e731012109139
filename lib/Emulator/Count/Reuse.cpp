//===- Reuse.cpp - What blocks touch together -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Reuse.h"

#include <algorithm>

namespace tc::emulator {

/// The growth of n blocks in a row (n >= 1, perhaps a fraction).
static double grow(double blocks, double shared) {
  return blocks - (blocks - 1) * shared;
}

double Reuse::touchedBy(double blocks) const {
  double touched = amount;
  for (const Axis &axis : axes) {
    touched *= grow(std::clamp(blocks, 1.0, axis.length), axis.shared);
    blocks /= axis.blocks;
  }
  return touched;
}

double Reuse::touchedByAll() const {
  double touched = amount;
  for (const Axis &axis : axes)
    touched *= grow(axis.length, axis.shared);
  return touched;
}

double Reuse::movedTo(double together, double most,
                      llvm::function_ref<bool(unsigned)> isKept) const {
  double ofGroup = amount, groups = 1;
  for (unsigned number = 0; number < axes.size(); ++number) {
    const Axis &axis = axes[number];
    double length =
        isKept(number) ? axis.length : std::clamp(together, 1.0, axis.length);
    ofGroup *= grow(length, axis.shared);
    groups *= axis.length / length;
    together /= axis.blocks;
  }
  return groups * std::min(ofGroup, most);
}

Reuse makeReuse(const BlockBox &box, double base, llvm::ArrayRef<double> next,
                llvm::ArrayRef<double> both) {
  Reuse reuse;
  reuse.amount = base;
  for (unsigned number = 0; number < box.axes.size(); ++number) {
    Reuse::Axis axis;
    axis.blocks = axis.length = double(box.axes[number].extent);
    if (axis.blocks > 1 && base > 0) {
      // All but the last block are as the base; each shares with the one
      // before it what the last one shares with the base.
      double last = next[number] / base;
      double shared = (base + next[number] - both[number]) / base;
      axis.length = axis.blocks - 1 + last;
      double distinct =
          1 + (axis.blocks - 2) * (1 - std::min(shared, 1.0)) + last - shared;
      if (axis.length > 1)
        axis.shared =
            std::clamp((axis.length - distinct) / (axis.length - 1), 0.0, 1.0);
    }
    reuse.axes.push_back(axis);
  }
  return reuse;
}

} // namespace tc::emulator
