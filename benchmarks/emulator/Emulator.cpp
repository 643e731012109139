//===- Emulator.cpp - Times the emulator against loops --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs six kernels on the emulator, in several ways each, and the same work as
// loops, in turn, on one core; compares all results; writes the times as JSON.
// Inputs are small integers over 8, so that every sum is exact and results must
// be equal, whatever is fused. benchmarks/emulator.py calls this.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"
#include "Loops.h"
#include "tc/Emulator/TensorMap.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstring>
#include <ctime>

using namespace tc::emulator;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::opt<std::string> kernelsFile("kernels", cl::Required,
                                        cl::desc("PTX of Kernels.cpp"));
static cl::opt<std::string> contractionFile("contraction", cl::Required,
                                            cl::desc("PTX of the contraction"));
static cl::opt<std::string> wgmmaFile("wgmma",
                                      cl::desc("PTX of the wgmma case"));
static cl::opt<unsigned> runs("runs", cl::init(5),
                              cl::desc("How often each is timed"));
static cl::list<std::string> only("only", cl::CommaSeparated,
                                  cl::desc("Names of kernels (default all)"));
static cl::list<std::string>
    onlyWays("ways", cl::CommaSeparated,
             cl::desc("Names of ways of running (default all)"));

namespace {

/// A kernel, its arguments and its work as loops.
struct Case {
  StringRef name;
  std::string file;
  Dim3 grid, block;
  size_t elements[3]; ///< of the operands; the last is the result, too
  std::vector<char> scalars;
  std::function<void(const float *, const float *, float *)> loops;
  /// The first two operands are square and come by tensor maps in bf16, the
  /// second one transposed; so many elements in a box. 0: as they are.
  unsigned box = 0;

  /// Thread by thread, a warpgroup takes minutes.
  bool isRunBy(LaunchOptions::Execution execution) const {
    return !box || execution == LaunchOptions::Execution::Warps;
  }
};

/// A way of running a kernel.
struct Way {
  StringRef name;
  Checks checks;
  LaunchOptions::Execution execution;
};

using Execution = LaunchOptions::Execution;
const Way allWays[] = {{"none", Checks::None, Execution::Warps},
                       {"bounds", Checks::Bounds, Execution::Warps},
                       {"all", Checks::All, Execution::Warps},
                       {"masked", Checks::None, Execution::Masked},
                       {"threads", Checks::None, Execution::Threads}};

std::vector<Case> getCases() {
  using namespace tc::benchmark;
  constexpr unsigned n = 512, length = 1 << 24;
  constexpr float factor = 0.5f;
  std::vector<char> size(sizeof n), both(sizeof factor + sizeof length);
  std::memcpy(size.data(), &n, sizeof n);
  std::memcpy(both.data(), &factor, sizeof factor);
  std::memcpy(both.data() + sizeof factor, &length, sizeof length);
  auto matmul = [&](StringRef name, unsigned tile, auto *loops) {
    return Case{
        name,
        kernelsFile,
        {n / tile, n / tile, 1},
        {16, 16, 1},
        {n * n, n * n, n * n},
        size,
        [=](const float *a, const float *b, float *c) { loops(a, b, c, n); }};
  };
  return {matmul("naive", 16, naive),
          matmul("tiled", 16, tiled),
          matmul("registers", 64, registers),
          Case{"axpy",
               kernelsFile,
               {length / 256, 1, 1},
               {256, 1, 1},
               {length, 0, length},
               both,
               [](const float *x, const float *, float *y) {
                 axpy(x, y, factor, length);
               }},
          Case{"contraction",
               contractionFile,
               {1024, 1, 1},
               {256, 1, 1},
               {1 << 16, 1 << 16, 1 << 24},
               {},
               [](const float *x, const float *y, float *z) {
                 tc::benchmark::contraction(x, y, z);
               }},
          Case{"wgmma",
               wgmmaFile,
               {n / 64, n / 64, 1},
               {256, 1, 1},
               {n * n, n * n, n * n},
               {},
               [](const float *a, const float *b, float *c) {
                 rowByRow(a, b, c, n);
               },
               /*box=*/64}};
}

/// Processor time: it leaves out what others do on the machine.
double getMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

/// Times one case.
class Bench {
public:
  explicit Bench(const Case &what) : what(what) {}

  Expected<llvm::json::Object> run();

private:
  Error prepare();
  /// Adds a tensor map of a square operand in bf16 to the parameters.
  Error addMap(const float *values, bool isTransposed);
  Expected<std::unique_ptr<Module>> load(const Way &way, Effort effort);
  Expected<double> launch(Module &module, Dim3 grid);
  Expected<double> verify(const Way &way, Module &module);
  Expected<double> getCompileTime(const Way &way, Effort effort);
  double runLoops();
  /// Makes the result what it is before each run.
  void reset(float *result);

  const Case &what;
  Memory memory;
  float *operands[3] = {}; ///< null where there is none
  std::vector<char> parameters;
  std::vector<float> initial, expected;
};

} // namespace

static Error fail(const llvm::Twine &message) {
  return llvm::createStringError("%s", message.str().c_str());
}

Error Bench::prepare() {
  uint32_t state = 1;
  for (unsigned i = 0; i < 3; ++i) {
    size_t bytes = what.elements[i] * sizeof(float);
    if (!bytes)
      continue;
    // Fresh: the check of uninitialised reads has work to do.
    auto address = memory.allocate(bytes, Memory::Contents::Fresh);
    if (!address)
      return address.takeError();
    operands[i] = static_cast<float *>(*address);
    for (size_t at = 0; at < what.elements[i]; ++at) {
      state = state * 1664525 + 1013904223; // Numerical Recipes, section 7.1
      operands[i][at] = int(state >> 28) / 8.0f - 1;
    }
    // axpy reads its result.
    if (i < 2 || !what.elements[1])
      memory.markInitialized(*address, bytes);
    if (what.box && i < 2) {
      if (Error error = addMap(operands[i], /*isTransposed=*/i == 1))
        return error;
      continue;
    }
    const char *pointer = reinterpret_cast<const char *>(&operands[i]);
    parameters.insert(parameters.end(), pointer, pointer + sizeof(float *));
  }
  llvm::append_range(parameters, what.scalars);
  initial.assign(operands[2], operands[2] + what.elements[2]);
  expected = initial;
  return Error::success();
}

Error Bench::addMap(const float *values, bool isTransposed) {
  size_t n = size_t(std::sqrt(double(what.elements[0])));
  size_t bytes = n * n * sizeof(uint16_t);
  auto address = memory.allocate(bytes, Memory::Contents::Fresh);
  if (!address)
    return address.takeError();
  auto *to = static_cast<uint16_t *>(*address);
  for (size_t y = 0; y < n; ++y)
    for (size_t x = 0; x < n; ++x) {
      float value = isTransposed ? values[x * n + y] : values[y * n + x];
      to[y * n + x] = llvm::bit_cast<uint32_t>(value) >> 16; // exact
    }
  memory.markInitialized(*address, bytes);
  TensorMap map;
  map.element = TensorMap::Element::BF16;
  map.rank = 2;
  map.address = reinterpret_cast<uint64_t>(*address);
  map.extents[0] = map.extents[1] = n;
  map.strides[0] = n * sizeof(uint16_t);
  map.box[0] = map.box[1] = what.box;
  map.swizzle = 3; // 128 bytes
  size_t at = parameters.size();
  parameters.resize(at + TensorMap::bytes);
  map.encode(parameters.data() + at);
  return Error::success();
}

void Bench::reset(float *result) {
  std::memcpy(result, initial.data(), initial.size() * sizeof(float));
}

double Bench::runLoops() {
  reset(expected.data());
  double start = getMilliseconds();
  what.loops(operands[0], operands[1], expected.data());
  return getMilliseconds() - start;
}

Expected<std::unique_ptr<Module>> Bench::load(const Way &way, Effort effort) {
  auto text = llvm::MemoryBuffer::getFile(what.file);
  if (!text)
    return fail("cannot read '" + what.file +
                "': " + text.getError().message());
  auto module = Module::load((*text)->getBuffer());
  if (!module)
    return module.takeError();
  LaunchOptions options;
  options.checks = way.checks;
  options.execution = way.execution;
  options.workers = 1;
  (*module)->setOptions(options);
  (*module)->setEffort(effort);
  return module;
}

Expected<double> Bench::launch(Module &module, Dim3 grid) {
  reset(operands[2]);
  double start = getMilliseconds();
  if (Error error =
          module.launch(what.name, grid, what.block, 0, parameters, memory))
    return std::move(error);
  return getMilliseconds() - start;
}

/// The time of a launch whose result is that of the loops.
Expected<double> Bench::verify(const Way &way, Module &module) {
  Expected<double> time = launch(module, what.grid);
  if (!time)
    return time;
  for (size_t i = 0; i < expected.size(); ++i)
    if (operands[2][i] != expected[i])
      return fail(
          llvm::formatv("{0}, {1}: expected {2} at element {3}, got {4}",
                        what.name, way.name, expected[i], i, operands[2][i]));
  return time;
}

/// What the first launch of one block takes more than the second.
Expected<double> Bench::getCompileTime(const Way &way, Effort effort) {
  auto module = load(way, effort);
  if (!module)
    return module.takeError();
  Expected<double> first = launch(**module, {1, 1, 1});
  if (!first)
    return first;
  Expected<double> second = launch(**module, {1, 1, 1});
  if (!second)
    return second;
  return *first - *second;
}

Expected<llvm::json::Object> Bench::run() {
  if (Error error = prepare())
    return std::move(error);
  runLoops(); // Its result is what all others must be.
  std::vector<Way> ways;
  llvm::copy_if(allWays, std::back_inserter(ways), [&](const Way &way) {
    return what.isRunBy(way.execution) &&
           (onlyWays.empty() || llvm::is_contained(onlyWays, way.name));
  });
  std::vector<std::unique_ptr<Module>> modules;
  for (const Way &way : ways) {
    auto module = load(way, Effort::Optimized);
    if (!module)
      return module.takeError();
    modules.push_back(std::move(*module));
    if (auto time = verify(way, *modules.back()); !time)
      return time.takeError();
  }
  llvm::json::Object times, compile;
  auto add = [](llvm::json::Object &object, StringRef name, double time) {
    auto at = object.try_emplace(name.str(), llvm::json::Array()).first;
    at->second.getAsArray()->push_back(time);
  };
  for (unsigned i = 0; i < runs; ++i) {
    add(times, "loops", runLoops());
    for (auto [way, module] : llvm::zip_equal(ways, modules)) {
      Expected<double> time = verify(way, *module);
      if (!time)
        return time.takeError();
      add(times, way.name, *time);
    }
    for (auto [name, effort] : {std::pair("quick", Effort::Quick),
                                std::pair("optimized", Effort::Optimized)})
      for (const Way &way : ways) {
        Expected<double> time = getCompileTime(way, effort);
        if (!time)
          return time.takeError();
        add(compile, (way.name + "_" + name).str(), *time);
      }
  }
  return llvm::json::Object{{"kernel", what.name},
                            {"run_ms", std::move(times)},
                            {"compile_ms", std::move(compile)}};
}

static Error runAll() {
  llvm::json::Array results;
  for (const Case &what : getCases()) {
    if (!only.empty() && !llvm::is_contained(only, what.name.str()))
      continue;
    Expected<llvm::json::Object> result = Bench(what).run();
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(results)));
  return Error::success();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Times the emulator against loops\n");
  llvm::ExitOnError exitOnError("tc-bench-emulator: error: ");
  exitOnError(runAll());
}
