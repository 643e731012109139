//===- Usage.h - What a piece of work did to memory -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes of global memory a launch, a copy or a fill read and wrote. Of a
// launch, its cells are kept, so that each of its accesses can be named later.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_STREAMS_USAGE_H
#define TC_LIB_EMULATOR_CHECK_STREAMS_USAGE_H

#include "Check/Cell.h"
#include "tc/Emulator/Report.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::emulator {

struct Shadow;

/// What is done to some bytes. Strong accesses of one device do not race with
/// each other (PTX ISA, section 8.7).
struct Use {
  bool isWrite = false;
  bool isStrong = false; ///< atomic, or with an order, beyond the block

  bool conflictsWith(const Use &other) const {
    return (isWrite || other.isWrite) && !(isStrong && other.isStrong);
  }
  /// Whether all that conflicts with `other` conflicts with this one.
  bool covers(const Use &other) const {
    return (isWrite || !other.isWrite) && (!isStrong || other.isStrong);
  }
  bool operator==(const Use &other) const {
    return isWrite == other.isWrite && isStrong == other.isStrong;
  }
};

/// Bytes that all are used alike.
struct UsedRange {
  uint64_t begin, end;
  Use use;
};

/// What is known of a launch beyond its cells.
struct LaunchFacts {
  std::shared_ptr<const std::vector<Party>> sites;
  Dim3 grid, cluster, block;
  uint32_t threads = 0; ///< of a block, as cells number them
  /// The ticks at which clusters began, and their linear indices.
  std::vector<std::pair<int64_t, uint64_t>> clusters;
};

class Usage {
public:
  /// Of a copy, a fill, an allocation: what its finding calls it.
  explicit Usage(std::string name) : name(std::move(name)) {}
  /// Of a launch of a kernel.
  Usage(std::string kernel, LaunchFacts launch)
      : name("kernel '" + kernel + "'"), kernel(std::move(kernel)),
        launch(std::move(launch)) {}

  std::string name;
  std::string kernel; ///< empty where it is none
  std::string where;  ///< "launch 2, in stream 0x10040"
  uint64_t graph = 0; ///< the launch of a graph that it is of; 0: none
  bool acquires = false, releases = false; ///< by some of its instructions
  /// It was set aside to wait for what others did: it comes after those that
  /// ended meanwhile.
  bool hasWaited = false;
  /// Of a launch that may begin before those before it have ended: whether any
  /// of its threads waited for them, whether those after it could not begin
  /// before that, and what it did until then.
  bool hasGridWait = false, triggersAfterWait = false;
  std::shared_ptr<Usage> prologue;
  bool isPrologue = false; ///< of another usage

  void add(uint64_t begin, uint64_t end, Use use);
  /// The launch uses these bytes, as the cell says.
  void addAccess(uint64_t begin, uint64_t end, Use use, Cell cell) {
    add(begin, end, use);
    accesses.push_back({begin, end, use.isWrite, cell});
  }
  /// Takes what launches since the tick `since` did to a shadow's memory.
  /// `isWeak` says it of a cell that stands for several accesses.
  void add(const Shadow &shadow, int64_t since,
           llvm::function_ref<bool(const Cell *)> isWeak);

  void setClusters(llvm::ArrayRef<std::pair<int64_t, uint64_t>> begun) {
    launch.clusters.assign(begun.begin(), begun.end());
  }

  llvm::ArrayRef<UsedRange> getRanges() const { return ranges; }
  /// Who used the byte so; nothing is known of what is no launch.
  std::optional<Party> find(uint64_t address, bool isWrite) const;

private:
  /// The cells of one kind of a stretch of memory.
  struct Kept {
    uint64_t first; ///< number of the first granule
    unsigned granule;
    bool isWrite;
    Cell oldest; ///< of the launch
    std::vector<Cell> cells;
  };
  struct Access {
    uint64_t begin, end;
    bool isWrite;
    Cell cell;
  };
  void addStretch(const Shadow &shadow, uint64_t begin, uint64_t end,
                  bool isWrite, Cell oldest,
                  llvm::function_ref<bool(const Cell *)> isWeak);
  Party describe(Cell cell) const;

  LaunchFacts launch;
  std::vector<UsedRange> ranges;
  std::vector<Kept> kept;
  std::vector<Access> accesses; ///< that shadows do not tell of
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_STREAMS_USAGE_H
