//===- Normalize.cpp - One stride per iterator and operand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
struct Row {
  std::string name;
  int64_t extent;
  bool contracted;
  SmallVector<int64_t> strides; ///< inputs, then the result
};
using Table = SmallVector<Row>;
} // namespace

static Table getTable(ContractOp op, const ContractAccess &access) {
  Table table;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    Row row{
        op.getIterator(i).str(), access.extents[i], access.contracted[i], {}};
    for (const Access &input : access.inputs)
      row.strides.push_back(input.strides[i]);
    row.strides.push_back(access.output.strides[i]);
    table.push_back(std::move(row));
  }
  return table;
}

/// Does walking `outer` and `inner` reach what walking one iterator reaches?
static bool canMerge(const Row &outer, const Row &inner) {
  return outer.contracted == inner.contracted && inner.extent > 0 &&
         llvm::all_of(llvm::zip_equal(outer.strides, inner.strides),
                      [&](auto strides) {
                        auto [a, b] = strides;
                        return a == b * inner.extent;
                      });
}

/// Merges rows as long as two can be; the pair stays where its first row was.
static void mergeRows(Table &table) {
  llvm::StringSet<> names;
  for (const Row &row : table)
    names.insert(row.name);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < table.size() && !changed; ++i)
      for (size_t j = 0; j < table.size() && !changed; ++j) {
        if (i == j || !canMerge(table[i], table[j]))
          continue;
        Row &outer = table[i], &inner = table[j];
        outer.name += inner.name;
        while (!names.insert(outer.name).second)
          outer.name += '_';
        outer.extent *= inner.extent;
        outer.strides = inner.strides;
        table.erase(table.begin() + j);
        changed = true;
      }
  }
}

/// A view of `operand` with a dimension for each row it varies with, and the
/// map that names them. Dimensions are in memory order, largest stride first.
static std::pair<Value, AffineMap> buildView(OpBuilder &builder, Location loc,
                                             Value operand, int64_t offset,
                                             const Table &table,
                                             unsigned column) {
  SmallVector<unsigned> dims;
  for (auto [i, row] : llvm::enumerate(table))
    if (row.strides[column] != 0)
      dims.push_back(i);
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return std::abs(table[a].strides[column]) >
           std::abs(table[b].strides[column]);
  });
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims) {
    sizes.push_back(builder.getIndexAttr(table[i].extent));
    strides.push_back(builder.getIndexAttr(table[i].strides[column]));
    subscripts.push_back(builder.getAffineDimExpr(i));
  }
  Value view = builder.createOrFold<ViewOp>(
      loc, operand, builder.getIndexAttr(offset), sizes, strides);
  return {view,
          AffineMap::get(table.size(), 0, subscripts, builder.getContext())};
}

bool mlir::tc::isNormal(ContractOp op) {
  if (op.hasTensorSemantics() || !op.hasStaticExtents())
    return false;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (extent == 1 || (extent == 0 && !op.isContracted(i)))
      return false;
  return llvm::all_of(
      op.getIndexingMaps().getAsValueRange<AffineMapAttr>(),
      [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// Is one result element reached from two points? Then it has no one value.
static bool hasOverlappingResults(ContractOp op, const Table &table) {
  SmallVector<int64_t> sizes, strides;
  for (const Row &row : table)
    if (!row.contracted) {
      sizes.push_back(row.extent);
      strides.push_back(row.strides.back());
    }
  return !isInjective(Lmad::get(op.getContext(), 0, sizes, strides));
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
  Table table = getTable(op, *access);
  bool empty = llvm::any_of(
      table, [](const Row &row) { return row.extent == 0 && !row.contracted; });
  bool idle = !op.getOverwrite() && llvm::any_of(table, [](const Row &row) {
    return row.extent == 0;
  });
  if (empty || idle) {
    rewriter.eraseOp(op);
    return ContractOp();
  }
  llvm::erase_if(table, [](const Row &row) { return row.extent == 1; });
  if (hasOverlappingResults(op, table))
    return op.emitOpError("expected each result element to be reached once, "
                          "got a result of overlapping strides: ")
           << op.getOutput().getType();
  // A schedule names iterators; merging them would take the names away.
  if (!op.getSchedule())
    mergeRows(table);

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  auto addView = [&](Value operand, int64_t offset, unsigned column) {
    auto [view, map] =
        buildView(rewriter, op.getLoc(), operand, offset, table, column);
    operands.push_back(view);
    maps.push_back(map);
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    addView(input, access->inputs[i].offset, i);
  addView(op.getOutput(), access->output.offset, op.getInputs().size());

  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (const Row &row : table) {
    names.push_back(row.name);
    extents.push_back(rewriter.getIndexAttr(row.extent));
  }
  auto result = ContractOp::create(rewriter, op.getLoc(), names, extents,
                                   ArrayRef(operands).drop_back(),
                                   operands.back(), maps, op.getOverwrite(),
                                   dropOthers(op.getScheduleAttr(), names));
  result.setNeutralAttr(op.getNeutralAttr());
  result.getMap().takeBody(op.getMap());
  result.getCombine().takeBody(op.getCombine());
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
