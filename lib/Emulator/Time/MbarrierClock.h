//===- MbarrierClock.h - When phases of an mbarrier end ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arrival is known when it is issued and comes later, when the access is
// done or the warp's copies have landed. So a phase may be over, with nothing
// that it waits for, before the time of its end.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_MBARRIERCLOCK_H
#define TC_LIB_EMULATOR_TIME_MBARRIERCLOCK_H

#include "Async/Mbarrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tc::emulator {

class MbarrierClock {
public:
  struct Waiting {
    unsigned warp = 0;
    unsigned line = 0; ///< of the PTX
    MbarrierUse use;
  };

  /// What is no wait, and has its effect at `at`.
  void apply(const MbarrierUse &use, double at) {
    if (use.kind == MbarrierUse::Kind::Init)
      value = {};
    value.bytes += use.bytes;
    value.expected += use.expected;
    value.pending += use.pending;
    if (use.kind == MbarrierUse::Kind::Init ||
        use.kind == MbarrierUse::Kind::Expect)
      return;
    latest = std::max(latest, at);
    if (!value.advance())
      return;
    end = latest;
    latest = 0;
  }
  bool isOver(const MbarrierUse &wait) const {
    return value.phase % wait.modulo != wait.phase;
  }
  /// When the last phase that is over ends.
  double getEnd() const { return end; }

  void wait(Waiting waiting) { all.push_back(std::move(waiting)); }
  /// Those whose phase is over; they are forgotten.
  llvm::SmallVector<Waiting> takeReleased() {
    auto released =
        std::partition(all.begin(), all.end(), [&](const Waiting &waiting) {
          return !isOver(waiting.use);
        });
    llvm::SmallVector<Waiting> taken(released, all.end());
    all.erase(released, all.end());
    return taken;
  }

private:
  Mbarrier value;
  double latest = 0; ///< arrival of the present phase
  double end = 0;
  llvm::SmallVector<Waiting, 0> all;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_MBARRIERCLOCK_H
