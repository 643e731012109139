//===- CacheLayout.cpp - How a copy in shared memory lies, and is made ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies are made once and read often. So they lie as threads read them, and
// are written by 16 bytes where rows of both memories allow it: a block of such
// rows is transposed in registers where the copy lies in another order.
//
//===----------------------------------------------------------------------===//

#include "Nests/Cache.h"

#include "Contract/Indexing.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/WideAccess.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Reads of an element of a copy, at least, for which its dimensions are put in
/// another order: the stores of such a copy take up to eight times as long.
static constexpr double kLeastReads = 8;
/// Chunks, at most, that a thread transposes at a time: more would leave
/// threads without work, and of bytes hold too many.
static constexpr int64_t kMostRows = 4;

/// Do threads read dimension `d` of the copy in runs of 16 bytes, and each
/// element so often that a copy which is slow to write pays off?
bool CacheRequest::isReadWide(unsigned d) {
  auto type = cast<MemRefType>(op.getSource().getType());
  auto isOwn = [&](Value value) { return box.isInside(value); };
  int64_t count = countWideElements(type.getElementType());
  double elements = 1, reads = 0;
  for (unsigned dim = 0; dim < box.getRank(); ++dim)
    elements *= double(box.getSize(dim));
  for (NestAccess &load : loads) {
    Value run = findRun(load, d, count, values, isOwn);
    // A loop that all threads run together is no loop of one.
    if (!run || run.getParentRegion()->getParentOfType<ParOp>() ==
                    op->getParentOfType<ParOp>())
      return false;
    double times = 1;
    for (Operation *loop = load.op->getParentOp(); loop != op->getParentOp();
         loop = loop->getParentOp())
      times *= double(countIterations(loop).value_or(1));
    reads += times;
  }
  return reads >= kLeastReads * elements;
}

/// The dimensions of the copy, from the slowest to the fastest.
SmallVector<int64_t> CacheRequest::getOrder() {
  if (auto given = op.getOrder())
    return llvm::to_vector(*given);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, box.getRank()));
  for (unsigned d = box.getRank(); d-- > 0;)
    if (isReadWide(d)) {
      order.erase(order.begin() + d);
      order.push_back(d);
      break;
    }
  return order;
}

/// Is the row, of dimension `d`, not the same for all threads of the block?
bool CacheRequest::isReadAcross(unsigned d) {
  return llvm::any_of(loads, [&](NestAccess &load) {
    bool isAcross = false;
    for (auto [other, subscript] : llvm::enumerate(load.subscripts))
      if (other != d)
        subscript.walk([&](AffineExpr part) {
          auto dim = dyn_cast<AffineDimExpr>(part);
          Value value = dim ? values.getValue(dim.getPosition()) : Value();
          isAcross |= value && box.isInside(value) &&
                      isa<ParOp>(value.getParentBlock()->getParentOp());
        });
    return isAcross;
  });
}

/// The elements that are left free after each row of a copy of `sizes`. If it
/// is read by 16 bytes, rows begin at odd multiples of these. Else rows of even
/// length get one element, so that columns are in different banks (thesis,
/// section 4.4), if threads read different rows.
int64_t CacheRequest::getPad(ArrayRef<int64_t> sizes, unsigned fastest) {
  if (auto given = op.getPad())
    return *given;
  if (!isReadWide(fastest))
    return sizes[fastest] % 2 == 0 && isReadAcross(fastest) ? 1 : 0;
  auto type = cast<MemRefType>(op.getSource().getType());
  int64_t count = countWideElements(type.getElementType());
  int64_t units = llvm::divideCeil(sizes[fastest], count);
  return (units | 1) * count - sizes[fastest];
}

bool CacheRequest::isMultipleOf(AffineExpr expr, int64_t factor) {
  auto form = linearForm(expr, values.getNumDims());
  if (!form || staticValue(form->constant).value_or(1) % factor != 0)
    return false;
  for (auto [dim, own] : llvm::enumerate(form->factors))
    if (Value value = values.getValue(dim);
        own != 0 && (value ? own * getKnownDivisor(value) : own) % factor != 0)
      return false;
  return true;
}

/// Is each range of the copy along `d` made of whole groups of `count`?
bool CacheRequest::areWhole(unsigned d, ArrayRef<int64_t> sizes,
                            int64_t count) {
  int64_t extent = cast<MemRefType>(op.getSource().getType()).getDimSize(d);
  return !ShapedType::isDynamic(extent) && extent % count == 0 &&
         sizes[d] % count == 0 && isMultipleOf(box.getFirst(d), count);
}

/// What the copy moves at once, if the buffer is aligned: 16 bytes, where rows
/// of both are whole and aligned groups of these; where the copy lies in
/// another order, so many rows of them that it is stored by 16 bytes, too.
CopyBlock CacheRequest::getBlock(ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides) {
  auto type = cast<MemRefType>(op.getSource().getType());
  int64_t count = countWideElements(type.getElementType());
  // The host can test the addresses of buffers from outside alone.
  if (op.getSource().getParentRegion()->getParentOfType<ParOp>() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return {};
  auto [from, offset] = type.getStridesAndOffset();
  auto isWhole = [&](int64_t size) {
    return !ShapedType::isDynamic(size) && size % count == 0;
  };
  unsigned last = sizes.size() - 1;
  unsigned fastest = std::distance(strides.begin(), llvm::find(strides, 1));
  for (auto [d, stride] : llvm::enumerate(strides))
    if (d != fastest && !isWhole(stride))
      return {};
  if (from[last] != 1 || !isWhole(offset) || !areWhole(last, sizes, count) ||
      !llvm::all_of(ArrayRef(from).drop_back(), isWhole))
    return {};
  if (fastest == last)
    return {count, 1};
  int64_t rows = std::min(count, kMostRows);
  return areWhole(fastest, sizes, rows) ? CopyBlock{count, rows} : CopyBlock{};
}
