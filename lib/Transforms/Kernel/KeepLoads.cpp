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

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_KEEPLOADS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

static bool isInSharedMemory(Value address) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  return type &&
         type.getAddressSpace() == unsigned(NVVM::NVVMMemorySpace::Shared);
}

/// Does one side of the comparison leave one value for what is compared with a
/// constant, given that it is not negative?
static bool pinsOperand(LLVM::ICmpOp comparison) {
  using Predicate = LLVM::ICmpPredicate;
  APInt bound;
  if (!matchPattern(comparison.getRhs(), m_ConstantInt(&bound)))
    return false;
  switch (comparison.getPredicate()) {
  case Predicate::eq:
  case Predicate::ne:
    return true;
  case Predicate::slt:
  case Predicate::ult:
  case Predicate::sge:
  case Predicate::uge:
    return bound.isOne();
  default:
    return bound.isZero();
  }
}

namespace {
/// What LLVM may know about addresses in one function.
class KnownPlaces {
public:
  explicit KnownPlaces(const DataLayout &layout) : layout(layout) {}

  bool contains(LLVM::StoreOp store);

private:
  bool mayBeKnown(Value value);

  const DataLayout &layout;
  SymbolTableCollection symbols;
  DenseMap<Value, bool> known;
};
} // namespace

/// May LLVM know, somewhere, which number `value` is? Then it is a constant, is
/// compared with one, or is computed from such values.
bool KnownPlaces::mayBeKnown(Value value) {
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool isPinned = llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto comparison = dyn_cast<LLVM::ICmpOp>(user);
    return comparison && comparison.getLhs() == value &&
           pinsOperand(comparison);
  });
  Operation *op = value.getDefiningOp();
  bool isComputed = op && op->getNumOperands() != 0 && isPure(op) &&
                    llvm::all_of(op->getOperands(), [&](Value operand) {
                      return mayBeKnown(operand);
                    });
  return known[value] =
             isPinned || isComputed || matchPattern(value, m_Constant());
}

/// May LLVM know where in its buffer the store goes? It does also where the
/// buffer has room for one such value.
bool KnownPlaces::contains(LLVM::StoreOp store) {
  Value address = store.getAddr();
  bool isKnown = true;
  while (auto element = address.getDefiningOp<LLVM::GEPOp>()) {
    for (Value index : element.getDynamicIndices())
      isKnown &= mayBeKnown(index);
    address = element.getBase();
  }
  auto buffer = address.getDefiningOp<LLVM::AddressOfOp>();
  LLVM::GlobalOp global = buffer ? buffer.getGlobal(symbols) : LLVM::GlobalOp();
  return global &&
         (isKnown || layout.getTypeSize(global.getType()) ==
                         layout.getTypeSize(store.getValue().getType()));
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
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      forbidSpeculation(function);
      KnownPlaces places(layout);
      function.walk([&](LLVM::StoreOp store) {
        if (isInSharedMemory(store.getAddr()) && places.contains(store))
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
