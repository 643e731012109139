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

#include "ProgramRun.h"
#include "Verify.h"

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

/// The bytes of an element.
static MutableArrayRef<char> elementOf(NumpyArray &array, size_t number) {
  size_t bytes = bytesOf(array.type);
  return MutableArrayRef<char>(array.bytes).slice(number * bytes, bytes);
}

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
  std::vector<char> before(elementOf(array, number).begin(),
                           elementOf(array, number).end());
  Array values = toReference(array);
  const Scalar &value = values.elements[number];
  if (values.isInteger) {
    double step = std::max(1.0, std::round(share * scale));
    setElement(array, number, double(value.integer) + step);
  } else {
    setElement(array, number, value.value + share * scale);
  }
  return ArrayRef<char>(before) != elementOf(array, number);
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
  auto first = elementOf(array, least), second = elementOf(array, most);
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

/// Does a line of PTX have an instruction whose name begins so?
static bool isInstruction(StringRef line, StringRef name) {
  line = line.trim();
  if (line.starts_with("@"))
    line = line.split(' ').second.trim();
  return line.starts_with(name);
}

/// The text of a kernel module with `instead` in the place of barrier `number`,
/// counted down to below 0 when it is found; those of a cluster are an arrival
/// and a wait.
static std::string replaceBarrier(StringRef ptx, StringRef instead,
                                  int64_t &number) {
  std::string text;
  bool leavesWait = false;
  for (StringRef line : llvm::split(ptx, '\n')) {
    bool isWait = isInstruction(line, "barrier.cluster.wait");
    bool isBarrier = !isWait && (isInstruction(line, "bar.") ||
                                 isInstruction(line, "barrier."));
    bool isFound = isBarrier && number-- == 0;
    if (isFound || (isWait && leavesWait)) {
      leavesWait = isFound && line.contains("cluster");
      line = isFound ? instead : "";
    }
    (text += line) += '\n';
  }
  return text;
}

/// The same for all kernels of `module`; null when there are fewer barriers.
static OwningOpRef<ModuleOp> replaceBarrier(ModuleOp module, StringRef instead,
                                            int64_t number) {
  OwningOpRef<ModuleOp> changed = module.clone();
  MLIRContext *context = module.getContext();
  changed->walk([&](gpu::BinaryOp binary) {
    SmallVector<Attribute> objects;
    for (Attribute attribute : binary.getObjects()) {
      auto object = cast<gpu::ObjectAttr>(attribute);
      std::string text =
          replaceBarrier(object.getObject().getValue(), instead, number);
      objects.push_back(
          gpu::ObjectAttr::get(context, object.getTarget(), object.getFormat(),
                               StringAttr::get(context, text),
                               object.getProperties(), object.getKernels()));
    }
    binary.setObjectsAttr(ArrayAttr::get(context, objects));
  });
  return number < 0 ? std::move(changed) : nullptr;
}

/// Does a run of `module` on `values` fail, or the verdict on it? It is without
/// that launch (with all below 0), on a device of its own, since a fault of a
/// kernel stays with a device.
llvm::Expected<bool> Runner::isCaught(ModuleOp module, int64_t launch,
                                      Values values) {
  auto device = Device::open(options.device, options.library);
  if (!device)
    return device.takeError();
  llvm::Expected<HostCode> code =
      HostCode::compile(module, (*device)->library());
  if (!code)
    return code.takeError();
  (*device)->leaveOutLaunch(launch);
  Outcome verdict;
  llvm::Error error = call(*code, **device, values, verdict);
  (*device)->leaveOutLaunch(-1);
  if (error) {
    llvm::consumeError(std::move(error));
    return true;
  }
  verify(values, verdict);
  return !verdict.verified.value_or(true);
}

llvm::Error Runner::leaveOutLaunches(const Values &before, int64_t launches,
                                     Outcome &outcome) {
  for (int64_t launch = 0; launch != launches; ++launch) {
    llvm::Expected<bool> caught =
        isCaught(*result.compilation.module, launch, before);
    if (!caught)
      return caught.takeError();
    outcome.faults.push_back(
        {"launch " + std::to_string(launch) + " left out", *caught});
  }
  return llvm::Error::success();
}

llvm::Error Runner::leaveOutBarriers(const Values &before, Outcome &outcome) {
  ModuleOp module = *result.compilation.module;
  for (int64_t barrier = 0;; ++barrier) {
    OwningOpRef<ModuleOp> without = replaceBarrier(module, "", barrier);
    if (!without)
      return llvm::Error::success();
    llvm::Expected<bool> caught = isCaught(*without, /*launch=*/-1, before);
    if (!caught)
      return caught.takeError();
    if (!*caught) {
      // A barrier that the run does not come to (of another variant, of a loop
      // without iterations) is no fault of the run.
      OwningOpRef<ModuleOp> trap = replaceBarrier(module, "trap;", barrier);
      llvm::Expected<bool> isReached = isCaught(*trap, /*launch=*/-1, before);
      if (!isReached)
        return isReached.takeError();
      if (!*isReached)
        continue;
    }
    outcome.faults.push_back(
        {"barrier " + std::to_string(barrier) + " left out", *caught});
  }
}

llvm::Error Runner::runFaults(const Values &before, const Values &after,
                              int64_t launches, Outcome &outcome) {
  spoilResults(after, outcome);
  if (llvm::Error error = leaveOutLaunches(before, launches, outcome))
    return error;
  return leaveOutBarriers(before, outcome);
}

} // namespace mlir::tc
