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
//   thread  a thread for each row: a block has as many rows, and its part of
//           the nest is cut as that of all blocks is for `device`
//   warp    a warp of a block for each row
//   block   a block for each row, as tc-bind has it; buffers in which each row
//           has a part of its own are in shared memory if that is small
//   device  all blocks for all rows: the nest is cut into one for each op that
//           has work for several threads (NestParts.h), and the nest of a loop
//           is a loop of nests; maps become one index space, and reductions and
//           scans have segments
//
// Extents that are known choose; for others the host compares, with limits that
// have names (tc.threshold). Rows that hold nests of rows in turn are cut
// likewise while they are few, and the nests that this gives have versions of
// their own.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "Flattening/BlockRows.h"
#include "Flattening/RowVersions.h"
#include "Nests/Bands.h"
#include "Nests/IndexPositions.h"

#include "tc/Analysis/NestAccess.h"
#include "tc/Analysis/Thresholds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Terms of a row that a warp is done with as soon as a block, and of one row
/// alone that is worth the launches of more kernels; see docs/Performance.md.
static constexpr int64_t kShortRow = 128, kLongRow = 12288;
/// Rows for each multiprocessor that keep it busy: with warps, with blocks, and
/// with blocks that scan, which all blocks do in two passes over memory.
static constexpr int64_t kFullOfWarps = 24, kFullOfBlocks = 4, kFullOfScans = 1;
/// Terms of a row that a thread is done with as soon, and rows for each
/// multiprocessor that keep it busy with threads.
static constexpr int64_t kTinyRow = 64, kFullOfThreads = 512;
/// The same as kFullOfBlocks of rows that hold nests, which single threads
/// would run.
static constexpr int64_t kFullOfNests = 2;
/// Versions of a nest, with those of the nests that it is cut into.
static constexpr int64_t kMostVersions = 8;

/// Who runs a row.
using Version = Level;

/// The versions, and how messages name them.
static constexpr Version kVersions[] = {Level::Device, Level::Thread,
                                        Level::Warp, Level::Block};
static constexpr StringRef kExpected = "'thread', 'warp', 'block' or 'device'";

static remark::RemarkOpts nameRemark(StringRef what) {
  return remark::RemarkOpts::name(what).category("tc-flatten");
}

namespace {
/// How an outermost nest, and those that it is cut into, get their versions.
struct Flattening {
  MachineAttr machine;
  Thresholds &thresholds;
  /// That of each nest that can have it; none where extents choose.
  std::optional<Version> wanted;
  int64_t versionsLeft = kMostVersions - 1; ///< beside the first

  /// Replaces `par` by nests with versions, if it is one of rows; is it? `name`
  /// is that of its limits.
  bool run(ParOp par, const std::string &name);
};

/// A version, and the condition for it.
using Choice = std::pair<Value, Version>;

/// One nest of rows.
class RowNest {
public:
  explicit RowNest(ParOp par, std::string name = "")
      : RowNest(par, std::move(name), BlockBuffers(par)) {}

  void run(Flattening &how);

private:
  RowNest(ParOp par, std::string name, BlockBuffers buffers)
      : par(par), name(std::move(name)), versions(par),
        buffers(std::move(buffers)) {}

  bool mayBe(Version version, StringRef obstacle);
  void emitCounts();
  std::string nameLimit(Version version);
  Choice choose(Version version, Value number, int64_t limit,
                Thresholds &thresholds);
  Choice chooseDevice(int64_t processors, Thresholds &thresholds);
  Choice chooseThreads(int64_t processors, Thresholds &thresholds);
  Choice chooseWarps(int64_t processors, Thresholds &thresholds);
  SmallVector<Choice> findChoices(const Flattening &how);
  void keepFew(SmallVector<Choice> &choices, int64_t &left);
  void apply(Version version, Flattening &how);
  void splitOff(Value condition, StringRef what, int64_t &left,
                function_ref<void(ParOp)> change);
  void useBlocks(int64_t &left);
  /// Replaces the nest by versions, the first whose condition holds.
  void build(ArrayRef<Choice> choices, Version last, Flattening &how);

  ParOp par;
  std::string name;
  RowVersions versions;
  BlockBuffers buffers;
  /// Rows, and terms of each.
  OpFoldResult rows, terms;
};
} // namespace

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

void RowNest::apply(Version version, Flattening &how) {
  int64_t number = 0;
  switch (version) {
  case Level::Thread:
    return versions.useThreads();
  case Level::Warp:
    return versions.useWarps();
  case Level::Device:
    if (versions.isDeep())
      return versions.cut([&](ParOp nest) {
        number += how.run(nest, name + "." + std::to_string(number));
      });
    return versions.useDevice();
  default:
    return useBlocks(how.versionsLeft);
  }
}

/// Runs the nest as `change` makes it, which is to have `what`, where
/// `condition` holds: a version for that, unless there are enough.
void RowNest::splitOff(Value condition, StringRef what, int64_t &left,
                       function_ref<void(ParOp)> change) {
  llvm::APInt known;
  bool isKnown = matchPattern(condition, m_ConstantInt(&known));
  if (isKnown ? known.isZero() : left == 0)
    return;
  remark::passed(par.getLoc(), nameRemark("SmallRows")) << remark::reason(
      "blocks have {0}{1}", what, isKnown ? "" : " where rows are small");
  if (isKnown)
    return change(par);
  --left;
  OpBuilder builder(par);
  auto branch = scf::IfOp::create(builder, par.getLoc(), condition,
                                  /*withElseRegion=*/true);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  change(cast<ParOp>(builder.clone(*par)));
  par->moveBefore(branch.elseBlock()->getTerminator());
}

/// Gives each row to a block; small rows are versions of their own.
void RowNest::useBlocks(int64_t &left) {
  par.setLevel(Level::Grid);
  IndexBuilder math(par.getLoc(), OpBuilder(par));
  Value fits = buffers.emitFit(math), isOneTurn = emitIsOneTurn(par, math);
  if (isOneTurn && !matchPattern(isOneTurn, m_Constant()))
    splitOff(math.both(fits, isOneTurn), "a thread for each iteration in a row",
             left, [&](ParOp copy) {
               buffers.moveInto(copy);
               limitToOneTurn(copy);
             });
  if (!buffers.empty())
    splitOff(fits, "buffers of rows in shared memory", left,
             [&](ParOp copy) { buffers.moveInto(copy); });
}

void RowNest::build(ArrayRef<Choice> choices, Version last, Flattening &how) {
  OpBuilder builder(par);
  SmallVector<std::pair<ParOp, Version>> copies;
  for (auto [condition, version] : choices) {
    // Compared only where no version before it is taken.
    condition.getDefiningOp()->moveBefore(builder.getInsertionBlock(),
                                          builder.getInsertionPoint());
    auto branch = scf::IfOp::create(builder, par.getLoc(), condition,
                                    /*withElseRegion=*/true);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    copies.emplace_back(cast<ParOp>(builder.clone(*par)), version);
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  if (!choices.empty())
    par->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  for (auto [copy, version] : copies)
    RowNest(copy, name, buffers).apply(version, how);
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
  Operation *first = collectTeamOps(*par.getBody()).front();
  if (hasFixedBounds(first, par))
    terms = IndexPositions(getBounds(first)).count(math);
}

/// Says what keeps rows from a version.
bool RowNest::mayBe(Version version, StringRef obstacle) {
  if (!obstacle.empty())
    remark::missed(par.getLoc(), nameRemark("NoVersion")) << remark::reason(
        "rows have no version '{0}': {1}", stringifyLevel(version), obstacle);
  return obstacle.empty();
}

std::string RowNest::nameLimit(Version version) {
  return name + "." + stringifyLevel(version).str();
}

/// The version where `number` reaches its limit; a constant decides here.
Choice RowNest::choose(Version version, Value number, int64_t defaultLimit,
                       Thresholds &thresholds) {
  std::string name = nameLimit(version);
  IndexBuilder math(par.getLoc(), OpBuilder(par));
  int64_t limit = thresholds.get(name, defaultLimit);
  if (matchPattern(number, m_Constant()))
    return {math.isAtLeast(number, limit), version};
  return {ThresholdOp::create(math, number, name, limit), version};
}

/// All blocks are better once the time that they save is worth the launches of
/// more kernels. A block has so many terms to itself that the time of few rows
/// is that of one: what is saved are its terms, times the rows that the machine
/// has room for beside these.
Choice RowNest::chooseDevice(int64_t processors, Thresholds &thresholds) {
  IndexBuilder math(par.getLoc(), OpBuilder(par));
  bool hasScan = containsOp(*par, llvm::IsaPred<ScanOp>);
  int64_t full = processors * (versions.isDeep() ? kFullOfNests
                               : hasScan         ? kFullOfScans
                                                 : kFullOfBlocks);
  Value saved = math.subtract(math.constant(full), math.get(rows));
  saved = math.createOrFold<arith::MaxSIOp>(saved, math.constant(0));
  if (!versions.isDeep())
    saved = math.multiply(saved, math.get(terms));
  int64_t limit = versions.isDeep() ? 1 : full * kLongRow;
  return choose(Level::Device, saved, limit, thresholds);
}

/// Threads are better for rows that are tiny, once there are enough.
Choice RowNest::chooseThreads(int64_t processors, Thresholds &thresholds) {
  IndexBuilder math(par.getLoc(), OpBuilder(par));
  Value isTiny = math.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sle, math.get(terms), math.constant(kTinyRow));
  Value count = math.createOrFold<arith::SelectOp>(isTiny, math.get(rows),
                                                   math.constant(0));
  return choose(Level::Thread, count, kFullOfThreads * processors, thresholds);
}

/// Warps are better once there are enough of them. A warp takes as many times
/// longer for a long row as there are warps in a block, but the start and the
/// end of a block are the time of some terms more; rows that are fewer than
/// blocks with a processor for each are as slow as so many.
Choice RowNest::chooseWarps(int64_t processors, Thresholds &thresholds) {
  constexpr int64_t kFew = kFullOfWarps / kRowsOfWarps;
  constexpr int64_t kTermsOfStart = (kRowsOfWarps - 1) * kShortRow;
  IndexBuilder math(par.getLoc(), OpBuilder(par));
  Value count = math.get(rows);
  if (terms) {
    Value one = math.constant(1), few = math.constant(kFew * processors);
    count = math.createOrFold<arith::MaxSIOp>(count, few);
    Value starts = math.createOrFold<arith::DivSIOp>(
        math.multiply(count, kTermsOfStart),
        math.createOrFold<arith::MaxSIOp>(math.get(terms), one));
    count = math.add(count, starts);
  }
  return choose(Level::Warp, count, kFullOfWarps * processors, thresholds);
}

/// The versions that rows may have beside that by blocks, and when they are
/// better.
SmallVector<Choice> RowNest::findChoices(const Flattening &how) {
  auto has = [&](Version version) {
    return mayBe(version, versions.findObstacle(version));
  };
  bool isDeep = versions.isDeep(), hasDevice = has(Level::Device),
       hasThreads = !isDeep && has(Level::Thread),
       hasWarps = !isDeep && has(Level::Warp);
  emitCounts();
  int64_t processors = how.machine.getMultiprocessors();
  SmallVector<Choice> choices;
  if (hasDevice && (terms || isDeep))
    choices.push_back(chooseDevice(processors, how.thresholds));
  if (hasThreads && terms)
    choices.push_back(chooseThreads(processors, how.thresholds));
  if (hasWarps)
    choices.push_back(chooseWarps(processors, how.thresholds));
  return choices;
}

/// Gives up choices that would make too many versions of the outermost nest:
/// threads, which are the best of the fewest extents, before others.
void RowNest::keepFew(SmallVector<Choice> &choices, int64_t &left) {
  while (int64_t(choices.size()) > left) {
    Choice *found = llvm::find_if(choices, [](const Choice &choice) {
      return choice.second == Level::Thread;
    });
    if (found == choices.end())
      --found;
    mayBe(found->second, "there are " + std::to_string(kMostVersions) +
                             " of the outermost nest already");
    choices.erase(found);
  }
  left -= choices.size();
}

/// Erases comparisons of `choices` that are not `kept`.
static void eraseOthers(ArrayRef<Choice> choices, ArrayRef<Choice> kept) {
  for (const Choice &choice : choices)
    if (auto op = choice.first.getDefiningOp<ThresholdOp>();
        op && !llvm::is_contained(kept, choice))
      op.erase();
}

void RowNest::run(Flattening &how) {
  if (versions.isDeep())
    how.thresholds.noteNested(name);
  if (how.wanted == Level::Block) {
    for (Version version : {Level::Device, Level::Thread, Level::Warp})
      how.thresholds.note(nameLimit(version));
    return apply(Level::Block, how);
  }
  SmallVector<Choice> choices = findChoices(how);
  // Nests in a nest have the version when it has been cut.
  std::optional<Version> wanted =
      how.wanted && versions.isDeep() ? Level::Device : how.wanted;
  if (wanted && llvm::is_contained(llvm::make_second_range(choices), *wanted)) {
    eraseOthers(choices, {});
    return apply(*wanted, how);
  }
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
  keepFew(open, how.versionsLeft);
  eraseOthers(choices, open);
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

bool Flattening::run(ParOp par, const std::string &name) {
  mergeBand(par);
  if (!RowVersions(par).isOne())
    return false;
  hoistInvariants(par);
  RowNest(par, name).run(*this);
  return true;
}

namespace {
struct FlattenPass : tc::impl::FlattenBase<FlattenPass> {
  using FlattenBase::FlattenBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine) || failed(findWanted()) ||
        failed(flatten(getOperation(), *machine)))
      return signalPassFailure();
  }

  LogicalResult findWanted() {
    wanted = symbolizeLevel(version);
    if (version.empty() || (wanted && llvm::is_contained(kVersions, *wanted)))
      return success();
    return getOperation().emitError("expected version ")
           << kExpected << ", got '" << version << "'";
  }

  /// The version that somebody has written on the nest, or that of all nests.
  /// It goes: a nest with attributes is left alone.
  FailureOr<std::optional<Version>> takeWritten(ParOp par) {
    auto helper = TCDialect::FlattenAttrHelper(&getContext());
    LevelAttr written = helper.getAttr(par);
    if (!written)
      return wanted;
    if (!llvm::is_contained(kVersions, written.getValue()))
      return par.emitOpError("expected tc.flatten ")
             << kExpected << ", got '" << stringifyLevel(written.getValue())
             << "'";
    helper.removeAttr(par);
    return std::optional(written.getValue());
  }

  LogicalResult flatten(func::FuncOp function, MachineAttr machine) {
    Thresholds known;
    if (failed(known.read(function, tuning, machine.getChip(), thresholds)))
      return failure();
    SmallVector<ParOp> nests;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto par = dyn_cast<ParOp>(op))
        nests.push_back(par);
      return isa<ParOp, ReduceOp, ScanOp>(op) ? WalkResult::skip()
                                              : WalkResult::advance();
    });
    int64_t number = 0;
    for (ParOp par : nests) {
      FailureOr<std::optional<Version>> written = takeWritten(par);
      if (failed(written))
        return failure();
      number += Flattening{machine, known, *written}.run(
          par, "rows." + std::to_string(number));
    }
    return known.verifyKnown(function);
  }

  std::optional<Version> wanted;
};
} // namespace
