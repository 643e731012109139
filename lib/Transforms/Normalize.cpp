//===- Normalize.cpp - One stride per iterator and operand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Algebra/LmadQueries.h"
#include "tc/Analysis/Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_NORMALIZE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// A contraction as a table: a row per iterator, a stride column per operand.
/// Strides and extents are kDynamic where only the run knows them.
struct Row {
  std::string name;
  OpFoldResult extent;
  int64_t staticExtent;
  bool contracted;
  SmallVector<int64_t> strides;
  SmallVector<int64_t> nominal;     ///< the same with estimates
  SmallVector<OpFoldResult> values; ///< the same as values
};
using Table = SmallVector<Row>;
} // namespace

static Table getTable(ContractOp op, const ContractAccess &access,
                      ArrayRef<Reach> reaches) {
  SmallVector<Access> operands;
  for (const auto &group : {access.inputs, access.sides, access.outputs})
    llvm::append_range(operands, group);
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  Table table;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    Row row{op.getIterator(i).str(),
            extents[i],
            access.extents[i],
            access.contracted[i],
            {},
            {},
            {}};
    for (auto [operand, reach] : llvm::zip_equal(operands, reaches)) {
      row.strides.push_back(operand.strides[i]);
      row.nominal.push_back(operand.nominal[i]);
      row.values.push_back(reach.strides[i]);
    }
    table.push_back(std::move(row));
  }
  return table;
}

/// Does walking `outer` and `inner` reach what walking one iterator reaches?
static bool canMerge(const Row &outer, const Row &inner) {
  if (outer.contracted != inner.contracted || inner.staticExtent <= 0 ||
      ShapedType::isDynamic(outer.staticExtent))
    return false;
  return llvm::all_of(
      llvm::zip_equal(outer.strides, inner.strides), [&](auto strides) {
        auto [a, b] = strides;
        return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
               a == b * inner.staticExtent;
      });
}

/// May rows `i` and `j` become one without a change of the order of terms?
static bool keepsOrder(const Table &table, size_t i, size_t j) {
  if (!table[i].contracted)
    return true;
  // The next contracted row after i must be j.
  for (size_t k = i + 1; k < table.size(); ++k)
    if (table[k].contracted)
      return k == j;
  return false;
}

/// Merges rows as long as two can be; the pair stays where its first row was.
static void mergeRows(Table &table, bool inOrder) {
  llvm::StringSet<> names;
  for (const Row &row : table)
    names.insert(row.name);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < table.size() && !changed; ++i)
      for (size_t j = 0; j < table.size() && !changed; ++j) {
        if (i == j || !canMerge(table[i], table[j]) ||
            (inOrder && !keepsOrder(table, i, j)))
          continue;
        Row &outer = table[i], &inner = table[j];
        outer.name += inner.name;
        while (!names.insert(outer.name).second)
          outer.name += '_';
        outer.staticExtent *= inner.staticExtent;
        outer.extent = IntegerAttr::get(
            IndexType::get(outer.extent.getContext()), outer.staticExtent);
        outer.strides = inner.strides;
        outer.nominal = inner.nominal;
        outer.values = inner.values;
        table.erase(table.begin() + j);
        changed = true;
      }
  }
}

/// A view with a dimension for each row that operand `column` varies with, and
/// the map that names them. Dimensions are in memory order, largest stride
/// first.
static std::pair<Value, AffineMap> buildView(OpBuilder &builder, Location loc,
                                             const Reach &reach,
                                             const Table &table,
                                             unsigned column) {
  SmallVector<unsigned> dims;
  for (auto [i, row] : llvm::enumerate(table))
    if (row.strides[column] != 0)
      dims.push_back(i);
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return std::abs(table[a].nominal[column]) >
           std::abs(table[b].nominal[column]);
  });
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims) {
    sizes.push_back(table[i].extent);
    strides.push_back(table[i].values[column]);
    subscripts.push_back(builder.getAffineDimExpr(i));
  }
  Value view = builder.createOrFold<ViewOp>(loc, reach.base, reach.offset,
                                            sizes, strides);
  return {view,
          AffineMap::get(table.size(), 0, subscripts, builder.getContext())};
}

/// Is the layout of `operand` at hand: static, or that of a tc.view?
static bool hasKnownLayout(Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (operand.getDefiningOp<ViewOp>())
    return true;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         !llvm::any_of(strides, ShapedType::isDynamic);
}

bool mlir::tc::isNormal(ContractOp op) {
  if (op.hasTensorSemantics())
    return false;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (extent == 1 || (extent == 0 && !op.isContracted(i)))
      return false;
  return llvm::all_of(op.getShapedOperands(), hasKnownLayout) &&
         llvm::all_of(op.getMaps(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Is one result element reached from two points? Then it has no one value.
/// Where only the run knows the strides the caller vouches for it.
static bool hasOverlappingResults(ContractOp op, const Table &table) {
  unsigned columns = op.getShapedOperands().size();
  for (unsigned o = columns - op.getOutputs().size(); o < columns; ++o) {
    SmallVector<int64_t> sizes, strides;
    for (const Row &row : table)
      if (!row.contracted) {
        sizes.push_back(row.staticExtent);
        strides.push_back(row.strides[o]);
      }
    if (!llvm::any_of(sizes, ShapedType::isDynamic) &&
        !llvm::any_of(strides, ShapedType::isDynamic) &&
        !isInjective(Lmad::get(op.getContext(), 0, sizes, strides)))
      return true;
  }
  return false;
}

/// The schedule without factors of iterators that are not in `names`.
static ScheduleAttr dropOthers(ScheduleAttr schedule,
                               ArrayRef<StringRef> names) {
  if (!schedule)
    return {};
  auto keep = [&](ArrayRef<Factor> factors) {
    return llvm::filter_to_vector(factors, [&](const Factor &factor) {
      return llvm::is_contained(names, factor.iterator.getValue());
    });
  };
  return ScheduleAttr::get(schedule.getContext(), keep(schedule.getThread()),
                           keep(schedule.getReg()), keep(schedule.getStep()),
                           schedule.getKernel());
}

FailureOr<ContractOp> mlir::tc::normalize(RewriterBase &rewriter,
                                          ContractOp op) {
  FailureOr<ContractAccess> access = getContractAccess(op);
  if (failed(access))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Reach> reaches = buildReaches(rewriter, op, *access);
  Table table = getTable(op, *access, reaches);
  bool empty = llvm::any_of(table, [](const Row &row) {
    return row.staticExtent == 0 && !row.contracted;
  });
  // Without terms an old result stays, unless an epilogue changes it.
  bool idle =
      !op.getOverwrite() && op.getEpilogue().empty() &&
      llvm::any_of(table, [](const Row &row) { return row.staticExtent == 0; });
  if (empty || idle) {
    rewriter.eraseOp(op);
    return ContractOp();
  }
  llvm::erase_if(table, [](const Row &row) { return row.staticExtent == 1; });
  if (hasOverlappingResults(op, table))
    return op.emitOpError("expected each result element to be reached once, "
                          "got a result of overlapping strides: ")
           << op.getOutput().getType();
  // A schedule names iterators; merging them would take the names away.
  if (!op.getSchedule())
    mergeRows(table, /*inOrder=*/!op.mayReorder());

  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [column, reach] : llvm::enumerate(reaches)) {
    auto [view, map] = buildView(rewriter, op.getLoc(), reach, table, column);
    operands.push_back(view);
    maps.push_back(map);
  }
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (const Row &row : table) {
    names.push_back(row.name);
    extents.push_back(row.extent);
  }
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto result = ContractOp::create(
      rewriter, op.getLoc(), names, extents,
      ArrayRef(operands).take_front(inputs),
      ArrayRef(operands).slice(inputs, sides),
      ArrayRef(operands).drop_front(inputs + sides), maps, op.getOverwrite(),
      dropOthers(op.getScheduleAttr(), names));
  result.takeMeaning(op);
  rewriter.replaceOp(op, result);
  return result;
}

namespace {
struct NormalizePass : tc::impl::NormalizeBase<NormalizePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ContractOp> contracts;
    getOperation().walk([&](ContractOp op) {
      // Contractions inside a nest are tiles already.
      if (!op.hasTensorSemantics() && !op->getParentOfType<ParOp>())
        contracts.push_back(op);
    });
    for (ContractOp op : contracts)
      if (failed(normalize(rewriter, op)))
        return signalPassFailure();
  }
};
} // namespace
