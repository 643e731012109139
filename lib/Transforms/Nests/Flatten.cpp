//===- Flatten.cpp - Versions of nests of rows ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Incremental flattening: Henriksen, Thoroe, Elsman and Oancea, "Incremental
// flattening for nested data parallelism", PPoPP 2019. An outermost tc.par
// whose iterations have work for several threads, its rows, can be run in four
// ways, and which is best is a matter of extents:
//
//   thread  a thread for each row: a block has as many rows, and its part of the
//           nest is cut as that of all blocks is for `device`
//   warp    a warp of a block for each row
//   block   a block for each row, as tc-bind has it
//   device  all blocks for all rows: the nest is cut into one for each op that
//           has work for several threads (NestParts.h), and the nest of a loop
//           is a loop of nests; maps become one index space, and reductions and
//           scans have segments
//
// Extents that are known choose; for others the host compares. Rows that hold
// nests of rows in turn are cut likewise while they are few, and the nests that
// this gives have versions of their own.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "Nests/Bands.h"
#include "Nests/IndexPositions.h"
#include "Nests/NestParts.h"
#include "Reductions/Fold.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_FLATTEN
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Rows of a block whose warps have one each.
static constexpr int64_t kRowsOfWarps = 8;
/// Bytes of the buffers of all rows of a block whose threads have one each.
static constexpr int64_t kMostBlockBytes = 32 * 1024;
/// Terms of a row that a warp is done with as soon as a block, and of one that
/// is worth the launches of more kernels; see docs/Performance.md.
static constexpr int64_t kShortRow = 128, kLongRow = 16384;
/// Terms of a row that a thread is done with, and rows for each multiprocessor
/// that keep it busy then.
static constexpr int64_t kTinyRow = 64, kFullOfThreads = 512;
/// Rows for each multiprocessor that keep it busy: with warps, with blocks, and
/// with blocks that scan, which all blocks do in two passes over memory.
static constexpr int64_t kFullOfWarps = 24, kFullOfBlocks = 2, kFullOfScans = 1;
/// Bytes of a row's buffers that are held as well eight times in a block.
static constexpr int64_t kMostRowBytes = 4096;

/// Who runs a row.
using Version = Level;

/// Has `op` work for several threads, that nobody has dealt out?
static bool isTeamOp(Operation *op) {
  return isa<ParOp, ReduceOp, ScanOp>(op) && !hasFewIterations(op);
}

/// Is `op` a loop that holds such work?
static bool isTeamLoop(Operation *op) {
  auto loop = dyn_cast<SeqOp>(op);
  return loop && llvm::any_of(*loop.getBody(), [](Operation &inner) {
           return isTeamOp(&inner) || isTeamLoop(&inner);
         });
}

static bool isToComeOut(Operation *op) {
  return isTeamOp(op) || isTeamLoop(op);
}

/// Does a nest of `block` hold nests in turn?
static bool holdsDeepNest(Block &block) {
  return llvm::any_of(block, [](Operation &op) {
    if (isTeamLoop(&op))
      return holdsDeepNest(*cast<SeqOp>(op).getBody());
    return isTeamOp(&op) && containsOp(op, [&](Operation *inner) {
             return inner != &op && isTeamOp(inner);
           });
  });
}

/// The first op in `block` with work for several threads, outside of others.
static Operation *findFirstTeamOp(Block &block) {
  for (Operation &op : block) {
    if (isTeamOp(&op))
      return &op;
    if (isTeamLoop(&op))
      return findFirstTeamOp(*cast<SeqOp>(op).getBody());
  }
  return nullptr;
}

namespace {
/// How nests get their versions.
struct Flattening {
  MachineAttr machine;
  /// That of each nest that can have it; none where extents choose.
  std::optional<Version> wanted;

  /// Replaces `par`, if it is a nest of rows.
  void run(ParOp par) const;
};

/// One nest of rows.
class RowNest {
public:
  explicit RowNest(ParOp par) : par(par), parts(par, isToComeOut) {}

  /// Is it one of rows that somebody may yet choose a version of?
  bool isOne();
  void run(const Flattening &how);

private:
  using Choice = std::pair<Value, Version>; ///< if the condition holds

  bool isDeep() { return holdsDeepNest(*par.getBody()); }
  std::string findThreadObstacle();
  std::string findWarpObstacle();
  std::string findCutObstacle();
  bool mayBe(Version version, StringRef obstacle);
  void emitCounts();
  Value compare(OpFoldResult count, arith::CmpIPredicate predicate,
                int64_t limit);
  SmallVector<Choice> findChoices(MachineAttr machine);
  ParOp dealOut(int64_t rowsOfBlock);
  void useThreads();
  void useWarps();
  void cut(function_ref<void(ParOp)> handle);
  void useTogether(Level team);
  void apply(Version version, const Flattening &how);
  /// Replaces the nest by versions, the first whose condition holds.
  void build(ArrayRef<Choice> choices, Version last, const Flattening &how);

  ParOp par;
  NestParts parts;
  /// Rows, and terms of each.
  OpFoldResult rows, terms;
};
} // namespace

bool RowNest::isOne() {
  // What copies or waits is written for the threads of one block.
  bool isFree = !containsOp(*par, [](Operation *op) {
    return isa<StageOp, CacheOp, gpu::BarrierOp, PtxOp>(op) ||
           (isa<ParOp, ReduceOp, ScanOp>(op) && isWrittenByHand(op));
  });
  return isFree && llvm::any_of(*par.getBody(),
                                [](Operation &op) { return isToComeOut(&op); });
}

//===----------------------------------------------------------------------===//
// What can be
//===----------------------------------------------------------------------===//

/// The first op in `op` that is more than work of one thread, or nothing.
static Operation *findTeamOpIn(Operation *op) {
  Operation *found = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    bool isTogether = nested != op && (isTeamOp(nested) ||
                                       isa<SumOp, ContractOp, NewOp>(nested));
    found = isTogether ? nested : nullptr;
    return isTogether ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::string RowNest::findThreadObstacle() {
  int64_t bytes = 0;
  for (auto buffer : par.getBody()->getOps<NewOp>())
    bytes += countBufferBytes(cast<MemRefType>(buffer.getType()))
                 .value_or(kMostBlockBytes);
  if (bytes * kRowsOfTile > kMostBlockBytes)
    return "a row has buffers of " + std::to_string(bytes) + " bytes";
  auto isOfRow = [&](Value init) {
    return par.getRegion().isAncestor(init.getParentRegion());
  };
  Operation *found = nullptr;
  par.walk([&](Operation *op) {
    TypeSwitch<Operation *>(op).Case<ReduceOp, ScanOp>([&](auto fold) {
      if (isTeamOp(fold) && llvm::any_of(fold.getInits(), isOfRow))
        found = op;
    });
  });
  return found ? "the neutral element of " + quoteName(found) +
                     " changes with the row"
               : "";
}

std::string RowNest::findWarpObstacle() {
  int64_t bytes = 0;
  for (Operation &op : par.getBody()->without_terminator()) {
    if (auto buffer = dyn_cast<NewOp>(op)) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.getMemorySpace() || buffer.getThreads() != 0 || buffer.getSlot())
        return "a buffer of the row has a memory space";
      bytes += countBufferBytes(type).value_or(kMostRowBytes + 1);
      continue;
    }
    if (op.getNumRegions() == 0)
      continue;
    if (!isa<ParOp, ReduceOp, ScanOp>(op))
      return quoteName(&op) + " stands between";
    if (Operation *inner = findTeamOpIn(&op))
      return quoteName(inner) + " is nested in " + quoteName(&op);
  }
  if (bytes > kMostRowBytes)
    return "a row has buffers of " + std::to_string(bytes) + " bytes";
  return {};
}

/// Why ops of `block`, of each iteration of `par`, cannot be of all iterations.
/// The nests among them may hold others if `isOfNests`.
static std::string findVarying(ParOp par, Block &block, bool isOfNests) {
  for (Operation &op : block) {
    if (isTeamLoop(&op)) {
      std::string obstacle =
          findVarying(par, *cast<SeqOp>(op).getBody(), isOfNests);
      if (!obstacle.empty())
        return obstacle;
      continue;
    }
    bool isWhole = isOfNests && isTeamOp(&op) && isa<ParOp>(op);
    if (Operation *inner = isWhole ? nullptr : findTeamOpIn(&op))
      return quoteName(inner) + " is nested in " + quoteName(&op);
    if (isTeamOp(&op) && !hasFixedBounds(&op, par))
      return "the bounds of " + quoteName(&op) + " change with the row";
  }
  return {};
}

std::string RowNest::findCutObstacle() {
  if (std::string obstacle = findVarying(par, *par.getBody(), isDeep());
      !obstacle.empty())
    return obstacle;
  for (const NestParts::Part &part : parts.get())
    if (isTeamLoop(part.front()))
      if (std::string obstacle = parts.findObstacle(cast<SeqOp>(part.front()));
          !obstacle.empty())
        return obstacle;
  return parts.findObstacle();
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// Deals the rows out to blocks, `rowsOfBlock` to each; the nest of those of a
/// block, in place of the other.
ParOp RowNest::dealOut(int64_t rowsOfBlock) {
  OpBuilder builder(par);
  Location loc = par.getLoc();
  IndexBuilder math(loc, builder);
  IndexPositions positions(par.getBounds());
  OpFoldResult count = positions.count(math), zero = math.getIndexAttr(0);
  AffineMap rest = AffineMap::get(
      2, 0,
      {builder.getAffineDimExpr(1) - builder.getAffineDimExpr(0),
       builder.getAffineConstantExpr(rowsOfBlock)},
      builder.getContext());
  std::optional<int64_t> known = getConstantIntValue(count);
  ParOp inner;
  auto numberRow = [&](OpBuilder &, Location, ValueRange first) {
    OpFoldResult left = builder.getIndexAttr(rowsOfBlock);
    if (!known || *known % rowsOfBlock != 0)
      left = affine::makeComposedFoldedAffineMin(builder, loc, rest,
                                                 {first.front(), count});
    inner = ParOp::create(
        builder, loc, {}, {zero}, {left}, {1},
        [&](OpBuilder &, Location, ValueRange number) {
          IndexBuilder inBlock(loc, builder);
          Value row = inBlock.add(first.front(), number.front());
          SmallVector<Value> indices = positions.indicesAt(inBlock, row);
          for (auto [old, index] : llvm::zip_equal(par.getIndices(), indices))
            old.replaceAllUsesWith(index);
        });
    Block &body = *par.getBody();
    inner.getBody()->getOperations().splice(
        inner.getBody()->getTerminator()->getIterator(), body.getOperations(),
        body.begin(), body.getTerminator()->getIterator());
  };
  ParOp::create(builder, loc, Level::Grid, {zero}, {count}, {rowsOfBlock},
                numberRow);
  par.erase();
  return inner;
}

/// Gives `op`, a tc.reduce or tc.scan, to the threads of a team.
static void setTeam(Operation *op, Level team) {
  auto level = LevelAttr::get(op->getContext(), team);
  TypeSwitch<Operation *>(op).Case<ParOp, ReduceOp, ScanOp>(
      [&](auto nest) { nest.setLevelAttr(level); });
}

/// Deals the rows out to the warps of blocks, which run a row together.
void RowNest::useWarps() {
  for (Operation &op : par.getBody()->without_terminator())
    if (isa<ParOp>(op) || isTeamOp(&op))
      setTeam(&op, Level::Warp);
  dealOut(kRowsOfWarps).setLevel(Level::Block);
}

/// Deals the rows out to the threads of blocks. Those of a block together do
/// what has work for several threads.
void RowNest::useThreads() {
  RowNest(dealOut(kRowsOfTile)).useTogether(Level::Block);
}

/// Cuts the nest into one for each op that has work for several threads, over
/// all rows; `handle` gets these.
void RowNest::cut(function_ref<void(ParOp)> handle) {
  parts.givePlaces();
  for (const NestParts::Part &part : parts.get()) {
    ParOp nest = parts.copyWith(part);
    if (isTeamLoop(part.front()))
      interchange(nest, *nest.getOps<SeqOp>().begin());
    mergeBand(nest);
    handle(nest);
  }
  par.erase();
}

/// The only op in `par` that is more than arithmetic, if there is one.
static Operation *findOnlyOp(ParOp par) {
  Operation *only = nullptr;
  for (Operation &op : par.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0 && isPure(&op) && !isa<NewOp>(op))
      continue;
    if (only)
      return nullptr;
    only = &op;
  }
  return only;
}

/// The threads of `team`, all or those of a block, do one part of the nest after
/// the other, each for all rows.
void RowNest::useTogether(Level team) {
  cut([&](ParOp nest) {
    hoistInvariants(nest);
    Operation *only = findOnlyOp(nest);
    RowNest rest(nest); // what was in a loop may be several ops
    bool isFold = isa_and_present<ReduceOp, ScanOp>(only) && isTeamOp(only);
    if (!isFold && rest.isOne() && rest.findCutObstacle().empty())
      return rest.useTogether(team);
    if (isFold)
      setTeam(only, team);
    if (team == Level::Block)
      nest.setLevel(team);
  });
}

void RowNest::apply(Version version, const Flattening &how) {
  switch (version) {
  case Level::Thread:
    return useThreads();
  case Level::Warp:
    return useWarps();
  case Level::Device:
    if (isDeep())
      return cut([&](ParOp nest) { how.run(nest); });
    return useTogether(Level::Device);
  default:
    return par.setLevel(Level::Grid);
  }
}

void RowNest::build(ArrayRef<Choice> choices, Version last,
                    const Flattening &how) {
  OpBuilder builder(par);
  SmallVector<std::pair<ParOp, Version>> copies;
  for (auto [condition, version] : choices) {
    auto branch = scf::IfOp::create(builder, par.getLoc(), condition,
                                    /*withElseRegion=*/true);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    copies.emplace_back(cast<ParOp>(builder.clone(*par)), version);
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  if (!choices.empty())
    par->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  for (auto [copy, version] : copies)
    RowNest(copy).apply(version, how);
  apply(last, how);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Counts the rows, and the terms of the first op of a row, where these do not
/// change from row to row: null otherwise.
void RowNest::emitCounts() {
  OpBuilder builder(par);
  IndexBuilder math(par.getLoc(), builder);
  rows = IndexPositions(par.getBounds()).count(math);
  Operation *first = findFirstTeamOp(*par.getBody());
  if (hasFixedBounds(first, par))
    terms = IndexPositions(getBounds(first)).count(math);
}

static remark::RemarkOpts nameRemark(StringRef what) {
  return remark::RemarkOpts::name(what).category("tc-flatten");
}

/// Says what keeps rows from a version.
bool RowNest::mayBe(Version version, StringRef obstacle) {
  if (!obstacle.empty())
    remark::missed(par.getLoc(), nameRemark("NoVersion")) << remark::reason(
        "rows have no version '{0}': {1}", stringifyLevel(version), obstacle);
  return obstacle.empty();
}

/// Emits the comparison before the nest, or folds it.
Value RowNest::compare(OpFoldResult count, arith::CmpIPredicate predicate,
                       int64_t limit) {
  OpBuilder builder(par);
  IndexBuilder math(par.getLoc(), builder);
  return math.createOrFold<arith::CmpIOp>(predicate, math.get(count),
                                          math.constant(limit));
}

/// The versions that rows may have beside that by blocks, and when they are
/// better.
SmallVector<RowNest::Choice> RowNest::findChoices(MachineAttr machine) {
  std::string cutObstacle = findCutObstacle();
  bool hasDevice = mayBe(Level::Device, cutObstacle),
       hasWarps = !isDeep() && mayBe(Level::Warp, findWarpObstacle()),
       hasThreads = !isDeep() && mayBe(Level::Thread, cutObstacle.empty()
                                                          ? findThreadObstacle()
                                                          : cutObstacle);
  emitCounts();
  OpBuilder builder(par);
  int64_t processors = machine.getMultiprocessors();
  SmallVector<Choice> choices;
  if (hasDevice && (terms || isDeep())) {
    bool hasScan = containsOp(*par, llvm::IsaPred<ScanOp>);
    int64_t full = hasScan ? kFullOfScans : kFullOfBlocks;
    Value isBetter =
        compare(rows, arith::CmpIPredicate::slt, full * processors);
    // Nests in a nest would be run by single threads.
    if (!isDeep())
      isBetter = builder.createOrFold<arith::AndIOp>(
          par.getLoc(), isBetter,
          compare(terms, arith::CmpIPredicate::sge, kLongRow));
    choices.emplace_back(isBetter, Level::Device);
  }
  if (hasThreads && terms) {
    Value isBetter = builder.createOrFold<arith::AndIOp>(
        par.getLoc(), compare(terms, arith::CmpIPredicate::sle, kTinyRow),
        compare(rows, arith::CmpIPredicate::sge, kFullOfThreads * processors));
    choices.emplace_back(isBetter, Level::Thread);
  }
  if (hasWarps) {
    Value isBetter =
        compare(rows, arith::CmpIPredicate::sge, kFullOfWarps * processors);
    if (terms)
      isBetter = builder.createOrFold<arith::OrIOp>(
          par.getLoc(), isBetter,
          compare(terms, arith::CmpIPredicate::sle, kShortRow));
    choices.emplace_back(isBetter, Level::Warp);
  }
  return choices;
}

void RowNest::run(const Flattening &how) {
  if (how.wanted == Level::Block)
    return apply(Level::Block, how);
  SmallVector<Choice> choices = findChoices(how.machine);
  // Nests in a nest have the version when it has been cut.
  std::optional<Version> wanted =
      how.wanted && isDeep() ? Level::Device : how.wanted;
  if (wanted && llvm::is_contained(llvm::make_second_range(choices), *wanted))
    return apply(*wanted, how);
  // What constants decide needs no branch.
  SmallVector<Choice> open;
  Version last = Level::Block;
  for (auto [condition, version] : choices) {
    llvm::APInt known;
    bool isKnown = matchPattern(condition, m_ConstantInt(&known));
    if (isKnown && known.isZero())
      continue;
    if (isKnown) {
      last = version;
      break;
    }
    open.emplace_back(condition, version);
  }
  SmallVector<StringRef> names;
  for (auto [condition, version] : open)
    names.push_back(stringifyLevel(version));
  names.push_back(stringifyLevel(last));
  remark::passed(par.getLoc(), nameRemark("Versions"))
      << remark::reason("rows have the version{0} '{1}'",
                        names.size() == 1 ? "" : "s, chosen by extents,",
                        llvm::join(names, "', '"));
  build(open, last, how);
}

void Flattening::run(ParOp par) const {
  mergeBand(par);
  if (!RowNest(par).isOne())
    return;
  hoistInvariants(par);
  RowNest(par).run(*this);
}

namespace {
struct FlattenPass : tc::impl::FlattenBase<FlattenPass> {
  using FlattenBase::FlattenBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    std::optional<Version> wanted;
    if (!version.empty()) {
      wanted = symbolizeLevel(version);
      if (wanted != Level::Thread && wanted != Level::Warp &&
          wanted != Level::Block && wanted != Level::Device) {
        getOperation().emitError("expected version 'thread', 'warp', 'block' "
                                 "or 'device', got '")
            << version << "'";
        return signalPassFailure();
      }
    }
    SmallVector<ParOp> nests;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto par = dyn_cast<ParOp>(op))
        nests.push_back(par);
      return isa<ParOp, ReduceOp, ScanOp>(op) ? WalkResult::skip()
                                              : WalkResult::advance();
    });
    for (ParOp par : nests)
      Flattening{*machine, wanted}.run(par);
  }
};
} // namespace
