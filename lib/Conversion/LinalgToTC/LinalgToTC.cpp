//===- LinalgToTC.cpp - The pass convert-linalg-to-tc ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC/LinalgToTC.h"
#include "tc/Conversion/Passes.h"
#include "tc/IR/ContractDefaults.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTLINALGTOTC
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// What can be converted
//===----------------------------------------------------------------------===//

static AffineMap getResultMap(linalg::LinalgOp op, unsigned i = 0) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(i));
}

static bool isSparse(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding();
}

/// Do all results vary with the same iterators?
static bool haveOneSpace(linalg::LinalgOp op) {
  for (unsigned o = 1, e = op.getNumDpsInits(); o < e; ++o)
    for (unsigned i = 0, n = op.getNumLoops(); i < n; ++i)
      if (ContractOp::variesWith(getResultMap(op), i) !=
          ContractOp::variesWith(getResultMap(op, o), i))
        return false;
  return true;
}

/// Checks all but the body; says why not.
static LogicalResult checkOp(linalg::LinalgOp op, std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    return failure();
  };
  if (op.getNumDpsInits() == 0)
    return fail("it has no result");
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return fail("it has tensors and memrefs");
  if (llvm::any_of(op->getOperandTypes(), isSparse))
    return fail("it has tensors with an encoding");
  if (!llvm::all_of(op.getBlock()->getArgumentTypes(), isNumber))
    return fail("its elements are neither integers, floats nor complex");
  if (!llvm::all_of(op.getIndexingMapsArray(), ContractOp::isLinear))
    return fail("it has subscripts that are not linear in the iterators");
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    if (!ContractOp::isInjective(getResultMap(op, i)))
      return fail("several points of its result space may reach one element");
  if (!haveOneSpace(op))
    return fail("its results do not vary with the same iterators");
  return success();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Letters from a for result iterators, from q for contracted ones, in the
/// order of the loops; after p and z they start again with a number.
static SmallVector<std::string> nameIterators(AffineMap resultMap) {
  SmallVector<std::string> names;
  unsigned numResult = 0, numContracted = 0;
  for (unsigned i = 0, e = resultMap.getNumDims(); i < e; ++i) {
    bool contracted = !ContractOp::variesWith(resultMap, i);
    char first = contracted ? 'q' : 'a';
    unsigned letters = contracted ? 10 : 16;
    unsigned n = contracted ? numContracted++ : numResult++;
    std::string name(1, char(first + n % letters));
    names.push_back(n < letters ? name
                                : name + "_" + std::to_string(n / letters));
  }
  return names;
}

/// Dimension `d` of `value`, asked of what it was written over.
static OpFoldResult getDimension(IRRewriter &rewriter, Location loc,
                                 Value value, int64_t d) {
  value = findOrigin(value);
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[d];
  return linalg::createFoldedDimOp(rewriter, loc, value, d);
}

/// The extent of iterator `i`: where an operand has it as a dimension, of
/// static size if there is one. Results come first, so that it is seen that all
/// of them is written.
static FailureOr<OpFoldResult> getExtent(IRRewriter &rewriter,
                                         linalg::LinalgOp op, unsigned i) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &init : op.getDpsInitsMutable())
    operands.push_back(&init);
  llvm::append_range(operands, op.getDpsInputOperands());
  AffineExpr iterator = rewriter.getAffineDimExpr(i);
  std::optional<std::pair<Value, int64_t>> dynamic;
  for (OpOperand *operand : operands)
    for (auto [d, subscript] :
         llvm::enumerate(op.getMatchingIndexingMap(operand).getResults())) {
      if (subscript != iterator)
        continue;
      int64_t size = op.getShape(operand)[d];
      if (!ShapedType::isDynamic(size))
        return OpFoldResult(rewriter.getIndexAttr(size));
      if (!dynamic)
        dynamic = {operand->get(), int64_t(d)};
    }
  if (!dynamic)
    return failure();
  return getDimension(rewriter, op.getLoc(), dynamic->first, dynamic->second);
}

/// The contraction that `op` is, without regions.
static FailureOr<ContractOp> buildContract(IRRewriter &rewriter,
                                           linalg::LinalgOp op,
                                           const ScalarBody &body,
                                           ValueRange outs, bool overwrite) {
  SmallVector<std::string> names = nameIterators(getResultMap(op));
  SmallVector<StringRef> iterators(names.begin(), names.end());
  SmallVector<OpFoldResult> extents;
  for (unsigned i = 0, e = op.getNumLoops(); i < e; ++i) {
    FailureOr<OpFoldResult> extent = getExtent(rewriter, op, i);
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned input : body.inputs) {
    OpOperand *operand = op.getDpsInputOperand(input);
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    maps.push_back(getResultMap(op, i));
  return ContractOp::create(rewriter, op.getLoc(), iterators, extents, inputs,
                            /*sides=*/ValueRange(), outs, maps, overwrite);
}

namespace {
/// How accumulation starts: from fills that go away, or from old results.
struct Start {
  SmallVector<linalg::FillOp> fills; ///< one for each result, or none
  SmallVector<TypedAttr> values;     ///< neutral elements, or what is filled in
  SmallVector<TypedAttr> joined;     ///< filled in, to be combined in the end
  /// The laws that the op claims cannot be used: it has no neutral element.
  bool lacksNeutral = false;
  Laws laws;
};
} // namespace

static Laws getLaws(linalg::LinalgOp op) {
  auto *dialect = op->getContext()->getLoadedDialect<TCDialect>();
  Laws laws;
  laws.associative = dialect->getAssociativeAttrHelper().isAttrPresent(op);
  laws.commutative = dialect->getCommutativeAttrHelper().isAttrPresent(op);
  if (ArrayAttr neutral = dialect->getNeutralAttrHelper().getAttr(op))
    for (Attribute value : neutral)
      laws.neutral.push_back(cast<TypedAttr>(value));
  return laws;
}

static SmallVector<Type> getResultElements(linalg::LinalgOp op) {
  return llvm::map_to_vector(op.getDpsInits(), [](Value init) {
    return getElementTypeOrSelf(init.getType());
  });
}

/// Are the neutral elements that the user gave those of the results, and is
/// what is mapped of the same types? Then parts can be combined with each
/// other.
static bool fitsLaws(linalg::LinalgOp op, const ScalarBody &body,
                     const Laws &laws) {
  auto typeOf = [](TypedAttr value) { return value.getType(); };
  return llvm::map_to_vector(laws.neutral, typeOf) == getResultElements(op) &&
         llvm::equal(llvm::make_second_range(body.mapped), body.accumulators);
}

/// `value` as a number of `type`, which is the same or a wider one.
static TypedAttr widen(TypedAttr value, Type type) {
  if (value.getType() == type)
    return value;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat wide = number.getValue();
    bool losesInfo;
    wide.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(type, wide);
  }
  APInt number = cast<IntegerAttr>(value).getValue();
  return IntegerAttr::get(type, number.sext(type.getIntOrFloatBitWidth()));
}

static Start chooseStart(linalg::LinalgOp op, const ScalarBody &body) {
  Start start;
  SmallVector<linalg::FillOp> fills;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    if (linalg::FillOp fill = findFill(op, i))
      fills.push_back(fill);
  bool filled = fills.size() == size_t(op.getNumDpsInits());
  auto fillValues = llvm::map_to_vector(fills, getFillValue);
  if (!body.accumulates) {
    if (filled)
      start.fills = fills;
    return start;
  }
  if (!body.joins.empty()) {
    bool serves = filled;
    for (unsigned i = 0; serves && i < fills.size(); ++i)
      serves = body.mayStartFrom(i, fillValues[i]);
    start.values = serves ? fillValues : body.getNeutral();
  } else {
    start.laws = getLaws(op);
    if (start.laws.associative && !fitsLaws(op, body, start.laws)) {
      start.lacksNeutral = true;
      start.laws = {};
    }
    // In order, any value will do to start from.
    if (start.laws.associative) {
      start.values = start.laws.neutral;
    } else if (filled) {
      start.values = fillValues;
    } else {
      start.values = llvm::map_to_vector(getResultElements(op), getZero);
    }
  }
  if (filled) {
    start.fills = fills;
    if (start.values != fillValues)
      start.joined = fillValues;
  }
  for (auto [value, type] : llvm::zip_equal(start.values, body.accumulators))
    value = widen(value, type);
  return start;
}

/// An epilogue that combines what was filled in with the rest.
static void joinFills(IRRewriter &rewriter, ArrayRef<TypedAttr> fills,
                      ContractOp contract) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = contract.getLoc();
  SmallVector<Type> types = contract.getAccumulatorTypes();
  SmallVector<Location> locations(types.size(), loc);
  Block *block =
      rewriter.createBlock(&contract.getEpilogue(), {}, types, locations);
  SmallVector<Value> values = llvm::map_to_vector(
      fills, [&](TypedAttr fill) { return buildNumber(rewriter, loc, fill); });
  SmallVector<Value> results = contract.buildCombine(
      rewriter, loc, contract.buildOld(rewriter, loc, values),
      block->getArguments());
  for (auto [i, result] : llvm::enumerate(results))
    result = convertNumber(rewriter, loc, result, contract.getElementType(i));
  YieldOp::create(rewriter, loc, results);
}

/// A copy or a sum whose result is narrow takes the accumulator of the field.
static void widenAccumulator(ContractOp contract) {
  if (contract.getAccumulator() == contract.getElementType())
    contract.removeAccumulatorAttr();
}

/// Gives `contract` the precision that `op` permits.
static void permitPrecision(linalg::LinalgOp op, ContractOp contract) {
  PrecisionAttr precision =
      TCDialect::PrecisionAttrHelper(op->getContext()).getAttr(op);
  if (!precision)
    return;
  if (contract.areProductsOfF32())
    return contract.setPrecisionAttr(precision);
  remark::missed(op.getLoc(), remark::RemarkOpts::name("PrecisionUnused")
                                  .category("convert-linalg-to-tc"))
      << remark::reason("tc.precision is for products of f32 or complex<f32>, "
                        "added in the same type");
}

/// Replaces `op`, and the fills before it where the contraction may start from
/// what was filled in.
static LogicalResult convert(IRRewriter &rewriter, linalg::LinalgOp op,
                             const ScalarBody &body, const Start &start) {
  SmallVector<Value> outs(op.getDpsInits());
  if (op.hasPureTensorSemantics())
    for (auto [i, fill] : llvm::enumerate(start.fills))
      outs[i] = linalg::FillOp(fill).getOutputs().front();
  rewriter.setInsertionPoint(op);
  FailureOr<ContractOp> built = buildContract(
      rewriter, op, body, outs, !start.fills.empty() || !body.accumulates);
  if (failed(built))
    return failure();
  buildRegions(rewriter, op, body, start.laws, start.values, *built);
  // Products may have been built again, of other factors. Failure says that
  // none was.
  std::ignore = runRegionDCE(rewriter, built->getMap());
  ContractOp contract = dropDefaultRegions(rewriter, *built);
  widenAccumulator(contract);
  permitPrecision(op, contract);
  if (!start.joined.empty())
    joinFills(rewriter, start.joined, contract);
  rewriter.replaceOp(op, contract.getResults());
  for (linalg::FillOp fill : start.fills)
    if (fill->use_empty())
      rewriter.eraseOp(fill);
  return success();
}

/// Do loops start from what is filled in (convert-indexed-to-loops)?
static bool isStartOfLoops(linalg::FillOp fill) {
  if (!fill.hasPureTensorSemantics() || !fill->hasOneUse() ||
      !getFillValue(fill))
    return false;
  auto user = dyn_cast<linalg::GenericOp>(*fill->user_begin());
  return user && user.hasIndexSemantics() && user.getNumReductionLoops() > 0 &&
         llvm::is_contained(user.getDpsInits(), fill.getResult(0));
}

namespace {
struct ConvertLinalgToTCPass
    : tc::impl::ConvertLinalgToTCBase<ConvertLinalgToTCPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    dropUnused();
    decompose(rewriter);
    readPositions(rewriter);
    auto isNoFill = [](linalg::LinalgOp op) {
      return !isa<linalg::FillOp>(op);
    };
    for (auto op : collectOps<linalg::LinalgOp>(getOperation(), isNoFill))
      convertOrExplain(rewriter, op);
    // What no contraction starts from, and no loop, is filled by a kernel of
    // its own.
    auto isOwn = [](linalg::FillOp fill) { return !isStartOfLoops(fill); };
    for (auto op : collectOps<linalg::FillOp>(getOperation(), isOwn))
      convertOrExplain(rewriter, op);
    getOperation().walk([&](Operation *op) {
      bool isOther = isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
                     !isa<linalg::LinalgOp>(op) &&
                     !isa_and_nonnull<linalg::LinalgOp>(op->getParentOp());
      if (isOther)
        explain(op, isa<linalg::SoftmaxOp>(op)
                        ? "it is taken apart on tensors alone"
                        : "it is no loop over its operands with a scalar body");
    });
  }

  /// Results of ops on tensors that nobody uses go, with what only they need:
  /// frontends compute the place of a maximum, too, where one asks for none.
  void dropUnused() {
    auto hasUnused = [](linalg::GenericOp op) {
      return llvm::any_of(op.getResults(),
                          [](Value result) { return result.use_empty(); });
    };
    SmallVector<Operation *> ops;
    llvm::append_range(
        ops, collectOps<linalg::GenericOp>(getOperation(), hasUnused));
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config; // nothing else is to change
    config.enableFolding(false).enableConstantCSE(false);
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    // Failure says that there was still something to do.
    std::ignore = applyOpPatternsGreedily(ops, std::move(patterns), config);
  }

  /// Ops that stand for several, into these.
  void decompose(IRRewriter &rewriter) {
    auto isOnTensors = [](linalg::SoftmaxOp op) {
      return op.hasPureTensorSemantics();
    };
    for (auto op : collectOps<linalg::SoftmaxOp>(getOperation(), isOnTensors)) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (succeeded(results))
        rewriter.replaceOp(op, *results);
    }
  }

  /// An op that chooses among elements and their positions asks for these by
  /// itself, where frontends give them as a tensor: only so it is known that
  /// they rise.
  void readPositions(IRRewriter &rewriter) {
    auto chooses = [](linalg::GenericOp op) {
      return op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0 &&
             op.getNumDpsInits() > 1;
    };
    for (auto op : collectOps<linalg::GenericOp>(getOperation(), chooses)) {
      SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
      auto *positions = llvm::find_if(inputs, [](OpOperand *input) {
        auto producer = input->get().getDefiningOp<linalg::GenericOp>();
        return producer && producer.getNumDpsInputs() == 0 &&
               producer.hasIndexSemantics() &&
               linalg::areElementwiseOpsFusable(input);
      });
      if (positions == inputs.end())
        continue;
      Operation *producer = (*positions)->get().getDefiningOp();
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, *positions);
      if (failed(fused))
        continue;
      for (Value result : op.getResults())
        rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
      rewriter.eraseOp(op);
      if (producer->use_empty())
        rewriter.eraseOp(producer);
    }
  }

  remark::RemarkOpts name(StringRef what) {
    return remark::RemarkOpts::name(what)
        .category(getArgument())
        .function(getOperation().getName());
  }

  void convertOrExplain(IRRewriter &rewriter, linalg::LinalgOp op) {
    std::string reason;
    FailureOr<ScalarBody> body = failure();
    if (succeeded(checkOp(op, reason)))
      body = matchBody(op, reason);
    if (succeeded(body)) {
      Start start = chooseStart(op, *body);
      Location loc = op.getLoc();
      bool keepsOrder = body->accumulates && body->joins.empty() &&
                        !start.laws.associative && op.getNumReductionLoops();
      StringRef opName = op->getName().getStringRef();
      if (succeeded(convert(rewriter, op, *body, start))) {
        if (keepsOrder)
          remark::missed(loc, name("OrderKept")) << remark::reason(
              "the terms of '{0}' are combined in order: {1}", opName,
              start.lacksNeutral
                  ? "tc.associative comes without tc.neutral, one for each "
                    "result and of its type"
                  : "its body joins old and new values by what is not known to "
                    "be associative, and does not say tc.associative");
        return;
      }
      reason = "an extent of it is no dimension of an operand";
    }
    explain(op, reason);
  }

  void explain(Operation *op, StringRef reason) {
    remark::missed(op->getLoc(), name("NotAContraction")) << remark::reason(
        "'{0}' is left as it is: {1}", op->getName().getStringRef(), reason);
  }
};
} // namespace
