//===- Report.cpp - Reports as JSON ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is a view of what a tool has: the program, its compilation, and a
// run or counts. Members are in the order of their descriptions.
//
//===----------------------------------------------------------------------===//

#include "Report/ReportViews.h"

#include "tc/Schema/Document.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mlir::tc {

/// Null unless every kernel has the member; else the worst of all.
template <typename T, typename Worse>
static std::optional<T> worstOf(ArrayRef<KernelReport> kernels,
                                std::optional<T> KernelReport::*member,
                                Worse isWorse) {
  std::optional<T> worst;
  for (const KernelReport &kernel : kernels) {
    const std::optional<T> &value = kernel.*member;
    if (!value)
      return std::nullopt;
    if (!worst || isWorse(*value, *worst))
      worst = value;
  }
  return worst;
}

/// The launch with most threads: the one that the program is about.
static const KernelReport *findMainKernel(ArrayRef<KernelReport> kernels) {
  auto countThreads = [](const KernelReport &kernel) {
    return llvm::product_of(kernel.launch.grid, 1.) *
           llvm::product_of(kernel.launch.block, 1.);
  };
  auto hasFewer = [&](const KernelReport &a, const KernelReport &b) {
    return countThreads(a) < countThreads(b);
  };
  return kernels.empty() ? nullptr : llvm::max_element(kernels, hasFewer);
}

/// The main kernel with the worst of all.
static KernelReport findWorst(ArrayRef<KernelReport> kernels) {
  KernelReport worst{};
  if (const KernelReport *main = findMainKernel(kernels))
    worst.launch = main->launch;
  for (auto member : {&KernelReport::registers, &KernelReport::spillBytes,
                      &KernelReport::localBytes, &KernelReport::sharedBytes})
    worst.*member = worstOf(kernels, member, std::greater<int64_t>());
  worst.occupancy =
      worstOf(kernels, &KernelReport::occupancy, std::less<double>());
  return worst;
}

CompileView::CompileView(const Program &program, const Compilation &compilation)
    : program(program), compilation(compilation),
      worst(findWorst(compilation.kernels)) {}

std::string formatJson(const Program &program, const Compilation &compilation,
                       const RunResult *result, bool pretty) {
  CompileView compiled(program, compilation);
  unsigned indent = pretty ? 2 : 0;
  return (result ? schema::format(RunView{compiled, *result}, indent)
                 : schema::format(compiled, indent)) +
         "\n";
}

std::string formatJson(const Program &program, const CountResult &result,
                       bool pretty) {
  CompileView compiled(program, result.compilation);
  return schema::format(CountView{compiled, result}, pretty ? 2 : 0) + "\n";
}

std::string formatCompileSchema() {
  return schema::formatSchema<CompileView>("report of a compilation");
}

std::string formatRunSchema() {
  return schema::formatSchema<RunView>("report of a run");
}

std::string formatCountSchema() {
  return schema::formatSchema<CountView>("report of a count");
}

//===----------------------------------------------------------------------===//
// A compilation
//===----------------------------------------------------------------------===//

namespace {
/// An extent, or dynamicExtent.
struct Extent {
  int64_t value;
};
using Extents = std::vector<std::pair<std::string, Extent>>;
} // namespace

static std::optional<std::string> getEinsum(const CompileView &view) {
  if (!view.program.problem)
    return std::nullopt;
  return view.program.problem->text;
}

static std::optional<Extents> listSizes(const CompileView &view) {
  if (!view.program.problem)
    return std::nullopt;
  Extents sizes;
  for (const auto &iterator : view.program.problem->iterators)
    sizes.emplace_back(iterator.name, Extent{iterator.extent});
  return sizes;
}

/// Null where it is empty.
static std::optional<std::string> unlessEmpty(std::string text) {
  if (text.empty())
    return std::nullopt;
  return text;
}

static std::optional<std::string> joinSchedules(const CompileView &view) {
  if (view.compilation.schedules.empty())
    return std::nullopt;
  return llvm::join(view.compilation.schedules, "; ");
}

namespace schema {

template <>
struct Codec<Extent> {
  static void write(llvm::json::OStream &json, Extent extent) {
    if (extent.value == dynamicExtent)
      json.value("?");
    else
      json.value(extent.value);
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { NonNegative::describe(json, all); });
      json.object([&] { json.attribute("const", "?"); });
    });
  }
};

template <>
const Structure<KernelReport> &describe<KernelReport>() {
  using K = KernelReport;
  auto getName = [](const K &k) { return unlessEmpty(k.launch.kernel); };
  auto getGrid = [](const K &k) { return extentsOf(k.launch.grid); };
  auto getBlock = [](const K &k) { return extentsOf(k.launch.block); };
  auto getOccupancy = [](const K &k) { return Rounded(k.occupancy); };
  static const auto structure =
      Structure<K>("kernel", "A kernel, or the worst of several.",
                   Order::AsDescribed)
          .member("kernel", getName,
                  "its name; of several, that of the launch with the most "
                  "threads; null if nothing is launched")
          .member("grid", getGrid,
                  "of that launch along x, y and z; null if the host computes "
                  "it at run time",
                  "blocks")
          .member("block", getBlock,
                  "of that launch along x, y and z; null if the host computes "
                  "it at run time",
                  "threads")
          .member("registers", &K::registers,
                  "per thread, as ptxas reports them; the maximum over all "
                  "kernels")
          .member("spill_bytes", &K::spillBytes,
                  "stored and loaded per thread to spill registers; the "
                  "maximum over all kernels",
                  "bytes")
          .member("local_bytes", &K::localBytes,
                  "local memory per thread: private buffers that are not in "
                  "registers, and spills; the maximum over all kernels",
                  "bytes")
          .member("shared_bytes", &K::sharedBytes,
                  "shared memory per block, static and dynamic; the maximum "
                  "over all kernels",
                  "bytes")
          .member("occupancy", getOccupancy,
                  "predicted: resident warps as a share of those that a "
                  "multiprocessor can hold; the minimum over all kernels");
  return structure;
}

template <>
const Structure<CompileTimes> &describe<CompileTimes>() {
  using Times = CompileTimes;
  auto round = [](auto get) {
    return [get](const Times &times) {
      return Rounded(std::invoke(get, times), "%.3f");
    };
  };
  const char *unit = "milliseconds";
  static const auto structure =
      Structure<Times>("compile-times", "Wall-clock times.", Order::AsDescribed)
          .member("parse", round(&Times::parse), "text to MLIR", unit)
          .member("lower", round(&Times::lower), "to the NVVM dialect", unit)
          .member("ptx", round(&Times::ptx),
                  "to PTX, runs of ptxas for schedules with resident included",
                  unit)
          .member("ptxas", round(&Times::ptxas),
                  "to a cubin, unless ptx made it; null if ptxas did not run",
                  unit)
          .member("total", round(&Times::total), "of all", unit);
  return structure;
}

template <>
const Structure<CompileView> &describe<CompileView>() {
  using View = CompileView;
  auto getTypes = [](const View &v) { return unlessEmpty(v.program.types); };
  auto getFunction = [](const View &v) { return StringRef(v.program.name); };
  auto getChip = [](const View &v) { return StringRef(v.compilation.chip); };
  auto listKernels = [](const View &v) -> ArrayRef<KernelReport> {
    if (v.compilation.kernels.size() < 2)
      return {};
    return v.compilation.kernels;
  };
  auto getShare = [](const View &v) {
    return Rounded(v.compilation.usefulShare);
  };
  auto of = [](auto member) {
    return [member](const View &v) -> const auto & {
      return v.compilation.*member;
    };
  };
  static const auto structure =
      Structure<View>("compilation", "What a compilation reports.",
                      Order::AsDescribed)
          .member("einsum", getEinsum,
                  "the subscripts in explicit form; null for a file")
          .member("sizes", listSizes,
                  "extents by iterator: the labels, and e0, e1, ... for the "
                  "dimensions of an ellipsis; ? is a dynamic extent; null for "
                  "a file")
          .member("dtype", getTypes,
                  "the element types of the einsum, as --dtype takes them, or "
                  "the type of the function's first argument")
          .member("function", getFunction, "its name")
          .member("chip", getChip, "the target, such as sm_90a")
          .member("schedule", joinSchedules,
                  "the #tc.schedule that was carried out; several are in "
                  "program order, joined by '; '")
          .include(&View::worst)
          .optional("kernels", listKernels,
                    "of several launches, each in order")
          .member("useful_share", getShare,
                  "results as a share of the places for results in all block "
                  "tiles; the minimum over all contractions")
          .member("predicted", of(&Compilation::predicted),
                  "for each schedule what the cost model predicts; null where "
                  "it does not cover the contraction")
          .member("tunable", of(&Compilation::tunable),
                  "for each schedule how a tuning file identifies it; null for "
                  "what cannot be tuned")
          .member("thresholds", of(&Compilation::thresholds),
                  "the limits that the function compares with, by name, in the "
                  "order of the program: what they are unless they are set "
                  "when it runs")
          .member("compile_ms", of(&Compilation::times), "wall-clock times",
                  "milliseconds");
  return structure;
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

template <>
const Structure<Fault> &describe<Fault>() {
  static const auto structure =
      Structure<Fault>("fault", "A fault that was put into the program.",
                       Order::AsDescribed)
          .member("fault", &Fault::text, "in words")
          .member("caught", &Fault::isCaught,
                  "whether the run failed, or the verdict found it");
  return structure;
}

/// A number that there is where a run is judged.
static auto whereJudged(double Outcome::*number) {
  return [number](const Outcome &outcome) {
    return Rounded(outcome.verified ? std::optional(outcome.*number)
                                    : std::nullopt);
  };
}

template <>
const Structure<Outcome> &describe<Outcome>() {
  auto getSeconds = [](const Outcome &o) { return Rounded(o.seconds); };
  static const auto structure =
      Structure<Outcome>("outcome", "How a run ended.", Order::AsDescribed)
          .member("verified", &Outcome::verified,
                  "with --verify: whether every result is judged, and every "
                  "element keeps its bound; else null")
          .optional("few_bits", &Outcome::hasFewBits,
                    "whether arguments are numbers of few bits, since rounding "
                    "could otherwise hide more than 1 % of a result")
          .optional("unjudged", &Outcome::unjudged,
                    "the results that are not judged although they need to be")
          .member("max_rel_error", whereJudged(&Outcome::maxRelativeError),
                  "the largest error of an element, relative to the largest "
                  "element of its result; null if it is infinite")
          .member("tolerance", whereJudged(&Outcome::tolerance),
                  "the widest bound of a judged element, also relative")
          .member("seconds", getSeconds,
                  "wall-clock time of the host function, run once; the "
                  "emulator's says nothing about a GPU",
                  "seconds");
  return structure;
}

namespace {
/// One of several runs.
struct SizedOutcome {
  const Outcome &outcome;
};
} // namespace

template <>
const Structure<SizedOutcome> &describe<SizedOutcome>() {
  using View = SizedOutcome;
  static const auto structure =
      Structure<View>("sized-outcome", "How a run of several ended.",
                      Order::AsDescribed)
          .member(
              "sizes", [](const View &v) { return StringRef(v.outcome.sizes); },
              "dynamic extents, as given")
          .include([](const View &v) -> const Outcome & { return v.outcome; });
  return structure;
}

static std::vector<SizedOutcome> listOutcomes(const RunView &view) {
  std::vector<SizedOutcome> outcomes;
  for (const Outcome &outcome : view.result.outcomes)
    outcomes.push_back({outcome});
  return outcomes;
}

template <>
const Structure<RunView> &describe<RunView>() {
  using View = RunView;
  auto getDevice = [](const View &v) { return StringRef(v.result.device); };
  auto getOutcome = [](const View &v) -> const Outcome & { return v.result; };
  auto getFaults = [](const View &v) { return ArrayRef(v.result.faults); };
  static const auto structure =
      Structure<View>("run", "What a run reports.", Order::AsDescribed)
          .include(&View::compiled)
          .member("device", getDevice, "emulator or cuda")
          .include(getOutcome)
          .optional("faults", getFaults, "with --faults: each of them")
          .optional("runs", listOutcomes,
                    "with --run: each of them. The values of the whole report "
                    "are then the worst of these, and the sum of seconds");
  return structure;
}

} // namespace schema

} // namespace mlir::tc
