//===- NestWork.cpp - What the iterations of a tc.par do ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/NestWork.h"

#include "Saturating.h"

#include "tc/Analysis/Workload.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The strides of `type` in elements, with estimates for dynamic ones: rows are
/// taken to lie densely.
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

/// Bytes of a buffer, nominal where they are dynamic.
static double countBytes(MemRefType type, int64_t bytes) {
  double count = double(bytes);
  for (int64_t size : type.getShape())
    count *= double(ShapedType::isDynamic(size) ? kNominalBound : size);
  return count;
}

/// More bytes than shared and global memory have; whole rounds of the banks.
static constexpr int64_t kMostShared = int64_t(1) << 24;
static constexpr int64_t kMostGlobal = int64_t(1) << 56;

/// Iterations of a loop of which nothing is known.
static constexpr int64_t kNominalTrips = 16;

/// Copies of a loop's body that LLVM writes out, whose loads wait together.
static constexpr double kUnrolled = 4;

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

NestWork::NestWork(ParOp op) : values(op) {
  bodies.emplace_back();
  addOps(*op.getBody(), 0);
  for (const Body &body : bodies)
    near = std::max<unsigned>(near, body.requests.size());
}

bool NestWork::touchesMemory() const {
  return llvm::any_of(bodies,
                      [](const Body &body) { return !body.requests.empty(); });
}

unsigned NestWork::addLoop(const NestRange &range, unsigned body) {
  Body loop;
  loop.lower = values.get(range.lower);
  loop.upper = values.get(range.upper);
  loop.step = std::max<int64_t>(range.step.value_or(1), 1);
  loop.width = range.width.value_or(1);
  loop.isUnknown = values.program.isUnknown(loop.lower) ||
                   values.program.isUnknown(loop.upper);
  loop.index = values.addLoop(range.index);
  loop.region = values.program.getRegion(loop.index);
  loop.instructions = 2;
  bodies[body].loops.push_back(bodies.size());
  bodies.push_back(std::move(loop));
  return bodies.size() - 1;
}

/// The loads of global memory in `block` that `value` waits for, one after
/// another.
unsigned NestWork::countRounds(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || op->getNumRegions() > 0)
    return 0;
  if (auto it = rounds.find(value); it != rounds.end())
    return it->second;
  unsigned most = 0;
  for (Value operand : op->getOperands())
    most = std::max(most, countRounds(operand, block));
  rounds[value] = most;
  return most;
}

void NestWork::addRequests(Operation *op, unsigned body) {
  NestValues &nest = values.getNestValues();
  bool isWaitedFor = false;
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
    if (request.isRead && !request.isShared) {
      if (read.insert(access.buffer).second)
        readBytes += countBytes(type, *bytes);
      isWaitedFor = true;
    }
  }
  if (!isWaitedFor)
    return;
  unsigned before = 0;
  for (Value operand : op->getOperands())
    before = std::max(before, countRounds(operand, op->getBlock()));
  for (Value result : op->getResults())
    rounds[result] = before + 1;
  bodies[body].rounds = std::max(bodies[body].rounds, before + 1);
}

/// Adds what `op` has the units of a multiprocessor do for each lane.
static void addUnits(Operation *op, UnitLanes &units) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      op->getNumOperands() == 0)
    return;
  Type type = op->getOperandTypes().front();
  auto vector = dyn_cast<VectorType>(type);
  units.of(getUnit(type)) += vector ? double(vector.getNumElements()) : 1;
}

void NestWork::addOps(Block &block, unsigned body) {
  for (Operation &op : block.without_terminator()) {
    unsigned inside = body;
    for (const NestRange &range : getRanges(&op))
      inside = addLoop(range, inside);
    ++bodies[body].instructions;
    addUnits(&op, bodies[body].units);
    addRequests(&op, body);
    // Branches count as taken.
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        addOps(nested, inside);
  }
}

//===----------------------------------------------------------------------===//
// L1
//===----------------------------------------------------------------------===//

static int64_t getLine(int64_t sector) {
  return sector / (kLineBytes / kSectorBytes);
}

void BlockCache::startBlock(int64_t warps, unsigned near) {
  this->near = near;
  share = std::max<int64_t>(LoadCache::kLines / std::max<int64_t>(warps, 1), 1);
  together.clear();
  stored.clear();
  startWarp();
}

void BlockCache::startWarp() {
  own = LoadCache(share);
  place = 0;
}

BlockCache::Missed BlockCache::load(ArrayRef<int64_t> sectors) {
  Missed missed;
  int64_t part = place++ / near, lastLine = -1;
  for (int64_t sector : sectors) {
    LoadCache::Missed ofOwn;
    uint64_t begin = uint64_t(sector) * kSectorBytes;
    own.load(begin, begin + kSectorBytes, ofOwn);
    if (!ofOwn.sectors)
      continue;
    ++missed.own;
    if (!together.insert({sector, part}).second ||
        together.contains({sector, part - 1}) ||
        together.contains({sector, part + 1}))
      continue;
    ++missed.sectors;
    missed.lines += getLine(sector) != lastLine;
    lastLine = getLine(sector);
  }
  return missed;
}

int64_t BlockCache::store(ArrayRef<int64_t> sectors) {
  return llvm::count_if(
      sectors, [&](int64_t sector) { return stored.insert(sector).second; });
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void NestWork::startBlock(int64_t warps, uint64_t sample) {
  this->sample = sample;
  values.setContext(sample % 4);
  cache.startBlock(warps, near);
}

/// The sectors that hold `bytes` from each address, which it sorts.
static SmallVector<int64_t, kLanes>
getSectors(MutableArrayRef<int64_t> addresses, int64_t bytes) {
  // Most requests are of neighbours; llvm::sort calls qsort.
  if (!llvm::is_sorted(addresses))
    std::sort(addresses.begin(), addresses.end());
  SmallVector<int64_t, kLanes> sectors;
  int64_t next = 0;
  for (int64_t address : addresses) {
    int64_t sector = std::max(address / kSectorBytes, next);
    for (; sector <= (address + bytes - 1) / kSectorBytes; ++sector)
      sectors.push_back(sector);
    next = sector;
  }
  return sectors;
}

void NestWork::count(const Request &request, uint32_t mask, double weight,
                     MapCost &cost) {
  Requests &requests =
      request.isShared ? (request.isRead ? cost.sharedLoads : cost.sharedStores)
                       : (request.isRead ? cost.loads : cost.stores);
  requests.requests += weight;
  // Where nothing is known of the address, each lane has a sector, or a
  // wavefront, for itself.
  int64_t lanes = llvm::popcount(mask), wavefronts = lanes, touched = lanes,
          lines = lanes, distinct = lanes;
  BlockCache::Missed missed{lanes, lanes, lanes};
  if (request.address) {
    const Lanes &address = values.program[*request.address];
    SmallVector<int64_t, kLanes> addresses;
    // A lane that a branch keeps from an element outside may be anywhere.
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (mask >> lane & 1)
        addresses.push_back(llvm::mod(
            address[lane], request.isShared ? kMostShared : kMostGlobal));
    if (request.isShared) {
      wavefronts = countWavefronts(addresses, request.bytes, request.isRead);
    } else {
      auto sectors = getSectors(addresses, request.bytes);
      touched = int64_t(sectors.size());
      lines = 0;
      for (size_t i = 0; i < sectors.size(); ++i)
        lines += i == 0 || getLine(sectors[i]) != getLine(sectors[i - 1]);
      if (request.isRead)
        missed = cache.load(sectors);
      else
        distinct = cache.store(sectors);
    }
  }
  if (request.isShared) {
    requests.wavefronts += weight * double(wavefronts);
    return;
  }
  requests.sectors += weight * double(touched);
  requests.lines += weight * double(lines);
  if (request.isRead) {
    cost.l2Sectors += weight * double(missed.sectors);
    cost.l2Lines += weight * double(missed.lines);
    cost.ownMisses += weight * double(missed.own);
    cost.loadedBytes += weight * double(lanes * request.bytes);
  } else {
    cost.distinctStored += weight * double(distinct);
    cost.storedBytes += weight * double(lanes * request.bytes);
  }
}

void NestWork::visitLoop(unsigned number, uint32_t mask, double weight,
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
  int64_t samples = visits.countTrips(most), first = 0, warming = 0;
  if (samples < most) {
    cost.isExact = false;
    // A run somewhere, behind an iteration that fills the cache and counts for
    // nothing: what one loads the next may find.
    warming = visits.most > samples;
    first = warming + int64_t((sample * 40503 + 17) % uint64_t(most - samples));
  }
  Visits inner = visits.getInner(std::max<int64_t>(samples + warming, 1));
  for (int64_t trip = first - warming; trip < first + samples; ++trip) {
    int64_t distance =
        add(multiply(trip / loop.width, loop.step), trip % loop.width);
    uint32_t working = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      program[loop.index][lane] =
          int64_t(uint64_t(program[loop.lower][lane]) + uint64_t(distance));
      working |= uint32_t(trip < trips[lane]) << lane;
    }
    double each = trip < first ? 0 : double(most) / double(samples);
    visit(number, mask & working, weight * each, inner, cost);
  }
}

void NestWork::visit(unsigned number, uint32_t mask, double weight,
                     Visits visits, MapCost &cost) {
  if (mask == 0)
    return;
  const Body &body = bodies[number];
  values.program.run(body.region);
  cost.instructions += weight * double(body.instructions);
  for (auto [all, own] : llvm::zip_equal(cost.units.lanes, body.units.lanes))
    all += weight * kLanes * own;
  bool isUnrolled = number > 0 && body.loops.empty();
  cost.rounds += weight * body.rounds / (isUnrolled ? kUnrolled : 1);
  for (const Request &request : body.requests)
    count(request, mask, weight, cost);
  for (unsigned loop : body.loops)
    visitLoop(loop, mask, weight, visits, cost);
}

void NestWork::visitWarp(uint32_t mask, Visits visits, MapCost &cost) {
  cache.startWarp();
  visit(0, mask, /*weight=*/1, visits, cost);
}
