//===- Describe.cpp - Counts and counted times as JSON -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/AccessFields.h"

#include "tc/Schema/Structure.h"

namespace tc::emulator {

llvm::ArrayRef<AccessField> getAccessFields() {
  using A = AccessCounts;
  static constexpr AccessField fields[] = {
      {"requests", &A::requests, "instructions of a warp", ""},
      {"lanes", &A::lanes, "of these, with a true guard", ""},
      {"bytes", &A::bytes, "that lanes asked for", "bytes"},
      {"sectors", &A::sectors, "distinct in each request", "sectors"},
      {"ideal_sectors", &A::idealSectors,
       "the fewest that hold the distinct bytes of each request", "sectors"},
      {"l2_sectors", &A::l2Sectors, "that L1 does not serve", "sectors"},
      {"lines", &A::lines, "of 128 bytes, distinct in each request", "lines"},
      {"l2_lines", &A::l2Lines, "of these, with sectors that went to L2",
       "lines"},
      {"wavefronts", &A::wavefronts,
       "cycles that shared memory is busy; of constant memory, distinct "
       "addresses of each request",
       "wavefronts"},
      {"ideal_wavefronts", &A::idealWavefronts,
       "the fewest for the distinct words of each request at its width",
       "wavefronts"},
      {"machine_requests", &A::machineRequests,
       "requests where ptxas makes one load of neighbours", ""},
      {"machine_wavefronts", &A::machineWavefronts,
       "wavefronts where ptxas makes one load of neighbours", "wavefronts"},
  };
  return fields;
}

} // namespace tc::emulator

namespace mlir::tc::schema {
using namespace ::tc::emulator;

namespace {
/// Memory that blocks read, wrote, and either.
struct TouchedMemory {
  const Distinct &read, &written, &touched;
};
} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

template <>
const Structure<AccessCounts> &describe<AccessCounts>() {
  static const auto structure = [] {
    Structure<AccessCounts> counts("accesses", "Accesses of memory.");
    for (const AccessField &field : getAccessFields())
      counts.optional(field.name, field.value, field.meaning, field.unit);
    return counts;
  }();
  return structure;
}

template <>
const Structure<AccessClass> &describe<AccessClass>() {
  static const auto structure =
      Structure<AccessClass>("access-class",
                             "Accesses of one kind; counts that are 0 are left "
                             "out.")
          .member("space", &AccessClass::space,
                  "global, shared, local, const or param")
          .member("kind", &AccessClass::kind, "read, write or atomic")
          .include(&AccessClass::counts);
  return structure;
}

template <>
const Structure<Distinct> &describe<Distinct>() {
  static const auto structure =
      Structure<Distinct>("distinct", "Global memory touched at least once.")
          .member("bytes", &Distinct::bytes, "touched", "bytes")
          .member("sectors", &Distinct::sectors, "of 32 bytes", "sectors");
  return structure;
}

template <>
const Structure<TouchedMemory> &describe<TouchedMemory>() {
  using Touched = TouchedMemory;
  static const auto structure =
      Structure<Touched>("touched", "Global memory that blocks touched.")
          .member(
              "read", [](const Touched &t) { return t.read; }, "by loads")
          .member(
              "written", [](const Touched &t) { return t.written; },
              "by stores")
          .member(
              "touched", [](const Touched &t) { return t.touched; },
              "by either");
  return structure;
}

static std::optional<Distinct> findDistinct(const SiteCounts &site) {
  if (site.space != "global")
    return std::nullopt;
  return site.distinct;
}

template <>
const Structure<SiteCounts> &describe<SiteCounts>() {
  static const auto structure =
      Structure<SiteCounts>("site",
                            "One place in a kernel that accesses one kind of "
                            "memory.")
          .includeBase<AccessClass>()
          .member("site", &SiteCounts::site, "its index in the kernel")
          .member("line", &SiteCounts::line, "of the PTX, from 1")
          .member("opcode", &SiteCounts::opcode, "with its modifiers")
          .optional("source", &SiteCounts::source,
                    "file:line:column, where .loc tells")
          .optional("distinct", findDistinct,
                    "of global memory, by the blocks that ran");
  return structure;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

template <>
const Structure<InstructionCounts> &describe<InstructionCounts>() {
  using Kind = InstructionCounts;
  static const auto structure =
      Structure<Kind>("instructions", "Instructions of one kind.")
          .member("name", &Kind::name, "such as fma.f32 or ld.global.16B")
          .member("unit", &Kind::unit,
                  "that executes them: the term of the time that they load")
          .member("warps", &Kind::warps, "executions by a warp")
          .member("lanes", &Kind::lanes, "executions by a thread")
          .member("operations", &Kind::operations,
                  "of the unit: lanes, or multiply-adds of an mma")
          .member("slots", &Kind::slots,
                  "instructions that ptxas makes of one");
  return structure;
}

template <>
const Structure<BranchCounts> &describe<BranchCounts>() {
  static const auto structure =
      Structure<BranchCounts>("branch", "A conditional branch.")
          .member("line", &BranchCounts::line, "of the PTX, from 1")
          .member("warps", &BranchCounts::warps, "executions by a warp")
          .member("divergent", &BranchCounts::divergent,
                  "those after which lanes went different ways");
  return structure;
}

template <>
const Structure<LoopCounts> &describe<LoopCounts>() {
  static const auto structure =
      Structure<LoopCounts>("loop",
                            "An innermost loop that multiplies and adds, or a "
                            "basic block in no loop that does.")
          .member("line", &LoopCounts::line, "of the PTX where it begins")
          .member("iterations", &LoopCounts::iterations, "by warps")
          .member("instructions", &LoopCounts::instructions,
                  "executed by warps, without moves")
          .member("multiply_adds", &LoopCounts::multiplyAdds,
                  "of these, fused multiply-adds and mma");
  return structure;
}

template <>
const Structure<WaitCounts> &describe<WaitCounts>() {
  static const auto structure =
      Structure<WaitCounts>("waits", "How the work of a warp hangs together.")
          .member("rounds", &WaitCounts::rounds,
                  "times that a warp waits for global memory")
          .member("ahead", &WaitCounts::ahead,
                  "steps asked ahead, on average over the rounds")
          .member("copied", &WaitCounts::copied,
                  "of the rounds, the share that waits for asynchronous copies")
          .member("barriers", &WaitCounts::barriers, "of a warp")
          .member("depth", &WaitCounts::depth,
                  "multiply-adds in a row of one result, between barriers and "
                  "joins");
  return structure;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What the next block along each axis touches too, as a share.
static std::vector<double> listShares(const Reuse &reuse) {
  std::vector<double> shares;
  for (const Reuse::Axis &axis : reuse.axes)
    shares.push_back(axis.shared);
  return shares;
}

template <>
const Structure<AllocationCounts> &describe<AllocationCounts>() {
  using Part = AllocationCounts;
  auto getShared = [](auto member) {
    return [member](const Part &part) { return listShares(part.*member); };
  };
  static const auto structure =
      Structure<Part>("allocation",
                      "One allocation of global memory, in address order; at "
                      "the end perhaps what was in none.")
          .member("bytes", &Part::bytes, "its size; 0: of none", "bytes")
          .member("read", &Part::read, "by the blocks that ran")
          .member("written", &Part::written, "by the blocks that ran")
          .member("touched", &Part::touched, "by the blocks that ran")
          .member("shared_reads", getShared(&Part::readReuse),
                  "of the sectors that a block reads, the share that the next "
                  "one along each axis reads, too")
          .member("shared_writes", getShared(&Part::writtenReuse),
                  "the same of writes");
  return structure;
}

template <>
const Structure<BlockClass> &describe<BlockClass>() {
  static const auto structure =
      Structure<BlockClass>("block-class", "Blocks alike.")
          .member("last_axes", &BlockClass::lastAxes,
                  "a bit for each axis: these blocks are at its last index")
          .member("blocks", &BlockClass::blocks, "of the grid")
          .member("run", &BlockClass::run, "those of them that ran");
  return structure;
}

static std::vector<uint64_t> listAxes(const LaunchCounts &counts) {
  std::vector<uint64_t> extents;
  for (const BlockBox::Axis &axis : counts.box.axes)
    extents.push_back(axis.extent);
  return extents;
}

template <>
const Structure<LaunchCounts> &describe<LaunchCounts>() {
  using L = LaunchCounts;
  auto countBlocks = [](const L &l) { return l.grid.count(); };
  auto getSeen = [](const L &l) {
    return TouchedMemory{l.read, l.written, l.touched};
  };
  auto getAll = [](const L &l) {
    return TouchedMemory{l.allRead, l.allWritten, l.allTouched};
  };
  static const auto structure =
      Structure<L>("counters", "Counts of a launch, scaled to the whole grid.")
          .member("kernel", &L::kernel, "its name")
          .member("grid", &L::grid, "along x, y and z", "blocks")
          .member("block", &L::block, "along x, y and z", "threads")
          .member("box", listAxes,
                  "extents of the axes that blocks are numbered along, the "
                  "fastest first",
                  "blocks")
          .member("shared_bytes", &L::sharedBytes,
                  "shared memory of one block, static and dynamic", "bytes")
          .member("blocks", countBlocks, "of the grid")
          .member("blocks_run", &L::blocksRun, "those of them that ran")
          .member("sampled", &L::isSampled, "whether some did not run")
          .member("classes", &L::classes, "of blocks that do the same")
          .member("warp_instructions", &L::getWarpInstructions,
                  "executed, moves included")
          .member("active_lanes", &L::getActiveLanes,
                  "of 32, on average over instructions")
          .member("l2_bytes", &L::getL2Bytes,
                  "between L1 and L2, of global memory", "bytes")
          .member("instructions", &L::instructions, "by kind")
          .member("branches", &L::branches, "conditional ones")
          .member("loops", &L::loops, "by falling number of multiply-adds")
          .member("waits", &L::waits,
                  "what simulated time depends on besides "
                  "amounts")
          .member("memory", &L::memory, "sums over all sites")
          .member("sites", &L::sites, "accesses by place")
          .member("allocations", &L::allocations, "of global memory")
          .member("distinct", getSeen, "by the blocks that ran")
          .member("distinct_all", getAll, "by all blocks, extrapolated");
  return structure;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

template <>
const Structure<CountedTime::Term> &describe<CountedTime::Term>() {
  using Term = CountedTime::Term;
  auto getSeconds = [](const Term &term) {
    return term.perSecond > 0 ? std::optional(term.seconds) : std::nullopt;
  };
  static const auto structure =
      Structure<Term>("term", "A resource of the machine.")
          .member("name", &Term::name, "of a unit or a memory")
          .member("metric", &Term::metric,
                  "Nsight Compute's figure for the same limit")
          .member("amount", &Term::amount, "that the launch asks of it")
          .optional("per_second", &Term::perSecond,
                    "the rate of the whole machine, if it is known")
          .optional("seconds", getSeconds,
                    "the amount over the rate, with the tail where it is a "
                    "multiprocessor's",
                    "seconds");
  return structure;
}

template <>
const Structure<CountedTime> &describe<CountedTime>() {
  using T = CountedTime;
  static const auto structure =
      Structure<T>("counted-time",
                   "The time of a launch that hides every latency and overlaps "
                   "all it does.")
          .member("machine", &T::machine, "the chip")
          .member("seconds", &T::seconds,
                  "counted: starting a kernel, and the longest term", "seconds")
          .member("limiter", &T::limiter,
                  "the longest term; empty if nothing is counted")
          .member("launch_seconds", &T::launchSeconds,
                  "the part that it takes to start a kernel", "seconds")
          .member("tail", &T::tail,
                  "the time of the fullest multiprocessor over the average")
          .member("waves", &T::waves,
                  "blocks over blocks resident at once; 0 if that is not known")
          .member("terms", &T::terms, "those that are not 0");
  return structure;
}

} // namespace mlir::tc::schema
