//===- ChooseKnobs.cpp - The options of a script's knobs ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/TransformOps/Passes.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::transform;

namespace mlir::tc {
#define GEN_PASS_DEF_CHOOSEKNOBS
#include "tc/TransformOps/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// What a script leaves open.
struct Knob {
  Operation *op;
  StringRef name;
  SmallVector<std::string> options;
  std::function<void(unsigned)> choose;
};
} // namespace

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

static Knob describe(tune::KnobOp op) {
  auto list = dyn_cast<ArrayAttr>(op.getOptions());
  auto options =
      list ? llvm::to_vector(list) : SmallVector<Attribute>{op.getOptions()};
  return {
      op, op.getName(), llvm::map_to_vector(options, print),
      [=](unsigned number) mutable { op.setSelectedAttr(options[number]); }};
}

static Knob describe(tune::AlternativesOp op) {
  Knob knob{op, op.getName(), {}, {}};
  for (unsigned number = 0; number < op.getAlternatives().size(); ++number)
    knob.options.push_back("region " + std::to_string(number));
  knob.choose = [=](unsigned number) mutable {
    op.setSelectedRegionAttrAttr(
        IntegerAttr::get(IndexType::get(op.getContext()), number));
  };
  return knob;
}

static SmallVector<Knob> findKnobs(Operation *root) {
  SmallVector<Knob> knobs;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tune::KnobOp knob) { knobs.push_back(describe(knob)); })
        .Case([&](tune::AlternativesOp knob) {
          // What a parameter selects is no choice of the script's user.
          if (!knob.getSelectedRegionParam())
            knobs.push_back(describe(knob));
        });
  });
  return knobs;
}

namespace {
struct ChooseKnobsPass : tc::impl::ChooseKnobsBase<ChooseKnobsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Knob> found = findKnobs(getOperation());
    llvm::StringMap<unsigned> choices;
    for (StringRef choice : knobs)
      if (failed(addChoice(choice, found, choices)))
        return signalPassFailure();
    for (Knob &knob : found) {
      if (list)
        for (auto [number, option] : llvm::enumerate(knob.options))
          knob.op->emitRemark("knob '")
              << knob.name << "', option " << number << ": " << option;
      auto chosen = choices.find(knob.name);
      if (chosen == choices.end())
        continue;
      if (chosen->second >= knob.options.size()) {
        knob.op->emitError("expected an option of knob '")
            << knob.name << "' from 0 to " << knob.options.size() - 1
            << ", found " << chosen->second;
        return signalPassFailure();
      }
      knob.choose(chosen->second);
    }
  }

private:
  /// Reads NAME=NUMBER.
  LogicalResult addChoice(StringRef text, ArrayRef<Knob> found,
                          llvm::StringMap<unsigned> &choices) {
    auto [name, number] = text.rsplit('=');
    unsigned chosen;
    if (number.getAsInteger(10, chosen))
      return getOperation()->emitError(
                 "expected NAME=NUMBER for a knob, found '")
             << text << "'";
    if (llvm::none_of(found,
                      [&](const Knob &knob) { return knob.name == name; }))
      return getOperation()->emitError("expected a knob of the script, found '")
             << name << "'";
    choices[name] = chosen;
    return success();
  }
};
} // namespace
