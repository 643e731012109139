//===- Report.cpp - Reports as JSON and text ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Report.h"

#include "tc/Files/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <limits>

using namespace mlir;
using llvm::json::OStream;
using Json = llvm::json::Value;
using ::tc::emulator::CountedTime;
using ::tc::emulator::LaunchCounts;

namespace mlir::tc {

/// A number with as many digits as it deserves; JSON has no infinity.
static void writeNumber(OStream &json, StringRef name,
                        std::optional<double> value,
                        const char *format = "%.6g") {
  json.attributeBegin(name);
  if (value && std::isfinite(*value)) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(format, *value);
    json.rawValue(text);
  } else {
    json.value(nullptr);
  }
  json.attributeEnd();
}

static constexpr double notKnown = std::numeric_limits<double>::quiet_NaN();

/// The object that `writeMembers` writes, or null unless there is one.
static void writeObject(OStream &json, StringRef name, bool isThere,
                        llvm::function_ref<void()> writeMembers) {
  if (isThere)
    json.attributeObject(name, writeMembers);
  else
    json.attribute(name, nullptr);
}

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

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeProblem(OStream &json, const Program &program) {
  json.attribute("einsum",
                 program.problem ? Json(program.problem->text) : Json(nullptr));
  writeObject(json, "sizes", program.problem.has_value(), [&] {
    for (const EinsumProblem::Iterator &iterator : program.problem->iterators)
      json.attribute(iterator.name, iterator.extent == dynamicExtent
                                        ? Json("?")
                                        : Json(iterator.extent));
  });
  json.attribute("dtype",
                 program.types.empty() ? Json(nullptr) : Json(program.types));
  json.attribute("function", program.name);
}

static void writeMembers(OStream &json, const KernelReport &kernel) {
  const std::string &name = kernel.launch.kernel;
  json.attribute("kernel", name.empty() ? Json(nullptr) : Json(name));
  auto write = [&](StringRef name, std::optional<std::array<int64_t, 3>> list) {
    json.attribute(name, list ? Json(llvm::json::Array(*list)) : Json(nullptr));
  };
  write("grid", extentsOf(kernel.launch.grid));
  write("block", extentsOf(kernel.launch.block));
  json.attribute("registers", orNull(kernel.registers));
  json.attribute("spill_bytes", orNull(kernel.spillBytes));
  json.attribute("local_bytes", orNull(kernel.localBytes));
  json.attribute("shared_bytes", orNull(kernel.sharedBytes));
  writeNumber(json, "occupancy", kernel.occupancy);
}

/// The main kernel with the worst of all, then all where there are several.
static void writeKernels(OStream &json, ArrayRef<KernelReport> kernels) {
  KernelReport worst{};
  if (const KernelReport *main = findMainKernel(kernels))
    worst.launch = main->launch;
  for (auto member : {&KernelReport::registers, &KernelReport::spillBytes,
                      &KernelReport::localBytes, &KernelReport::sharedBytes})
    worst.*member = worstOf(kernels, member, std::greater<int64_t>());
  worst.occupancy =
      worstOf(kernels, &KernelReport::occupancy, std::less<double>());
  writeMembers(json, worst);
  if (kernels.size() < 2)
    return;
  json.attributeArray("kernels", [&] {
    for (const KernelReport &kernel : kernels)
      json.object([&] { writeMembers(json, kernel); });
  });
}

static void writeTimes(OStream &json, const CompileTimes &times) {
  json.attributeObject("compile_ms", [&] {
    const char *microseconds = "%.3f";
    writeNumber(json, "parse", times.parse, microseconds);
    writeNumber(json, "lower", times.lower, microseconds);
    writeNumber(json, "ptx", times.ptx, microseconds);
    writeNumber(json, "ptxas", times.ptxas, microseconds);
    writeNumber(json, "total", times.total(), microseconds);
  });
}

static void writeOutcome(OStream &json, const Outcome &outcome) {
  json.attribute("verified", orNull(outcome.verified));
  bool isJudged = outcome.verified.has_value();
  if (outcome.hasFewBits)
    json.attribute("few_bits", true);
  if (!outcome.unjudged.empty())
    json.attributeArray("unjudged", [&] {
      for (const std::string &name : outcome.unjudged)
        json.value(name);
    });
  writeNumber(json, "max_rel_error",
              isJudged ? outcome.maxRelativeError : notKnown);
  writeNumber(json, "tolerance", isJudged ? outcome.tolerance : notKnown);
  writeNumber(json, "seconds", outcome.seconds);
}

static void writeRun(OStream &json, const RunResult &result) {
  json.attribute("device", result.device);
  writeOutcome(json, result);
  if (!result.faults.empty())
    json.attributeArray("faults", [&] {
      for (const Fault &fault : result.faults)
        json.object([&] {
          json.attribute("fault", fault.text);
          json.attribute("caught", fault.isCaught);
        });
    });
  if (result.outcomes.empty())
    return;
  json.attributeArray("runs", [&] {
    for (const Outcome &outcome : result.outcomes)
      json.object([&] {
        json.attribute("sizes", outcome.sizes);
        writeOutcome(json, outcome);
      });
  });
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static void writeAccesses(OStream &json, StringRef name,
                          const LaunchCounts &counts, StringRef space,
                          StringRef kind) {
  ::tc::emulator::AccessCounts sum = counts.getMemory(space, kind);
  json.attributeObject(name, [&] {
    json.attribute("requests", sum.requests);
    if (space == "shared") {
      json.attribute("wavefronts", sum.wavefronts);
      json.attribute("ideal_wavefronts", sum.idealWavefronts);
    } else {
      json.attribute("sectors", sum.sectors);
      json.attribute("ideal_sectors", sum.idealSectors);
      json.attribute("l2_sectors", sum.l2Sectors);
    }
  });
}

static void writeMainLoop(OStream &json, const LaunchCounts &counts) {
  writeObject(json, "main_loop", !counts.loops.empty(), [&] {
    const ::tc::emulator::LoopCounts &loop = counts.loops.front();
    json.attribute("line", loop.line);
    json.attribute("instructions", loop.instructions);
    json.attribute("multiply_adds", loop.multiplyAdds);
  });
}

static void writeTime(OStream &json, const CountedTime &time) {
  writeNumber(json, "seconds", time.seconds);
  json.attribute("limiter", time.limiter);
  writeNumber(json, "launch_seconds", time.launchSeconds);
  writeNumber(json, "tail", time.tail);
  writeNumber(json, "waves", time.waves > 0 ? time.waves : notKnown);
  json.attributeObject("terms", [&] {
    for (const CountedTime::Term &term : time.terms)
      json.attributeObject(term.name, [&] {
        writeNumber(json, "amount", term.amount, "%.0f");
        writeNumber(json, "seconds",
                    term.perSecond > 0 ? term.seconds : notKnown);
      });
  });
}

/// What a kernel was launched with.
static void writeLaunch(OStream &json, const CountedLaunch &launch) {
  auto write = [&](StringRef name, ::tc::emulator::Dim3 dim) {
    json.attribute(name, llvm::json::Array{dim.x, dim.y, dim.z});
  };
  json.attribute("kernel", launch.counts->kernel);
  write("grid", launch.counts->grid);
  write("block", launch.counts->block);
  json.attribute("dynamic_shared_bytes", launch.dynamicSharedBytes);
  json.attributeArray("arguments", [&] {
    for (const LaunchArgument &argument : launch.arguments)
      json.object([&] { json.attribute(argument.kind, argument.value); });
  });
}

static void writeCounts(OStream &json, const LaunchCounts &counts) {
  json.attribute("blocks", counts.grid.count());
  json.attribute("blocks_run", counts.blocksRun);
  json.attribute("instructions", counts.getIssued());
  auto multiplyAdds = llvm::map_range(
      counts.loops, [](auto &loop) { return loop.multiplyAdds; });
  json.attribute("multiply_adds", llvm::sum_of(multiplyAdds));
  writeMainLoop(json, counts);
  writeAccesses(json, "global_loads", counts, "global", "read");
  writeAccesses(json, "global_stores", counts, "global", "write");
  writeAccesses(json, "shared_loads", counts, "shared", "read");
  writeAccesses(json, "shared_stores", counts, "shared", "write");
  writeAccesses(json, "local", counts, "local", "");
  json.attribute("read_bytes", counts.allRead.bytes);
  json.attribute("written_bytes", counts.allWritten.bytes);
}

static void writeRates(OStream &json, const Machine &machine) {
  json.attributeObject("rates", [&] {
    writeNumber(json, "f32_flops", machine.f32Flops());
    writeNumber(json, "f64_flops", machine.f64Flops());
    for (StringRef type : {"f64", "f16", "tf32", "s8", "f8"})
      writeNumber(json, ("mma_" + type + "_flops").str(),
                  machine.getMmaFlops(type));
    writeNumber(json, "l2_bytes_per_second", machine.l2BytesPerSecond);
    writeNumber(json, "dram_bytes_per_second", machine.dramBytesPerSecond);
    writeNumber(json, "launch_seconds", machine.launchSeconds);
    writeNumber(json, "clock_hz", machine.clockHz);
    // A cycle and multiprocessor.
    writeNumber(json, "warp_instructions", double(machine.issuedPerCycle));
    writeNumber(json, "f32", double(machine.f32FmaPerCycle));
    writeNumber(json, "f64", double(machine.f64FmaPerCycle));
    writeNumber(json, "integer", double(machine.integerPerCycle));
    writeNumber(json, "memory", double(machine.memoryPerCycle));
    writeNumber(json, "wavefronts", double(machine.wavefrontsPerCycle));
  });
}

static void writePredicted(OStream &json, const Compilation &compilation) {
  json.attributeArray("predicted", [&] {
    for (const std::optional<KernelCost> &cost : compilation.predicted)
      json.value(cost ? Json(toJson(*cost)) : Json(nullptr));
  });
}

static std::string format(const Program &program,
                          const Compilation &compilation, bool pretty,
                          llvm::function_ref<void(OStream &)> writeRest) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, pretty ? 2 : 0);
  json.object([&] {
    writeProblem(json, program);
    json.attribute("chip", compilation.chip);
    json.attribute("schedule",
                   compilation.schedules.empty()
                       ? Json(nullptr)
                       : Json(llvm::join(compilation.schedules, "; ")));
    writeKernels(json, compilation.kernels);
    writeNumber(json, "useful_share", compilation.usefulShare);
    writePredicted(json, compilation);
    json.attribute("tunable", llvm::json::Array(compilation.tunable));
    json.attributeObject("thresholds", [&] {
      for (const auto &[limit, value] : compilation.thresholds)
        json.attribute(limit, value);
    });
    writeTimes(json, compilation.times);
    writeRest(json);
  });
  json.flush();
  return text + "\n";
}

std::string formatJson(const Program &program, const Compilation &compilation,
                       const RunResult *result, bool pretty) {
  return format(program, compilation, pretty, [&](OStream &json) {
    if (result)
      writeRun(json, *result);
  });
}

std::string formatJson(const Program &program, const CountResult &result,
                       bool pretty) {
  return format(program, result.compilation, pretty, [&](OStream &json) {
    writeRates(json, result.machine);
    json.attributeArray("arguments", [&] {
      for (const EinsumProblem::Operand &argument : result.arguments) {
        Json object = argument.layoutToJson();
        (*object.getAsObject())["dtype"] = nameOf(argument.type);
        json.value(object);
      }
    });
    json.attribute("temporaries", llvm::json::Array(result.temporaries));
    json.attributeArray("compared", [&] {
      for (const ComparedNumber &one : result.compared)
        json.object([&] {
          json.attribute("threshold", one.limit);
          json.attribute("number", one.number);
        });
    });
    json.attribute("serial_seconds", result.serialSeconds);
    json.attribute("longest_seconds", result.longestSeconds);
    json.attribute("busiest_seconds", result.busiestSeconds);
    json.attributeArray("counted", [&] {
      for (const CountedLaunch &launch : result.launches)
        json.object([&] {
          writeLaunch(json, launch);
          writeCounts(json, *launch.counts);
          writeTime(json, launch.time);
          json.attribute("simulated", launch.simulated
                                          ? Json(toJson(*launch.simulated))
                                          : Json(nullptr));
          if (launch.traced)
            json.attribute("simulated_b", launch.traced->toJson());
        });
    });
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void writeVerdict(llvm::raw_ostream &stream, const Outcome &outcome) {
  if (outcome.verified)
    stream << (*outcome.verified ? "verified"
               : outcome.isWrong ? "WRONG"
                                 : "NOT JUDGED")
           << ": largest relative error "
           << llvm::formatv("{0:e2}", outcome.maxRelativeError)
           << ", tolerance " << llvm::formatv("{0:e2}", outcome.tolerance)
           << (outcome.hasFewBits ? ", arguments of few bits\n" : "\n");
}

static void writeProblem(llvm::raw_ostream &stream, const Program &program) {
  if (program.problem)
    stream << program.problem->text << "  " << program.problem->sizesText()
           << '\n';
}

std::string formatText(const Program &program, const CountResult &result,
                       bool hasSites) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeProblem(stream, program);
  for (const CountedLaunch &launch : result.launches) {
    launch.counts->print(stream);
    launch.time.print(stream);
    if (launch.simulated)
      print(*launch.simulated, stream);
    if (launch.traced)
      launch.traced->print(stream);
    if (hasSites) {
      launch.time.printTerms(stream);
      launch.counts->printSites(stream);
    }
  }
  if (result.longestSeconds < 0.9999 * result.serialSeconds)
    stream << llvm::formatv(
        "counted time of the program: {0:F2} us one after "
        "the other, at least {1:F2} us side by side\n",
        result.serialSeconds * 1e6,
        std::max(result.longestSeconds, result.busiestSeconds) * 1e6);
  for (const ComparedNumber &one : result.compared)
    stream << "compared: threshold '" << one.limit << "' with " << one.number
           << '\n';
  return text;
}

std::string formatText(const Program &program, const RunResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeProblem(stream, program);
  stream << "device " << result.device << ", compiled for "
         << result.compilation.chip << " in "
         << llvm::formatv("{0:f0}", result.compilation.times.total())
         << " ms, ran in " << llvm::formatv("{0:f3}", result.seconds) << " s\n";
  for (const Outcome &outcome : result.outcomes) {
    stream << outcome.sizes << ": ran in "
           << llvm::formatv("{0:f3}", outcome.seconds) << " s\n";
    writeVerdict(stream, outcome);
  }
  if (result.outcomes.empty())
    writeVerdict(stream, result);
  for (const Fault &fault : result.faults)
    stream << fault.text << ": " << (fault.isCaught ? "caught" : "NOT FOUND")
           << '\n';
  return text;
}

} // namespace mlir::tc
