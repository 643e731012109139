//===- CountReport.cpp - What a count adds to a report --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportViews.h"

using namespace mlir;
using ::tc::emulator::AccessCounts;
using ::tc::emulator::CountedTime;
using ::tc::emulator::LaunchCounts;
using ::tc::emulator::LoopCounts;

namespace mlir::tc::schema {

namespace {
struct MainLoop {
  unsigned line;
  uint64_t instructions, multiplyAdds;
};

/// Sums over accesses of global or local memory.
struct GlobalAccesses {
  AccessCounts sum;
};

struct SharedAccesses {
  AccessCounts sum;
};

struct TermView {
  const CountedTime::Term &term;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

/// A rate of the machine, as an integer or not.
template <typename Get>
static auto round(Get get) {
  return [get](const Machine &machine) {
    return Rounded(double(std::invoke(get, machine)));
  };
}

template <>
const Structure<Machine> &describe<Machine>() {
  using M = Machine;
  auto mma = [](StringRef type) {
    return
        [type](const M &machine) { return Rounded(machine.getMmaFlops(type)); };
  };
  static const auto structure =
      Structure<M>("rates",
                   "The rates of a chip. Floating-point operations are per "
                   "second, and a multiply-add counts as two. The rates of a "
                   "multiprocessor are per cycle.",
                   Order::AsDescribed)
          .member("f32_flops", round(&M::f32Flops), "without tensor units")
          .member("f64_flops", round(&M::f64Flops), "without tensor units")
          .member("mma_f64_flops", mma("f64"), "of mma.sync")
          .member("mma_f16_flops", mma("f16"), "of mma.sync, and of bf16")
          .member("mma_tf32_flops", mma("tf32"), "of mma.sync")
          .member("mma_s8_flops", mma("s8"), "of mma.sync")
          .member("mma_f8_flops", mma("f8"), "of mma.sync")
          .member("l2_bytes_per_second", round(&M::l2BytesPerSecond),
                  "between L1 and L2", "bytes per second")
          .member("dram_bytes_per_second", round(&M::dramBytesPerSecond),
                  "between L2 and memory", "bytes per second")
          .member("launch_seconds", round(&M::launchSeconds),
                  "that it takes to start a kernel", "seconds")
          .member("clock_hz", round(&M::clockHz), "of a multiprocessor", "Hz")
          .member("warp_instructions", round(&M::issuedPerCycle),
                  "issued by a multiprocessor")
          .member("f32", round(&M::f32FmaPerCycle), "of a multiprocessor",
                  "lanes")
          .member("f64", round(&M::f64FmaPerCycle), "of a multiprocessor",
                  "lanes")
          .member("integer", round(&M::integerPerCycle), "of a multiprocessor",
                  "lanes")
          .member("memory", round(&M::memoryPerCycle), "of a multiprocessor",
                  "lanes")
          .member("wavefronts", round(&M::wavefrontsPerCycle),
                  "of shared memory");
  return structure;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

template <>
const Structure<EinsumProblem::Operand> &describe<EinsumProblem::Operand>() {
  using Operand = EinsumProblem::Operand;
  // Arguments of a function have a layout.
  auto getStrides = [](const Operand &o) { return o.layout->strides; };
  auto getOffset = [](const Operand &o) { return o.layout->offset; };
  auto getType = [](const Operand &o) { return nameOf(o.type); };
  static const auto structure =
      Structure<Operand>("counted-argument", "A buffer of the program.")
          .member("dtype", getType, "the type of an element")
          .member("shape", &Operand::shape, "extents", "elements")
          .member("strides", getStrides, "one for each dimension", "elements")
          .member("offset", getOffset, "of its first element", "elements");
  return structure;
}

template <>
const Structure<ComparedNumber> &describe<ComparedNumber>() {
  static const auto structure =
      Structure<ComparedNumber>("compared",
                                "A number that the host compared with a limit.",
                                Order::AsDescribed)
          .member("threshold", &ComparedNumber::limit, "name of the limit")
          .member("number", &ComparedNumber::number, "that was compared");
  return structure;
}

/// By kind, as it is written.
template <>
struct Codec<LaunchArgument> {
  static void write(llvm::json::OStream &json, const LaunchArgument &argument) {
    json.object([&] { json.attribute(argument.kind, argument.value); });
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    MapCodec<std::map<std::string, int64_t>, Codec<int64_t>>::describe(json,
                                                                       all);
    json.attribute("minProperties", 1);
    json.attribute("maxProperties", 1);
  }
};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

template <>
const Structure<MainLoop> &describe<MainLoop>() {
  static const auto structure =
      Structure<MainLoop>("main-loop",
                          "The innermost loop, or the basic block if there is "
                          "no loop, with the most multiply-adds.",
                          Order::AsDescribed)
          .member("line", &MainLoop::line, "of the PTX where it begins")
          .member("instructions", &MainLoop::instructions,
                  "of all its iterations")
          .member("multiply_adds", &MainLoop::multiplyAdds,
                  "of all its iterations");
  return structure;
}

template <>
const Structure<GlobalAccesses> &describe<GlobalAccesses>() {
  using Sum = GlobalAccesses;
  static const auto structure =
      Structure<Sum>("global-accesses", "Accesses of global or local memory.",
                     Order::AsDescribed)
          .member(
              "requests", [](const Sum &s) { return s.sum.requests; },
              "instructions of a warp")
          .member(
              "sectors", [](const Sum &s) { return s.sum.sectors; },
              "distinct in each request", "sectors")
          .member(
              "ideal_sectors", [](const Sum &s) { return s.sum.idealSectors; },
              "the fewest that hold the distinct bytes of each request",
              "sectors")
          .member(
              "l2_sectors", [](const Sum &s) { return s.sum.l2Sectors; },
              "that L1 does not serve", "sectors");
  return structure;
}

template <>
const Structure<SharedAccesses> &describe<SharedAccesses>() {
  using Sum = SharedAccesses;
  static const auto structure =
      Structure<Sum>("shared-accesses", "Accesses of shared memory.",
                     Order::AsDescribed)
          .member(
              "requests", [](const Sum &s) { return s.sum.requests; },
              "instructions of a warp")
          .member(
              "wavefronts", [](const Sum &s) { return s.sum.wavefronts; },
              "cycles that shared memory is busy", "wavefronts")
          .member(
              "ideal_wavefronts",
              [](const Sum &s) { return s.sum.idealWavefronts; },
              "the fewest for the distinct words of each request at its "
              "width",
              "wavefronts");
  return structure;
}

template <>
const Structure<TermView> &describe<TermView>() {
  auto getAmount = [](const TermView &view) {
    return Rounded(view.term.amount, "%.0f");
  };
  auto getSeconds = [](const TermView &view) {
    return Rounded(view.term.perSecond > 0 ? std::optional(view.term.seconds)
                                           : std::nullopt);
  };
  static const auto structure =
      Structure<TermView>("counted-term", "A resource of the machine.",
                          Order::AsDescribed)
          .member("amount", getAmount, "that the launch asks of it")
          .member("seconds", getSeconds,
                  "counted: the amount over the rate; null if the rate is "
                  "unknown",
                  "seconds");
  return structure;
}

static std::optional<MainLoop> findMainLoop(const CountedLaunch &launch) {
  if (launch.counts->loops.empty())
    return std::nullopt;
  const LoopCounts &loop = launch.counts->loops.front();
  return MainLoop{loop.line, loop.instructions, loop.multiplyAdds};
}

static uint64_t countMultiplyAdds(const CountedLaunch &launch) {
  uint64_t sum = 0;
  for (const LoopCounts &loop : launch.counts->loops)
    sum += loop.multiplyAdds;
  return sum;
}

static std::vector<std::pair<std::string, TermView>>
listTerms(const CountedLaunch &launch) {
  std::vector<std::pair<std::string, TermView>> terms;
  for (const CountedTime::Term &term : launch.time.terms)
    terms.emplace_back(term.name, TermView{term});
  return terms;
}

/// The fields of the launch, and of what is counted.
static void addCounts(Structure<CountedLaunch> &structure) {
  using L = CountedLaunch;
  auto of = [](auto get) {
    return [get](const L &launch) { return std::invoke(get, *launch.counts); };
  };
  auto global = [](StringRef space, StringRef kind) {
    return [=](const L &launch) {
      return GlobalAccesses{launch.counts->getMemory(space, kind)};
    };
  };
  auto shared = [](StringRef kind) {
    return [kind](const L &launch) {
      return SharedAccesses{launch.counts->getMemory("shared", kind)};
    };
  };
  auto countBlocks = [](const LaunchCounts &counts) {
    return counts.grid.count();
  };
  structure.member("kernel", of(&LaunchCounts::kernel), "its name")
      .member("grid", of(&LaunchCounts::grid), "along x, y and z", "blocks")
      .member("block", of(&LaunchCounts::block), "along x, y and z", "threads")
      .member("dynamic_shared_bytes", &L::dynamicSharedBytes,
              "shared memory that the launch asked for, per block", "bytes")
      .member("arguments", &L::arguments,
              "each an argument of the program or a temporary, by number, or a "
              "number by its type")
      .member("blocks", of(countBlocks), "of the grid")
      .member("blocks_run", of(&LaunchCounts::blocksRun),
              "those of them that ran")
      .member("instructions", of(&LaunchCounts::getIssued),
              "that warps issued, without moves and others that ptxas folds "
              "away")
      .member("multiply_adds", countMultiplyAdds,
              "fused multiply-adds and mma among these")
      .member("main_loop", findMainLoop, "null if nothing multiplies")
      .member("global_loads", global("global", "read"), "of global memory")
      .member("global_stores", global("global", "write"), "of global memory")
      .member("shared_loads", shared("read"), "of shared memory")
      .member("shared_stores", shared("write"), "of shared memory")
      .member("local", global("local", ""), "loads and stores of local memory")
      .member("read_bytes",
              of([](const LaunchCounts &c) { return c.allRead.bytes; }),
              "distinct bytes of global memory, over all blocks", "bytes")
      .member("written_bytes",
              of([](const LaunchCounts &c) { return c.allWritten.bytes; }),
              "distinct bytes of global memory, over all blocks", "bytes");
}

static void addTimes(Structure<CountedLaunch> &structure) {
  using L = CountedLaunch;
  auto round = [](double CountedTime::*number) {
    return [number](const L &launch) { return Rounded(launch.time.*number); };
  };
  auto getLimiter = [](const L &launch) {
    return StringRef(launch.time.limiter);
  };
  auto getWaves = [](const L &launch) {
    return Rounded(launch.time.waves > 0 ? std::optional(launch.time.waves)
                                         : std::nullopt);
  };
  structure
      .member("seconds", round(&CountedTime::seconds),
              "counted: starting the kernel, and the longest term", "seconds")
      .member("limiter", getLimiter, "the longest term")
      .member("launch_seconds", round(&CountedTime::launchSeconds),
              "the part that it takes to start a kernel", "seconds")
      .member("tail", round(&CountedTime::tail),
              "the time of the fullest multiprocessor over the average")
      .member("waves", getWaves,
              "blocks over blocks resident at once; null without ptxas")
      .member("terms", listTerms, "by name")
      .member("simulated", &L::simulated, "level A; null without ptxas")
      .optional("simulated_b", &L::traced, "with --simulate: level B");
}

template <>
const Structure<CountedLaunch> &describe<CountedLaunch>() {
  static const auto structure = [] {
    Structure<CountedLaunch> launch("counted-launch",
                                    "A launch, and its counts, which are "
                                    "scaled to the whole grid.",
                                    Order::AsDescribed);
    addCounts(launch);
    addTimes(launch);
    return launch;
  }();
  return structure;
}

template <>
const Structure<CountView> &describe<CountView>() {
  using View = CountView;
  auto of = [](auto member) {
    return [member](const View &view) -> const auto & {
      return view.result.*member;
    };
  };
  static const auto structure =
      Structure<View>("count", "What a count reports.", Order::AsDescribed)
          .include(&View::compiled)
          .member("rates", of(&CountResult::machine), "of the chip")
          .member("arguments", of(&CountResult::arguments),
                  "of the program, results last")
          .member("temporaries", of(&CountResult::temporaries),
                  "each buffer that the host code allocated", "bytes")
          .member("compared", of(&CountResult::compared),
                  "numbers that the host compared with limits, in order")
          .member("serial_seconds", of(&CountResult::serialSeconds),
                  "counted: the sum over all launches", "seconds")
          .member("longest_seconds", of(&CountResult::longestSeconds),
                  "counted: the longest chain of launches that wait for each "
                  "other, by streams and events",
                  "seconds")
          .member("busiest_seconds", of(&CountResult::busiestSeconds),
                  "counted: what one unit of the device needs for its part of "
                  "all launches, of the unit for which that is most",
                  "seconds")
          .member("counted", of(&CountResult::launches),
                  "the launches, in order");
  return structure;
}

} // namespace mlir::tc::schema
