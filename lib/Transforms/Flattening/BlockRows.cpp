//===- BlockRows.cpp - Rows that fit a block ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/BlockRows.h"

#include "Nests/Bands.h"
#include "Nests/IndexPositions.h"

#include "tc/Algebra/Strategies.h"
#include "tc/IR/Scalars.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tc;

/// Bytes of them that a block has. So few do not limit how many blocks a
/// multiprocessor holds (228 KiB for 16 of them, CUDA programming guide).
static constexpr int64_t kMostBytes = 14 * 1024;
/// Elements along dimensions of dynamic size that are worth a version.
static constexpr int64_t kLeastCapacity = 128;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

BlockBuffers::BlockBuffers(ParOp rows) : buffers(findOwnBuffers(rows)) {
  // Bytes in all: so many, and `perElement` more for each element along the
  // dimensions of dynamic size.
  std::optional<int64_t> bytes = 0, perElement = 0;
  for (const OwnBuffer &buffer : buffers) {
    auto &sum = buffer.getDynamicSizes().empty() ? bytes : perElement;
    int64_t size = getBytes(buffer.getType().getElementType());
    if (sum)
      sum = llvm::checkedMulAdd(buffer.countStatic(), size, *sum);
  }
  bool fits = bytes && perElement && *bytes <= kMostBytes;
  if (fits && *perElement > 0) {
    capacity = (kMostBytes - *bytes) / *perElement;
    fits = capacity >= kLeastCapacity;
  }
  if (!fits)
    buffers.clear();
}

Value BlockBuffers::emitFit(IndexBuilder &math) const {
  Value fits = math.always();
  SmallVector<SmallVector<Value>> seen;
  for (const OwnBuffer &buffer : buffers) {
    SmallVector<Value> sizes = buffer.getDynamicSizes();
    if (sizes.empty() || llvm::is_contained(seen, sizes))
      continue;
    Value count = math.constant(1);
    for (Value size : sizes)
      count = math.multiply(count, size);
    fits = math.both(fits, math.isAtMost(count, capacity));
    seen.push_back(std::move(sizes));
  }
  return fits;
}

void BlockBuffers::moveInto(ParOp rows) const {
  for (const OwnBuffer &buffer : buffers)
    mlir::tc::moveInto(rows, buffer, capacity);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

Value mlir::tc::emitIsOneTurn(ParOp rows, IndexBuilder &math) {
  bool hasLoop = llvm::any_of(*rows.getBody(),
                              [](Operation &op) { return isTeamLoop(&op); });
  SmallVector<Operation *> nests = collectTeamOps(*rows.getBody());
  auto canBeLimited = [&](Operation *nest) {
    return getBounds(nest).upper.size() == 1 && hasFixedBounds(nest, rows);
  };
  if (!hasLoop || !llvm::all_of(nests, canBeLimited))
    return {};
  Value isOneTurn = math.always();
  SmallVector<std::array<OpFoldResult, 3>> seen;
  for (Operation *nest : nests) {
    SpaceBounds bounds = getBounds(nest);
    std::array<OpFoldResult, 3> range = {
        bounds.lower.front(), bounds.upper.front(), bounds.step.front()};
    if (llvm::is_contained(seen, range))
      continue;
    Value count = math.get(IndexPositions(bounds).count(math));
    isOneTurn = math.both(isOneTurn, math.isAtMost(count, kUsualThreads));
    seen.push_back(range);
  }
  return isOneTurn;
}

void mlir::tc::limitToOneTurn(ParOp rows) {
  // In the nest, so that it is computed where LLVM sees it.
  IndexBuilder math(rows.getLoc(), OpBuilder::atBlockBegin(rows.getBody()));
  for (Operation *nest : collectTeamOps(*rows.getBody())) {
    SpaceBounds bounds = getBounds(nest);
    auto upper = dyn_cast<Value>(bounds.upper.front());
    if (!upper)
      continue;
    Value span =
        math.multiply(math.get(bounds.step.front()), int64_t(kUsualThreads));
    Value most = math.add(math.get(bounds.lower.front()), span);
    nest->replaceUsesOfWith(upper,
                            math.createOrFold<arith::MinSIOp>(upper, most));
  }
}
