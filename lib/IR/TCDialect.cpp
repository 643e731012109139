//===- TCDialect.cpp - The tc dialect -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interfaces.h"
#include "Rules.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::tc;

#include "tc/IR/TCDialect.cpp.inc"
#include "tc/IR/TCEnums.cpp.inc"

namespace {
/// Every tc op may be inlined; a region moves with its op.
struct TCInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TCDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tc/IR/TCOps.cpp.inc"
      >();
  addInterfaces<TCInlinerInterface>();
  attachContractBufferization(*getContext());
  attachTiling(*getContext());
}

LogicalResult TCDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned argument,
                                                  NamedAttribute attribute) {
  if (attribute.getName() != getNominalName()) // argument_attribute
    return op->emitError("expected no attribute '")
           << attribute.getName().getValue() << "' of an argument";
  // A declaration has no region.
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto shaped =
      function ? dyn_cast<ShapedType>(function.getArgumentTypes()[argument])
               : ShapedType();
  auto sizes = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (!sizes || !shaped || !shaped.hasRank() ||
      sizes.size() != shaped.getRank() ||
      llvm::any_of(sizes.asArrayRef(), // nominal_attribute
                   [](int64_t size) { return size < 0; }))
    return op->emitError("expected attribute '")
           << attribute.getName().getValue()
           << "' to be an integer from 0 on for each dimension of a memref or "
              "tensor, got "
           << attribute.getValue();
  return success();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringAttr name = attribute.getName();
  auto expect = [&](bool holds, StringRef what) -> LogicalResult {
    if (holds)
      return success();
    return op->emitError("expected attribute '")
           << name.getValue() << "' to be " << what << ", got "
           << attribute.getValue();
  };
  if (name == getOverrunAttrHelper().getName()) // overrun_attribute
    return expect(isa<ContractOp>(op) && isa<UnitAttr>(attribute.getValue()),
                  "a unit attribute of a contraction");
  if (name == getVectorsAttrHelper().getName()) // vectors_attribute
    return expect(isa<ContractOp>(op) &&
                      isa<DenseI64ArrayAttr>(attribute.getValue()),
                  "numbers of operands of a contraction");
  if (name == getHostScheduleAttrHelper().getName()) // host_schedule_attribute
    return expect(isa<ContractOp>(op) &&
                      isa<HostScheduleAttr>(attribute.getValue()),
                  "a #tc.host_schedule of a contraction");
  if (name == getDistinctAttrHelper().getName() || // distinct_attribute
      name == getAssociativeAttrHelper().getName() ||
      name == getCommutativeAttrHelper().getName()) // contract_law_attribute
    return expect(isa<UnitAttr>(attribute.getValue()), "a unit attribute");
  if (name == getNeutralAttrHelper().getName()) { // contract_neutral_attribute
    auto values = dyn_cast<ArrayAttr>(attribute.getValue());
    auto isConstant = [](Attribute value) {
      auto typed = dyn_cast<TypedAttr>(value);
      return typed && isNumber(typed.getType());
    };
    return expect(values && llvm::all_of(values, isConstant),
                  "a list of scalar constants");
  }
  if (name ==
      getPrecisionAttrHelper().getName()) // contract_precision_attribute
    return expect(isa<PrecisionAttr>(attribute.getValue()),
                  "a #tc<precision ...>");
  if (name == getFlattenAttrHelper().getName()) // flatten_attribute
    return expect(isa<ParOp>(op) && isa<LevelAttr>(attribute.getValue()),
                  "a #tc<level ...> of a tc.par");
  if (name == getIndependentAttrHelper().getName()) // independent_attribute
    return expect(isa<SeqOp, scf::ForOp>(op) &&
                      isa<UnitAttr>(attribute.getValue()),
                  "a unit attribute of a loop");
  if (name == getProgrammaticAttrHelper().getName()) // programmatic_attribute
    return expect(isa<gpu::LaunchFuncOp>(op) &&
                      isa<UnitAttr>(attribute.getValue()),
                  "a unit attribute of a gpu.launch_func");
  if (name == getThresholdAttrHelper().getName()) { // threshold_attribute
    auto limit = dyn_cast<IntegerAttr>(attribute.getValue());
    return expect(isa<memref::GlobalOp>(op) && limit &&
                      limit.getType().isInteger(64) && limit.getInt() >= 0,
                  "an i64 of at least 0 on a memref.global");
  }
  if (name == getResidentAttrHelper().getName()) { // resident_attribute
    auto isCount = [](Attribute value) {
      auto number = dyn_cast<IntegerAttr>(value);
      return number && number.getType().isInteger(32) && number.getInt() > 0;
    };
    auto isCountOfKernel = [&](NamedAttribute kernel) {
      return isCount(kernel.getValue());
    };
    auto byKernel = dyn_cast<DictionaryAttr>(attribute.getValue());
    return expect(byKernel ? llvm::all_of(byKernel, isCountOfKernel)
                           : isCount(attribute.getValue()),
                  "a number of blocks, or one for each kernel");
  }
  if (name == getVersionsAttrHelper().getName()) { // versions_attribute
    auto contract = dyn_cast<ContractOp>(op);
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    // Those with `most`, then those that split a sum, then others.
    std::tuple<bool, bool, int64_t> previous = {false, false, 0};
    // versions_order
    // versions_most_order
    auto rises = [&](Attribute value) {
      auto version = dyn_cast<VersionAttr>(value);
      if (!version || version.getTerms() < 0 || // versions_terms
          version.getFrom() < 0)
        return false;
      if (!version.getMost().empty())
        return !std::get<0>(previous);
      std::tuple<bool, bool, int64_t> next = {
          true, version.getSchedule().getSplit().empty(), version.getBelow()};
      return std::exchange(previous, next) < next;
    };
    if (failed(expect(contract && contract.getSchedule() && list &&
                          llvm::all_of(list, rises),
                      "a list of #tc.version on a contraction with a schedule: "
                      "those with 'most', those with a split, and others, both "
                      "by rising bounds")))
      return failure();
    for (auto version : list.getAsRange<VersionAttr>()) // versions_iterators
      if (failed(verifyVersion(contract, version)))
        return failure();
    return success();
  }
  if (name == getVariantAttrHelper().getName()) // variant_attribute
    return expect(isa<VariantAttr>(attribute.getValue()), "a #tc.variant");
  return expect(isa<MachineAttr>(attribute.getValue()), // machine_attribute
                "a #tc.machine");
}
