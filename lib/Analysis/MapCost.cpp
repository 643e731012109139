//===- MapCost.cpp - What a mapping to threads costs ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/MapCost.h"

#include "LaneValues.h"
#include "Saturating.h"

#include "tc/Analysis/Requests.h"
#include "tc/IR/Scalars.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The strides of `type` in elements, with estimates for those that only the
/// run knows: rows are taken to lie densely.
static SmallVector<int64_t> getNominalStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    strides.assign(type.getRank(), ShapedType::kDynamic);
  int64_t dense = 1;
  for (int64_t d = type.getRank(); d-- > 0;) {
    if (ShapedType::isDynamic(strides[d]))
      strides[d] = dense;
    int64_t size = type.isDynamicDim(d) ? kNominalBound : type.getDimSize(d);
    dense = multiply(strides[d], std::max<int64_t>(size, 1));
  }
  return strides;
}

/// Bytes of an element in memory; none of a type that no kernel has.
static std::optional<int64_t> findBytes(Type type) {
  if (type.isIndex())
    return 8;
  auto vector = dyn_cast<VectorType>(type);
  int64_t bytes =
      vector ? vector.getNumElements() * getBytes(vector.getElementType())
             : getBytes(type);
  return bytes ? std::optional(bytes) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

namespace {
/// One request of each warp.
struct Request {
  bool isShared, isRead;
  int64_t bytes;
  /// Its address; none where nothing is known.
  std::optional<Slot> address;
};

/// The body of the tc.par, or of one dimension of a loop in it.
struct Body {
  std::vector<Request> requests;
  int64_t instructions = 0; ///< of an iteration
  std::vector<unsigned> loops;
  // Of a loop.
  unsigned region = 0;
  Slot index = 0, lower = 0, upper = 0;
  int64_t step = 1, width = 1;
  bool isUnknown = false; ///< does only the data know its bounds?
};
} // namespace

/// More bytes than shared and global memory have; whole rounds of the banks.
static constexpr int64_t kMostShared = int64_t(1) << 24;
static constexpr int64_t kMostGlobal = int64_t(1) << 56;

/// Iterations of a loop of which nothing is known.
static constexpr int64_t kNominalTrips = 16;

namespace {
/// How much of a nest is looked at.
struct Visits {
  int64_t mostTrips; ///< iterations of each of the next loops
  /// Iterations of all loops from here inwards together: what loops in loops
  /// have is a product, which must not grow with their depth.
  int64_t most = 4096;

  int64_t countTrips(int64_t trips) const {
    return std::min({trips, mostTrips, most});
  }
  Visits getInner(int64_t trips) const {
    return {std::max<int64_t>(mostTrips / 4, 2), most / trips};
  }
};
} // namespace

struct MapCosts::Nest {
  explicit Nest(ParOp op) : op(op), values(op) {
    bodies.emplace_back();
    addOps(*op.getBody(), 0);
  }

  void addOps(Block &block, unsigned body);
  void addRequests(Operation *op, unsigned body);
  unsigned addLoop(Value index, OpFoldResult lower, OpFoldResult upper,
                   int64_t step, int64_t width, unsigned body);
  template <typename NestOp>
  unsigned addNest(NestOp nest, unsigned body);
  std::optional<unsigned> addLoopLike(LoopLikeOpInterface loop, unsigned body);

  /// Adds to `cost`, `weight` times, what lanes of `mask` do in `body`.
  void visit(unsigned body, uint32_t mask, double weight, Visits visits,
             MapCost &cost);
  void visitLoop(unsigned body, uint32_t mask, double weight, Visits visits,
                 MapCost &cost);
  void count(const Request &request, uint32_t mask, double weight,
             MapCost &cost);

  ParOp op;
  LaneValues values;
  std::vector<Body> bodies; ///< the first is that of the tc.par
};

unsigned MapCosts::Nest::addLoop(Value index, OpFoldResult lower,
                                 OpFoldResult upper, int64_t step,
                                 int64_t width, unsigned body) {
  Body loop;
  loop.lower = values.get(lower);
  loop.upper = values.get(upper);
  loop.step = step;
  loop.width = width;
  loop.isUnknown = values.program.isUnknown(loop.lower) ||
                   values.program.isUnknown(loop.upper);
  loop.index = values.addLoop(index);
  loop.region = values.program.getRegion(loop.index);
  loop.instructions = 2;
  bodies[body].loops.push_back(bodies.size());
  bodies.push_back(std::move(loop));
  return bodies.size() - 1;
}

template <typename NestOp>
unsigned MapCosts::Nest::addNest(NestOp nest, unsigned body) {
  for (auto [index, lower, upper, step, width] :
       llvm::zip_equal(nest.getIndices(), nest.getMixedLower(),
                       nest.getMixedUpper(), nest.getStep(), nest.getWidth()))
    body = addLoop(index, lower, upper, step, width, body);
  return body;
}

/// None of a loop whose iterations cannot be told.
std::optional<unsigned> MapCosts::Nest::addLoopLike(LoopLikeOpInterface loop,
                                                    unsigned body) {
  auto indices = loop.getLoopInductionVars();
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!indices || !lower || !upper || !step)
    return std::nullopt;
  for (auto [index, low, high, by] :
       llvm::zip_equal(*indices, *lower, *upper, *step))
    body = addLoop(index, low, high,
                   std::max<int64_t>(getConstantIntValue(by).value_or(1), 1),
                   /*width=*/1, body);
  return body;
}

void MapCosts::Nest::addRequests(Operation *op, unsigned body) {
  NestValues &nest = values.getNestValues();
  for (const NestAccess &access : getAccesses(op, nest)) {
    auto type = dyn_cast<MemRefType>(access.buffer.getType());
    std::optional<int64_t> bytes =
        type ? findBytes(type.getElementType()) : std::nullopt;
    if (!bytes || isInPrivateMemory(access.buffer))
      continue;
    Request request{isInWorkgroupMemory(access.buffer), !access.writes, *bytes,
                    std::nullopt};
    if (access.isKnown() && access.conditions.empty()) {
      Slot address = values.program.addConstant(0);
      SmallVector<int64_t> strides = getNominalStrides(type);
      if (access.isLinear)
        strides = {1};
      for (auto [subscript, stride] :
           llvm::zip_equal(access.subscripts, strides))
        address = values.program.add(
            LaneProgram::Kind::Add, address,
            values.program.add(
                LaneProgram::Kind::Mul, values.get(subscript),
                values.program.addConstant(multiply(stride, request.bytes))));
      request.address = address;
    }
    bodies[body].requests.push_back(request);
  }
}

void MapCosts::Nest::addOps(Block &block, unsigned body) {
  for (Operation &op : block.without_terminator()) {
    unsigned inside = body;
    if (auto par = dyn_cast<ParOp>(op))
      inside = addNest(par, body);
    else if (auto seq = dyn_cast<SeqOp>(op))
      inside = addNest(seq, body);
    else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      inside = addLoopLike(loop, body).value_or(body);
    ++bodies[body].instructions;
    addRequests(&op, body);
    // Branches count as taken.
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        addOps(nested, inside);
  }
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void MapCosts::Nest::count(const Request &request, uint32_t mask, double weight,
                           MapCost &cost) {
  if (!request.address) {
    (request.isShared ? cost.wavefronts : cost.sectors) +=
        weight * llvm::popcount(mask);
    return;
  }
  const Lanes &address = values.program[*request.address];
  SmallVector<int64_t, kLanes> addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1)
      addresses.push_back(address[lane]);
  // A lane that a branch keeps from an element outside may be anywhere.
  for (int64_t &lane : addresses)
    lane = llvm::mod(lane, request.isShared ? kMostShared : kMostGlobal);
  if (request.isShared)
    cost.wavefronts += weight * double(countWavefronts(addresses, request.bytes,
                                                       request.isRead));
  else
    cost.sectors += weight * double(countSectors(addresses, request.bytes));
}

/// Indices between bounds.
static int64_t countTrips(int64_t lower, int64_t upper, int64_t step,
                          int64_t width) {
  if (upper <= lower)
    return 0;
  int64_t extent;
  if (llvm::SubOverflow(upper, lower, extent))
    extent = std::numeric_limits<int64_t>::max();
  return add(multiply(extent / step, width), std::min(extent % step, width));
}

/// Sample `i` of `count` out of `total`, one from each part: the same for
/// everyone who asks.
static int64_t getSample(int64_t i, int64_t count, int64_t total) {
  int64_t first = i * (total / count) + std::min(i, total % count);
  int64_t size = total / count + (i < total % count);
  return first + (i == 0 ? 0 : (i * 40503 + 17) % size);
}

void MapCosts::Nest::visitLoop(unsigned number, uint32_t mask, double weight,
                               Visits visits, MapCost &cost) {
  const Body &loop = bodies[number];
  LaneProgram &program = values.program;
  Lanes trips;
  int64_t most = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    trips[lane] = loop.isUnknown ? kNominalTrips
                                 : countTrips(program[loop.lower][lane],
                                              program[loop.upper][lane],
                                              loop.step, loop.width);
    if (mask >> lane & 1)
      most = std::max(most, trips[lane]);
  }
  int64_t samples = visits.countTrips(most);
  if (samples < most)
    cost.isExact = false;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t trip = getSample(i, samples, most);
    int64_t distance =
        add(multiply(trip / loop.width, loop.step), trip % loop.width);
    uint32_t working = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      program[loop.index][lane] =
          int64_t(uint64_t(program[loop.lower][lane]) + uint64_t(distance));
      working |= uint32_t(trip < trips[lane]) << lane;
    }
    visit(number, mask & working, weight * double(most) / double(samples),
          visits.getInner(samples), cost);
  }
}

void MapCosts::Nest::visit(unsigned number, uint32_t mask, double weight,
                           Visits visits, MapCost &cost) {
  if (mask == 0)
    return;
  const Body &body = bodies[number];
  values.program.run(body.region);
  cost.instructions += weight * double(body.instructions);
  for (const Request &request : body.requests)
    count(request, mask, weight, cost);
  for (unsigned loop : body.loops)
    visitLoop(loop, mask, weight, visits, cost);
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

namespace {
/// The threads of a launch, or of a team with its turns, warp by warp.
class Threads {
public:
  Threads(const Mapping &mapping, ArrayRef<int64_t> bounds);

  int64_t countWarps() const { return blocks * warps; }
  int64_t countBlocks() const { return blocks; }
  double countThreads() const { return double(blocks) * double(perBlock); }
  int64_t countInstructions() const { return program.countInstructions(); }
  /// Computes the indices of warp `number`; a bit for each lane that has one.
  uint32_t run(int64_t number);
  const Lanes &getIndex(unsigned d) const { return program[indices[d]]; }

private:
  LaneProgram program;
  /// Extents and coordinates, x first: of the grid or of turns, then of the
  /// block or team.
  SmallVector<int64_t, 6> outerExtents, innerExtents;
  SmallVector<Slot, 6> outer, inner;
  SmallVector<Slot> indices, guards;
  int64_t blocks = 1, perBlock = 1, warps = 1;
};
} // namespace

Threads::Threads(const Mapping &mapping, ArrayRef<int64_t> bounds) {
  MLIRContext *context = mapping.getContext();
  SmallVector<Slot> dims, symbols;
  for (int64_t bound : bounds)
    symbols.push_back(program.addConstant(bound));
  unsigned numOuter = mapping.image().rank(), numInner = 0;
  if (auto last = llvm::to_vector(mapping.combinators());
      !last.empty() && last.back().kind() == Combinator::Kind::GridBlock)
    numInner = last.back().arguments().front();
  else
    numInner = numOuter - mapping.serialRank();
  numOuter -= numInner;
  SmallVector<AffineExpr> thread;
  for (auto [d, extent] : llvm::enumerate(mapping.image().extents())) {
    thread.push_back(getAffineDimExpr(d, context));
    dims.push_back(program.addInput());
    int64_t value =
        std::max<int64_t>(evaluate(extent, {}, bounds).value_or(1), 0);
    bool isOuter = d < numOuter;
    (isOuter ? outerExtents : innerExtents).push_back(value);
    (isOuter ? outer : inner).push_back(dims.back());
    (isOuter ? blocks : perBlock) *= value;
  }
  warps = llvm::divideCeil(perBlock, kLanes);
  for (AffineExpr index : mapping.inverse(thread))
    indices.push_back(program.add(index, dims, symbols));
  for (AffineExpr guard : mapping.guard(thread))
    guards.push_back(program.add(guard, dims, symbols));
}

/// Sets the coordinates at row-major `position` in one lane.
static void setCoordinates(LaneProgram &program, ArrayRef<Slot> slots,
                           ArrayRef<int64_t> extents, unsigned lane,
                           int64_t position) {
  for (size_t d = extents.size(); d-- > 0;) {
    program[slots[d]][lane] = position % extents[d];
    position /= extents[d];
  }
}

uint32_t Threads::run(int64_t number) {
  int64_t block = number / warps, first = number % warps * kLanes;
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    setCoordinates(program, outer, outerExtents, lane, block);
    int64_t thread = std::min(first + lane, perBlock - 1);
    setCoordinates(program, inner, innerExtents, lane, thread);
    mask |= uint32_t(first + lane < perBlock) << lane;
  }
  program.run();
  for (Slot guard : guards)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (program[guard][lane] < 0)
        mask &= ~(uint32_t(1) << lane);
  return mask;
}

MapCosts::MapCosts(ParOp op) : nest(std::make_unique<Nest>(op)) {
  SmallVector<Slot> slots = llvm::map_to_vector(
      op->getOperands(), [&](Value bound) { return nest->values.get(bound); });
  nest->values.setContext(0);
  nest->values.program.run();
  for (Slot slot : slots)
    bounds.push_back(nest->values.program.isUnknown(slot)
                         ? kNominalBound
                         : nest->values.program[slot][0]);
}

MapCosts::~MapCosts() = default;

bool MapCosts::touchesMemory() const {
  return llvm::any_of(nest->bodies,
                      [](const Body &body) { return !body.requests.empty(); });
}

/// What starting a block of a device costs, in the time of instructions.
static constexpr double kBlockInstructions = 64;

/// Warps that are looked at, and iterations of a loop of each.
static std::pair<int64_t, int64_t> getEffort(Effort effort) {
  return effort == Effort::Glance ? std::pair(48, 3) : std::pair(512, 32);
}

/// Indices of a space, with values for its symbols.
static double countIndices(const IndexSpace &space, ArrayRef<int64_t> bounds) {
  double count = 1;
  auto get = [&](AffineExpr expr) {
    return evaluate(expr, {}, bounds).value_or(1);
  };
  for (const IndexRange &range : space.ranges())
    count *= double(countTrips(get(range.lower), get(range.upper),
                               get(range.step), get(range.width)));
  return count;
}

MapCost MapCosts::predict(const Mapping &mapping, Effort effort) {
  Threads threads(mapping, bounds);
  MapCost cost;
  int64_t total = threads.countWarps();
  auto [mostWarps, mostTrips] = getEffort(effort);
  int64_t samples = std::min(total, mostWarps);
  cost.threads = threads.countThreads();
  cost.isExact = samples == total && !nest->values.hasContext();
  for (int64_t i = 0; i < samples; ++i) {
    uint32_t mask = threads.run(getSample(i, samples, total));
    nest->values.setContext(i % 4);
    for (auto [d, slot] : llvm::enumerate(nest->values.indices))
      nest->values.program[slot] = threads.getIndex(d);
    cost.working += llvm::popcount(mask);
    nest->visit(0, mask, /*weight=*/1, {mostTrips}, cost);
  }
  // Drawn warps stand for as many indices as they have, so that it does not
  // matter how many idle ones are among them.
  double working = countIndices(mapping.domain(), bounds);
  double scale = cost.working > 0 ? working / cost.working : 1;
  for (double *term : {&cost.sectors, &cost.wavefronts, &cost.instructions})
    *term *= scale;
  cost.working = working;
  cost.recovery = double(threads.countInstructions()) * double(total);
  cost.instructions += cost.recovery;
  if (mapping.launch())
    cost.instructions += kBlockInstructions * double(threads.countBlocks());
  return cost;
}

// Note [What is predicted]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// Threads with neighbouring numbers should touch neighbouring addresses; what
// it costs when they do not is the number of sectors that their request takes.
// So warps are drawn, evenly from all there are, the indices of their lanes are
// recovered as the kernel does, and the addresses of every access computed:
// exactly, if all warps are looked at. Loops inside count as often as they run;
// of long ones a few iterations stand for all. A subscript that was loaded is
// some number that depends on where it was loaded from, so it is the same for
// lanes that loaded the same and scatters others. A branch counts as taken.
// What the compiler makes of the accesses of a thread, two neighbours as one
// vector for example, is not looked at: it is the same for all mappings.
