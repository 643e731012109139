//===- RunFaults.cpp - Runs with one thing wrong --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verdict is worth what it would have found. After a run that is verified,
// these run the program again with one launch or one barrier left out, and
// spoil its results, one thing at a time; each time the run must fail or the
// verdict must be another one.
//
//===----------------------------------------------------------------------===//

#include "Run/ProgramRun.h"
#include "Run/Verify.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace mlir;

namespace mlir::tc {

/// How far an element is moved, as a share of the largest one.
static constexpr double share = 0.02;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// An element that is finite, drawn evenly; nothing when there is none.
static std::optional<size_t> drawElement(const Array &array,
                                         std::mt19937_64 &random) {
  SmallVector<size_t> finite;
  for (auto [number, element] : llvm::enumerate(array.elements))
    if (element.isWritten() &&
        (array.isInteger || std::isfinite(std::abs(element.complex()))))
      finite.push_back(number);
  if (finite.empty())
    return std::nullopt;
  return finite[random() % finite.size()];
}

/// Moves an element of `array` by `share` of `scale`; false where its type has
/// no such number.
static bool moveElement(NumpyArray &array, size_t number, double scale) {
  auto before = llvm::to_vector(array.element(number));
  Array values = toReference(array);
  const Scalar &value = values.elements[number];
  if (values.isInteger) {
    double step = std::max(1.0, std::round(share * scale));
    setElement(array, number, double(value.integer) + step);
  } else {
    setElement(array, number, value.value + share * scale);
  }
  return ArrayRef<char>(before) != array.element(number);
}

/// Exchanges the smallest and the largest element; false where they are nearer
/// than what `moveElement` moves by.
static bool exchangeElements(NumpyArray &array, const Array &expected,
                             double scale) {
  size_t least = 0, most = 0;
  auto valueOf = [&](size_t number) {
    const Scalar &x = expected.elements[number];
    return expected.isInteger ? double(x.integer) : x.value;
  };
  for (size_t i = 0; i != expected.elements.size(); ++i) {
    if (!(std::isfinite(valueOf(i)) && expected.elements[i].isWritten()))
      continue;
    least = valueOf(i) < valueOf(least) ? i : least;
    most = valueOf(i) > valueOf(most) ? i : most;
  }
  if (expected.elements.empty() ||
      !(valueOf(most) - valueOf(least) > share * scale))
    return false;
  auto first = array.element(least), second = array.element(most);
  std::swap_ranges(first.begin(), first.end(), second.begin());
  return true;
}

void Runner::spoilResults(const Values &after, Outcome &outcome) {
  std::mt19937_64 random(options.seed);
  auto judge = [&](const llvm::Twine &fault, const Values &spoiled) {
    Outcome verdict;
    verify(spoiled, verdict);
    outcome.faults.push_back({fault.str(), !*verdict.verified});
  };
  for (auto [number, output] : llvm::enumerate(outputs)) {
    const Array &expected = after.expected[number];
    double scale = compare(expected, expected).scale;
    std::string name = "result" + std::to_string(number);
    Values moved = after, exchanged = after;
    if (auto element = drawElement(expected, random))
      if (scale > 0 && moveElement(moved.arguments[output], *element, scale))
        judge(name + " off by 2 % in an element", moved);
    if (exchangeElements(exchanged.arguments[output], expected, scale))
      judge("two elements of " + name + " exchanged", exchanged);
    for (size_t other = number + 1; other < outputs.size(); ++other) {
      Values swapped = after;
      NumpyArray &first = swapped.arguments[output];
      NumpyArray &second = swapped.arguments[outputs[other]];
      if (output == outputs[other] || first.type != second.type ||
          first.shape != second.shape || first.bytes == second.bytes)
        continue;
      std::swap(first.bytes, second.bytes);
      judge(name + " and result" + llvm::Twine(other) + " exchanged", swapped);
    }
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Is a line of PTX a barrier of the threads of a warp, block or cluster?
static bool isBarrier(StringRef line) {
  line = line.trim();
  if (line.starts_with("@"))
    line = line.split(' ').second.trim();
  return line.starts_with("bar.") || line.starts_with("barrier.");
}

/// Puts `instead` in the place of each barrier of kernel `number`, which is
/// counted down, among those that have any and more than one thread in a block.
/// Returns its name, empty where there are fewer such kernels.
static std::string replaceBarriers(std::string &ptx, StringRef instead,
                                   int64_t &number) {
  std::string text, name, found;
  bool isAlone = false, isCounted = false;
  for (StringRef line : llvm::split(StringRef(ptx), '\n')) {
    auto [before, entry] = line.split(".entry ");
    if (!entry.empty()) {
      name = entry.take_until([](char c) { return c == '('; }).str();
      isAlone = isCounted = false;
    }
    isAlone |= line.trim() == ".maxntid 1, 1, 1";
    if (isBarrier(line) && !isAlone) {
      if (!std::exchange(isCounted, true) && number-- == 0)
        found = name;
      if (!found.empty() && found == name)
        line = instead;
    }
    (text += line) += '\n';
  }
  ptx = std::move(text);
  return found;
}

/// The same for the kernels of `module`, in a copy; null where there are fewer.
static OwningOpRef<ModuleOp> replaceBarriers(ModuleOp module, StringRef instead,
                                             int64_t number,
                                             std::string &kernel) {
  OwningOpRef<ModuleOp> changed = module.clone();
  MLIRContext *context = module.getContext();
  changed->walk([&](gpu::BinaryOp binary) {
    SmallVector<Attribute> objects;
    for (Attribute attribute : binary.getObjects()) {
      auto object = cast<gpu::ObjectAttr>(attribute);
      std::string text = object.getObject().getValue().str();
      std::string name = replaceBarriers(text, instead, number);
      if (!name.empty())
        kernel = name;
      objects.push_back(
          gpu::ObjectAttr::get(context, object.getTarget(), object.getFormat(),
                               StringAttr::get(context, text),
                               object.getProperties(), object.getKernels()));
    }
    binary.setObjectsAttr(ArrayAttr::get(context, objects));
  });
  return number < 0 ? std::move(changed) : nullptr;
}

/// Runs what is loaded on `values`, without that launch (with all below 0), and
/// closes it after a fault.
Runner::Effect Runner::runFaulty(LoadedCode &loaded, int64_t launch,
                                 Values values, const Values &after) {
  loaded.device->leaveOutLaunch(launch);
  Outcome verdict;
  llvm::Error error = call(*loaded.code, *loaded.device, values, verdict);
  loaded.device->leaveOutLaunch(-1);
  if (error) {
    llvm::consumeError(std::move(error));
    loaded.close();
    return Effect::caught;
  }
  verify(values, verdict);
  if (!*verdict.verified)
    return Effect::caught;
  bool isSame = llvm::all_of(outputs, [&](unsigned output) {
    return values.arguments[output].bytes == after.arguments[output].bytes;
  });
  return isSame ? Effect::none : Effect::missed;
}

/// A launch whose absence leaves every bit of the results as it was is none
/// that a verdict on results could miss.
llvm::Error Runner::leaveOutLaunches(const Values &before, const Values &after,
                                     int64_t launches, Outcome &outcome) {
  LoadedCode loaded;
  for (int64_t launch = 0; launch != launches; ++launch) {
    if (!loaded.device)
      if (llvm::Error error = loaded.open(*result.compilation.module, options))
        return error;
    Effect effect = runFaulty(loaded, launch, before, after);
    if (effect != Effect::none)
      outcome.faults.push_back(
          {"launch " + std::to_string(launch) + " left out",
           effect == Effect::caught});
  }
  return llvm::Error::success();
}

/// All barriers of a kernel at once: LLVM unrolls loops, and not each copy of a
/// barrier is needed.
llvm::Error Runner::leaveOutBarriers(const Values &before, const Values &after,
                                     Outcome &outcome) {
  ModuleOp module = *result.compilation.module;
  for (int64_t number = 0;; ++number) {
    std::string kernel;
    OwningOpRef<ModuleOp> without = replaceBarriers(module, "", number, kernel);
    if (!without)
      return llvm::Error::success();
    LoadedCode loaded;
    if (llvm::Error error = loaded.open(*without, options))
      return error;
    Effect effect = runFaulty(loaded, /*launch=*/-1, before, after);
    if (effect != Effect::caught) {
      // A run that comes to none of them (of another variant, in a loop without
      // iterations) does not have this fault.
      OwningOpRef<ModuleOp> trap =
          replaceBarriers(module, "trap;", number, kernel);
      if (llvm::Error error = loaded.open(*trap, options))
        return error;
      if (runFaulty(loaded, /*launch=*/-1, before, after) != Effect::caught)
        continue;
    }
    outcome.faults.push_back(
        {"barriers of " + kernel + " left out", effect == Effect::caught});
  }
}

llvm::Error Runner::runFaults(const Values &before, const Values &after,
                              int64_t launches, Outcome &outcome) {
  spoilResults(after, outcome);
  if (llvm::Error error = leaveOutLaunches(before, after, launches, outcome))
    return error;
  return leaveOutBarriers(before, after, outcome);
}

} // namespace mlir::tc
