//===- KeepLoads.cpp - Loads of shared memory stay where they are ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Speculated loads] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Analysis/SliceWalk.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_KEEPLOADS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Extends or shortens an integer.
static bool isCast(Operation *op) {
  return isa_and_nonnull<LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp>(op);
}

static bool isInSharedMemory(Value address) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  return type &&
         type.getAddressSpace() == unsigned(NVVM::NVVMMemorySpace::Shared);
}

/// The least and the most that an index can be. No index is negative.
static std::pair<int64_t, int64_t> getRange(Value index) {
  Operation *op = index.getDefiningOp();
  if (isCast(op))
    return getRange(op->getOperand(0));
  // An attribute of special registers. They infer ranges that are one larger.
  for (NamedAttribute named : op ? op->getAttrs() : ArrayRef<NamedAttribute>())
    if (auto range = dyn_cast<LLVM::ConstantRangeAttr>(named.getValue()))
      return {range.getLower().getZExtValue(),
              range.getUpper().getZExtValue() - 1};
  return {0, std::numeric_limits<int64_t>::max()};
}

/// Does one side of the comparison leave one number for the index, which is one
/// of its operands, where the other is a constant?
static bool pinsIndex(LLVM::ICmpOp comparison, Value index) {
  using Predicate = LLVM::ICmpPredicate;
  bool isLeft = comparison.getLhs() == index;
  APInt constant;
  if (!matchPattern(isLeft ? comparison.getRhs() : comparison.getLhs(),
                    m_ConstantInt(&constant)))
    return false;
  int64_t bound = constant.getSExtValue();
  auto [least, most] = getRange(index);
  switch (comparison.getPredicate()) {
  case Predicate::eq:
  case Predicate::ne:
    return true;
  case Predicate::slt:
  case Predicate::ult:
  case Predicate::sge:
  case Predicate::uge:
    // The constant is among the greater ones if it is on the right.
    return isLeft ? bound == least + 1 || bound == most
                  : bound == least || bound == most - 1;
  case Predicate::sle:
  case Predicate::ule:
  case Predicate::sgt:
  case Predicate::ugt:
    return isLeft ? bound == least || bound == most - 1
                  : bound == least + 1 || bound == most;
  }
  llvm_unreachable("all predicates are handled");
}

/// Is the index a number that LLVM knows, there where a comparison decides?
static bool isPinned(Value index) {
  auto [least, most] = getRange(index);
  return least == most || llvm::any_of(index.getUsers(), [&](Operation *user) {
           if (auto comparison = dyn_cast<LLVM::ICmpOp>(user))
             return pinsIndex(comparison, index);
           return isCast(user) && isPinned(user->getResult(0));
         });
}

/// May LLVM know, somewhere, which number `index` is? Then it is a constant, is
/// compared with one, counts a loop that may be unrolled, or is computed from
/// such values.
static bool mayBeKnown(Value index) {
  WalkContinuation walk = walkSlice(index, [](Value value) {
    if (matchPattern(value, m_Constant()) || isPinned(value))
      return WalkContinuation::skip();
    if (std::optional<SmallVector<Value>> sources =
            getControlFlowPredecessors(value))
      return WalkContinuation::advanceTo(*sources);
    Operation *op = value.getDefiningOp();
    if (op && op->getNumOperands() != 0 && isPure(op))
      return WalkContinuation::advanceTo(op->getOperands());
    return WalkContinuation::interrupt();
  });
  return !walk.wasInterrupted();
}

/// What a descriptor of a buffer has where the value is taken out of it.
static Value lookThroughDescriptors(Value value) {
  while (auto extract = value.getDefiningOp<LLVM::ExtractValueOp>()) {
    Value from = extract.getContainer();
    auto insert = from.getDefiningOp<LLVM::InsertValueOp>();
    while (insert && insert.getPosition() != extract.getPosition())
      insert = insert.getContainer().getDefiningOp<LLVM::InsertValueOp>();
    if (!insert)
      break;
    value = insert.getValue();
  }
  return value;
}

/// May LLVM know where in its buffer the store goes? It does also where the
/// buffer has room for one such value.
static bool mayPlaceBeKnown(LLVM::StoreOp store, const DataLayout &layout,
                            SymbolTableCollection &symbols) {
  Value address = lookThroughDescriptors(store.getAddr());
  bool isKnown = true;
  while (auto element = address.getDefiningOp<LLVM::GEPOp>()) {
    isKnown &= llvm::all_of(element.getDynamicIndices(), mayBeKnown);
    address = lookThroughDescriptors(element.getBase());
  }
  if (isKnown)
    return true;
  auto buffer = address.getDefiningOp<LLVM::AddressOfOp>();
  LLVM::GlobalOp global = buffer ? buffer.getGlobal(symbols) : LLVM::GlobalOp();
  return global && layout.getTypeSize(global.getType()) ==
                       layout.getTypeSize(store.getValue().getType());
}

/// Makes the address one of which LLVM does not know what it is.
static void hideAddress(LLVM::StoreOp store) {
  OpBuilder builder(store);
  Location loc = store.getLoc();
  Value none = LLVM::ZeroOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()));
  Value line = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
  Value hidden = LLVM::PtrAnnotation::create(
      builder, loc, store.getAddr().getType(), store.getAddr(),
      /*annotation=*/none, /*fileName=*/none, line, /*attr=*/none);
  store.getAddrMutable().assign(hidden);
}

static void forbidSpeculation(LLVM::LLVMFuncOp function) {
  Builder builder(function);
  auto keep = builder.getStringAttr("sanitize_thread");
  SmallVector<Attribute> passed;
  if (ArrayAttr known = function.getPassthroughAttr())
    llvm::append_range(passed, known);
  if (!llvm::is_contained(passed, keep))
    passed.push_back(keep);
  function.setPassthroughAttr(builder.getArrayAttr(passed));
}

namespace {
struct KeepLoadsPass : tc::impl::KeepLoadsBase<KeepLoadsPass> {
  void runOnOperation() override {
    DataLayout layout = DataLayout::closest(getOperation());
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      forbidSpeculation(function);
      function.walk([&](LLVM::StoreOp store) {
        if (isInSharedMemory(store.getAddr()) &&
            mayPlaceBeKnown(store, layout, symbols))
          hideAddress(store);
      });
    }
  }
};
} // namespace

// Note [Speculated loads]
// ~~~~~~~~~~~~~~~~~~~~~~~
// Workgroup memory is a global of known size, so LLVM knows that a load from a
// constant place in it does not fault, and moves it out of branches and loops
// to where every thread executes it. What it reads there nobody uses; but
// between two barriers another thread may be writing, and by PTX's memory
// model, and for every tool that looks for races, this is one.
//
// The attribute `sanitize_thread` has LLVM speculate no load for just this
// reason; no pass of the sanitizer itself runs. One transformation does not
// ask: LICM keeps in a register what a loop loads from and stores to one place,
// and loads it before the loop, in every thread. It has to see that the place
// does not fault, which it sees of constant offsets only: those of a buffer of
// one element, or in the branch of one thread. The address of such a store goes
// through `llvm.ptr.annotation`, which LLVM's analyses do not look through and
// its instruction selection drops. Other stores, and loads, are as they were.
