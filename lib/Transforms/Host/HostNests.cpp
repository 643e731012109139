//===- HostNests.cpp - Which loops of a nest a CPU runs how ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access along a loop takes part of a vector where the loop goes through
// neighbours, nothing where it stays at one element, and else a line of memory
// for each iteration. The innermost loop is the one for which that adds up to
// the least.
//
//===----------------------------------------------------------------------===//

#include "Host/HostNests.h"

#include "Loops/LoopNest.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Iterations of a loop whose count is not constant.
static constexpr int64_t kUnknownTrips = 16;
/// No count of ops is more.
static constexpr uint64_t kMostWork = uint64_t(1) << 40;
/// Bytes of memory that a core moves at once.
static constexpr int64_t kLine = 64;
/// Vectors that one op of a loop is made of: several, so that the next need not
/// wait for the last, and no more than registers hold. A body of few ops takes
/// half of the registers, and as much of each row of memory as it can.
static constexpr int64_t kVectors = 4, kVectorsOfLongBodies = 2;
static constexpr int64_t kShortBody = 4, kLongBody = 6;
static constexpr int64_t kMostLanes = 256;
/// What columns carry from row to row takes so much of a first-level cache at
/// most; and how many parts of the columns there are for tasks, if nothing else
/// is.
static constexpr int64_t kCarriedBytes = 1 << 14, kPartsOfColumns = 4;
/// Fewer columns carry their values in registers.
static constexpr int64_t kLeastColumns = 128;
/// Rows that are read together: memory delivers several at once, and what is
/// carried is loaded and stored once for all.
static constexpr int64_t kRowsTogether = 4, kPage = 1 << 12;
/// Iterations for which a dimension has enough for tasks.
static constexpr int64_t kTasks = 32;
/// Vectors that registers hold while they are transposed.
static constexpr int64_t kMostTile = 16;

namespace {
/// An access of the nest, and the loop inside of the nest that is right round
/// it; null if there is none.
struct HostAccess {
  NestAccess access;
  Operation *loop;
  double weight;
  int64_t bytes; ///< of an element
};

struct Planner {
  Planner(ParOp nest, int64_t vectorBits)
      : nest(nest), vectorBits(vectorBits), values(nest.getContext()) {
    collect();
  }

  void collect();
  std::optional<int64_t> getStride(const HostAccess &access, Value index);
  bool dependsOn(AffineExpr expr, Value index);
  double getCost(const HostAccess &access, Value index);
  double getCost(Value index);
  double getCostOfLoops();
  bool carriesInOrder(Operation *loop);
  int64_t getRowBytes(Value index);
  int64_t getDistance(Value index);
  std::optional<int64_t> getExtent(unsigned dim);
  unsigned findInnermost();
  int64_t countTogether(unsigned dim);
  void planRows(HostNestPlan &plan);
  void planTiles(HostNestPlan &plan);
  void planTasks(HostNestPlan &plan);

  ParOp nest;
  int64_t vectorBits;
  NestValues values;
  SmallVector<HostAccess> accesses;
  DenseMap<Value, DenseSet<Value>> dependents;
  int64_t work = 0, arithmetic = 0, widest = 1;
  bool hasLoops = false;
};
} // namespace

/// Iterations of `op`, which need not be a loop.
static int64_t countTrips(Operation *op) {
  if (getRanges(op).empty())
    return isa<LoopLikeOpInterface>(op) ? kUnknownTrips : 1;
  return std::max<int64_t>(countIterations(op).value_or(kUnknownTrips), 1);
}

void Planner::collect() {
  nest.walk([&](Operation *op) {
    if (op == nest || op->hasTrait<OpTrait::IsTerminator>())
      return;
    uint64_t runs = 1;
    Operation *loop = nullptr;
    for (Operation *parent = op->getParentOp(); parent != nest;
         parent = parent->getParentOp()) {
      if (!loop && !getRanges(parent).empty())
        loop = parent;
      runs = llvm::SaturatingMultiply<uint64_t>(runs, countTrips(parent));
      runs = std::min(runs, kMostWork);
    }
    hasLoops |= loop != nullptr || isa<LoopLikeOpInterface>(op);
    work = std::min(kMostWork, uint64_t(work) + runs);
    if (op->getNumResults() == 1 && isa<FloatType>(op->getResult(0).getType()))
      ++arithmetic;
    for (NestAccess &access : getAccesses(op, values)) {
      auto type = dyn_cast<MemRefType>(access.buffer.getType());
      int64_t bits = type && type.getElementType().isIntOrFloat()
                         ? type.getElementTypeBitWidth()
                         : 64;
      int64_t bytes = llvm::divideCeil(bits, 8);
      widest = std::max(widest, bytes);
      accesses.push_back({std::move(access), loop,
                          double(std::min<uint64_t>(runs, 1 << 20)), bytes});
    }
  });
  for (Value index : nest.getIndices())
    dependents[index].insert(index);
}

/// Is `expr` of a value that is computed of `index` in a way that is not
/// linear, or loaded from where it says?
bool Planner::dependsOn(AffineExpr expr, Value index) {
  DenseSet<Value> &known = dependents[index];
  if (known.size() <= 1) {
    known.insert(index);
    nest.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (llvm::none_of(op->getOperands(),
                        [&](Value operand) { return known.contains(operand); }))
        return;
      known.insert_range(op->getResults());
      for (Region &region : op->getRegions())
        known.insert_range(region.getArguments());
    });
  }
  bool depends = false;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      Value value = values.getValue(dim.getPosition());
      depends |= value && value != index && known.contains(value);
    }
  });
  return depends;
}

/// Elements from one iteration along `index` to the next; none if that is not
/// constant.
std::optional<int64_t> Planner::getStride(const HostAccess &access,
                                          Value index) {
  if (!access.access.isKnown())
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(access.access.buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  if (access.access.isLinear)
    strides.assign(1, 1);
  AffineExpr self = values.getDim(index);
  int64_t sum = 0;
  for (auto [subscript, stride] :
       llvm::zip_equal(access.access.subscripts, strides)) {
    if (dependsOn(subscript, index))
      return std::nullopt;
    auto step = staticValue(
        simplifyAffineExpr(subscript.replace(self, self + 1) - subscript,
                           values.getNumDims(), /*symbols=*/0));
    if (!step || (*step != 0 && ShapedType::isDynamic(stride)))
      return std::nullopt;
    sum += *step * (*step == 0 ? 0 : stride);
  }
  return sum;
}

/// Lines of memory that `access` takes of an iteration along `index`, with a
/// little for going backwards; an access that writes reads the line, too.
double Planner::getCost(const HostAccess &access, Value index) {
  double weight = access.weight * (access.access.writes ? 1.5 : 1);
  std::optional<int64_t> stride = getStride(access, index);
  if (!stride)
    return weight;
  double part = double(std::abs(*stride)) * access.bytes / kLine;
  return weight * std::min(1.0, part * (*stride < 0 ? 1.25 : 1));
}

double Planner::getCost(Value index) {
  double sum = 0;
  for (const HostAccess &access : accesses)
    sum += getCost(access, index);
  return sum;
}

/// Does `loop` carry a value from one iteration to the next that vectors may
/// not take apart?
bool Planner::carriesInOrder(Operation *loop) {
  if (isa<ScanOp>(loop))
    return true;
  if (auto reduce = dyn_cast<ReduceOp>(loop))
    return reduce.getInits().size() != 1;
  if (auto seq = dyn_cast<SeqOp>(loop))
    return llvm::any_of(seq.getResultTypes(), llvm::IsaPred<FloatType>);
  auto other = dyn_cast<LoopLikeOpInterface>(loop);
  return other && !isa<ParOp>(loop) && !other.getInits().empty();
}

/// The same for the loops inside, each along its last dimension: a loop that
/// has to stay in order takes an element at a time.
double Planner::getCostOfLoops() {
  double sum = 0;
  for (const HostAccess &access : accesses) {
    if (!access.loop || carriesInOrder(access.loop)) {
      sum += access.weight;
      continue;
    }
    sum += getCost(access, getRanges(access.loop).back().index);
  }
  return sum;
}

/// The last index of `loop` where `op`, which is in it, is run; null if that is
/// behind the loop.
static Value findLastIndex(Operation *loop, Operation *op) {
  Region *region = op->getParentRegion();
  if (auto scan = dyn_cast<ScanOp>(loop);
      scan && scan.getFinish().isAncestor(region))
    return scan.getFinish().getArgument(getRanges(loop).size() - 1);
  if (auto reduce = dyn_cast<ReduceOp>(loop);
      reduce && reduce.getFinish().isAncestor(region))
    return {};
  return getRanges(loop).back().index;
}

/// If each access along `index` is of neighbours, in a loop that carries values
/// and takes another line of memory in each step: the bytes from one step
/// to the next, at least. Else 0.
int64_t Planner::getRowBytes(Value index) {
  int64_t least = 0;
  for (const HostAccess &access : accesses) {
    std::optional<int64_t> across = getStride(access, index);
    Value step =
        access.loop ? findLastIndex(access.loop, access.access.op) : Value();
    if (across == 0 || !step)
      continue;
    std::optional<int64_t> down = getStride(access, step);
    if (!across || std::abs(*across) * access.bytes >= kLine || !down ||
        (!isa<ReduceOp>(access.loop) && !carriesInOrder(access.loop)))
      return 0;
    int64_t bytes = std::abs(*down) * access.bytes;
    if (bytes < kLine)
      return 0;
    least = least == 0 ? bytes : std::min(least, bytes);
  }
  return least;
}

/// How far apart in memory iterations along `index` are, at most.
int64_t Planner::getDistance(Value index) {
  int64_t most = 0;
  for (const HostAccess &access : accesses)
    if (access.access.writes)
      most = std::max(most, std::abs(getStride(access, index).value_or(0)));
  return most;
}

std::optional<int64_t> Planner::getExtent(unsigned dim) {
  SpaceBounds bounds = nest.getBounds();
  return values.findExtent(bounds.lower[dim], bounds.upper[dim]);
}

/// The dimension of least cost; of equal ones the last.
unsigned Planner::findInnermost() {
  unsigned best = nest.getRank() - 1;
  double least = getCost(nest.getIndices()[best]);
  for (unsigned d = best; d-- != 0;) {
    double cost = getCost(nest.getIndices()[d]);
    if (cost < least && getExtent(d).value_or(kUnknownTrips) > 1) {
      best = d;
      least = cost;
    }
  }
  return best;
}

/// Elements of the vectors for iterations along `dim`; 0 if there are too few.
int64_t Planner::countTogether(unsigned dim) {
  int64_t lanes = vectorBits / 8 / widest;
  // AVX-512 has 32 registers; narrower units have at least 16.
  int64_t half = vectorBits >= 512 ? 16 : 8;
  int64_t vectors = arithmetic <= kShortBody  ? half
                    : arithmetic <= kLongBody ? kVectors
                                              : kVectorsOfLongBodies;
  int64_t count = std::min(lanes * vectors, kMostLanes);
  int64_t extent = getExtent(dim).value_or(count);
  while (count > extent && count > lanes)
    count /= 2;
  return count <= extent && count >= 2 ? count : 0;
}

/// Columns go down rows together, unless a step computes more than memory
/// delivers. Rows in pages of their own are read at the same time; others are
/// one long row.
void Planner::planRows(HostNestPlan &plan) {
  unsigned last = plan.order.back();
  int64_t bytes = getRowBytes(nest.getIndices()[last]);
  std::optional<int64_t> extent = getExtent(last);
  if (arithmetic > kShortBody || bytes == 0 ||
      extent.value_or(kLeastColumns) < kLeastColumns)
    return;
  // Other dimensions than that of the columns are enough for tasks.
  int64_t most = kCarriedBytes / widest, part = most;
  if (nest.getRank() == 1)
    part = extent ? llvm::alignTo(llvm::divideCeil(*extent, kPartsOfColumns),
                                  kMostLanes)
                  : kPartsOfColumns * kMostLanes;
  plan.columns = std::min({most, part, extent.value_or(most)});
  plan.rows = bytes < kPage ? 1 : kRowsTogether;
}

/// Where some accesses have neighbours along another dimension, lines are to be
/// used up while they are in the cache.
void Planner::planTiles(HostNestPlan &plan) {
  Value last = nest.getIndices()[plan.order.back()];
  for (const HostAccess &access : accesses) {
    std::optional<int64_t> stride = getStride(access, last);
    if (!stride || std::abs(*stride) * access.bytes < kLine)
      continue;
    for (int64_t d : ArrayRef(plan.order).drop_back())
      if (getStride(access, nest.getIndices()[d]) == 1)
        plan.across = d;
  }
  plan.tile = std::clamp<int64_t>(vectorBits / 8 / widest, 4, kMostTile);
}

/// The first dimension is that of tasks. One of more iterations takes the place
/// of one that has too few; where none has enough, tasks have parts of the
/// last.
void Planner::planTasks(HostNestPlan &plan) {
  SmallVector<int64_t> extents;
  for (int64_t d : plan.order) {
    std::optional<int64_t> extent = getExtent(d);
    if (!extent)
      return;
    extents.push_back(*extent);
  }
  if (extents.size() < 2 || extents.front() >= kTasks)
    return;
  auto most = std::max_element(extents.begin(), std::prev(extents.end()));
  auto moved = plan.order.begin() + (most - extents.begin());
  std::rotate(plan.order.begin(), moved, moved + 1);
  if (*most < kTasks && extents.back() >= 2 * kMostLanes)
    plan.run =
        llvm::alignTo(llvm::divideCeil(extents.back(), 2 * kTasks), kMostLanes);
}

HostNestPlan mlir::tc::planHostNest(ParOp nest, int64_t vectorBits) {
  Planner planner(nest, vectorBits);
  HostNestPlan plan;
  plan.work = std::max<int64_t>(planner.work, 1);
  plan.order = llvm::to_vector(llvm::seq<int64_t>(0, nest.getRank()));
  if (nest.getRank() == 0)
    return plan;
  unsigned innermost = planner.findInnermost();
  Value index = nest.getIndices()[innermost];
  // With loops inside, those that LLVM makes vectors of may do better.
  bool runsTogether =
      planner.hasLoops && planner.getCost(index) < planner.getCostOfLoops();
  if (planner.hasLoops && !runsTogether)
    innermost = nest.getRank() - 1;
  llvm::stable_sort(plan.order, [&](int64_t a, int64_t b) {
    auto rank = [&](int64_t d) {
      return std::pair(d == innermost && (runsTogether || !planner.hasLoops),
                       -planner.getDistance(nest.getIndices()[d]));
    };
    return rank(a) < rank(b);
  });
  if (runsTogether)
    plan.together = planner.countTogether(innermost);
  else if (!planner.hasLoops)
    planner.planTiles(plan);
  if (runsTogether)
    planner.planRows(plan);
  planner.planTasks(plan);
  return plan;
}

//===----------------------------------------------------------------------===//
// Transposed accesses
//===----------------------------------------------------------------------===//

/// Does `value` follow from values outside of `region` and from its indices by
/// arithmetic?
static bool isArithmetic(Value value, Region &region) {
  Operation *op = value.getDefiningOp();
  if (!op || !region.isAncestor(op->getParentRegion()))
    return true;
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isArithmetic(operand, region);
         });
}

/// May vectors of neighbours be of what `op` loads or stores? Gives its
/// subscripts.
static std::optional<OperandRange> findSubscripts(Operation *op, ParOp nest) {
  auto check = [&](auto access) -> std::optional<OperandRange> {
    MemRefType type = access.getMemRefType();
    auto [strides, offset] = type.getStridesAndOffset();
    if (strides.empty() || strides.back() != 1 ||
        !hasVectorsInMemory(type.getElementType()) ||
        nest.getRegion().isAncestor(access.getMemRef().getParentRegion()))
      return std::nullopt;
    return access.getIndices();
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return check(load);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return check(store);
  return std::nullopt;
}

SmallVector<Operation *> mlir::tc::findTransposed(ParOp nest) {
  Planner planner(nest, /*vectorBits=*/0);
  if (planner.hasLoops || nest.getRank() != 2)
    return {};
  Value across = nest.getIndices()[0], last = nest.getIndices()[1];
  auto sharesBuffer = [&](const HostAccess &a, const HostAccess &b) {
    return &a != &b && (a.access.writes || b.access.writes) &&
           !areDistinct(a.access.buffer, b.access.buffer);
  };
  SmallVector<Operation *> found;
  for (const HostAccess &access : planner.accesses) {
    Operation *op = access.access.op;
    auto subscripts = findSubscripts(op, nest);
    std::optional<int64_t> stride = planner.getStride(access, last);
    if (!subscripts || op->getBlock() != nest.getBody() || !stride ||
        std::abs(*stride) * access.bytes < kLine ||
        planner.getStride(access, across) != 1)
      continue;
    bool isAlone = llvm::none_of(planner.accesses, [&](const HostAccess &b) {
      return sharesBuffer(access, b);
    });
    if (isAlone && llvm::all_of(*subscripts, [&](Value subscript) {
          return isArithmetic(subscript, nest.getRegion());
        }))
      found.push_back(op);
  }
  return found;
}
