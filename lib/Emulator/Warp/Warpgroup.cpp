//===- Warpgroup.cpp - Matrix products of four warps ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a warp does to the state of its group. Note [Warpgroups] in the header.
//
//===----------------------------------------------------------------------===//

#include "Warp/Warpgroup.h"
#include "Async/Async.h"
#include "Check/Checker.h"
#include "Count/Counter.h"
#include "Runtime/Scheduler.h"
#include "Translate/Flow/Flow.h"
#include "Warp/Matrix.h"
#include "Warp/Warp.h"

#include "llvm/ADT/StringExtras.h"

using llvm::Twine;

namespace tc::emulator::warpgroup {

namespace {

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

llvm::ArrayRef<unsigned> getRegisters(const Launch &launch) {
  return launch.plan.flat->trackedRegisters;
}

llvm::StringRef getName(const Launch &launch, unsigned place) {
  return launch.plan.flat->registers[getRegisters(launch)[place]].name;
}

/// "m64n128k16".
llvm::StringRef getShape(const ptx::Instruction &in) {
  for (llvm::StringRef word : in.modifiers)
    if (word.starts_with("m64"))
      return word;
  return "";
}

State &getState(AsyncState &async) {
  if (!async.groups)
    async.groups = std::make_shared<State>();
  return *async.groups;
}

Group &getGroup(const Launch &launch, State &state, unsigned warp) {
  std::unique_ptr<Group> &group = state.groups[warp / warpsOfGroup];
  if (!group) {
    group = std::make_unique<Group>();
    for (Member &member : group->members)
      member.registers.resize(getRegisters(launch).size());
  }
  return *group;
}

/// A warp at an instruction of its group.
class Visitor {
public:
  explicit Visitor(Step &step)
      : step(step), launch(step.launch),
        async(getAsync(launch, *step.warp.block)), state(getState(async)),
        group(getGroup(launch, state, step.warp.index)),
        self(step.warp.index % warpsOfGroup), member(group.members[self]) {}

  bool multiply();
  bool fence();
  bool commitGroup();
  bool waitGroup();

private:
  bool checkWarps();
  bool match(Event event);
  bool checkSame(const Event &expected, const Event &event);
  bool checkUniform(const Lanes &lanes, llvm::StringRef what);
  bool issue(const Event &event);
  bool checkDescriptor(const Product &product, bool isA, uint64_t bits);
  bool checkPieces(llvm::ArrayRef<uint32_t> pieces);
  bool checkRegisters(const Product &product);
  bool checkRegister(const Product &product, unsigned place, bool isWritten);
  bool failAt(const Twine &what, uint32_t site, FindingClass kind);
  void tellCounter(const Product &product);
  bool tellMatrices(const Product &product);
  void executeSome();
  void executeUntil(uint64_t end);
  void retireUntil(uint64_t end);
  bool isReady(uint64_t number) {
    constexpr uint32_t all = (1 << warpsOfGroup) - 1;
    return number < group.firstProduct + group.products.size() &&
           group.getProduct(number).issued == all;
  }

  Step &step;
  Launch &launch;
  AsyncState &async;
  State &state;
  Group &group;
  unsigned self; ///< which of the four
  Member &member;
};

/// A fault that another instruction takes part in.
bool Visitor::failAt(const Twine &what, uint32_t site, FindingClass kind) {
  return reportFault(step.warp, 0, step.site, what + describeSite(launch, site),
                     kind, std::nullopt, describeParty(launch, site));
}

//===----------------------------------------------------------------------===//
// The same in four warps
//===----------------------------------------------------------------------===//

bool Visitor::checkWarps() {
  if (!warp::checkAllLanes(step))
    return false;
  const uint32_t *dim = step.warp.block->blockDim;
  unsigned threads = dim[0] * dim[1] * dim[2];
  unsigned first = step.warp.index - self;
  if (threads >= (first + warpsOfGroup) * warpSize)
    return true;
  return fail(step, 0,
              "expected a warpgroup of four whole warps that begins at a "
              "multiple of four; warp " +
                  Twine(step.warp.index) + " is in that of warps " +
                  Twine(first) + " to " + Twine(first + 3) +
                  ", and the block has " + Twine(threads) + " threads");
}

bool Visitor::checkSame(const Event &expected, const Event &event) {
  std::string warp =
      ("warp " + Twine(expected.warp) + " of the warpgroup").str();
  if (expected.site != event.site)
    return failAt("expected what " + warp +
                      " executes here, as all four warps must: ",
                  expected.site, FindingClass::Collective);
  auto differs = [&](llvm::StringRef what, const std::string &wanted,
                     const std::string &got) {
    return fail(step, 0,
                "expected the " + what + " " + wanted + " of " + warp +
                    ", got " + got);
  };
  if (expected.a != event.a)
    return differs("descriptor of a", hex(expected.a), hex(event.a));
  if (expected.b != event.b)
    return differs("descriptor of b", hex(expected.b), hex(event.b));
  if (expected.isAdded != event.isAdded)
    return differs("predicate scale-d", expected.isAdded ? "true" : "false",
                   event.isAdded ? "true" : "false");
  return true;
}

/// The next instruction of this warp, which may be the first of the four.
bool Visitor::match(Event event) {
  if (!checkWarps())
    return false;
  event.warp = step.warp.index;
  uint64_t number = member.events++;
  if (number < group.firstEvent + group.events.size()) {
    if (!checkSame(group.events[number - group.firstEvent], event))
      return false;
  } else {
    for (unsigned other = 0; other < warpsOfGroup; ++other)
      if (launch.scheduler->hasEnded(step.warp.rank,
                                     step.warp.index - self + other))
        return fail(step, 0,
                    "warp " + Twine(step.warp.index - self + other) +
                        " of the warpgroup has ended, and all four warps must "
                        "execute this");
    group.events.push_back(event);
  }
  auto isOver = [&](const Member &each) {
    return each.events > group.firstEvent;
  };
  while (!group.events.empty() && llvm::all_of(group.members, isOver)) {
    group.events.pop_front();
    ++group.firstEvent;
  }
  return true;
}

bool Visitor::checkUniform(const Lanes &lanes, llvm::StringRef what) {
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (lanes[lane] != lanes[0])
      return fail(step, lane,
                  "expected the " + what + " of lane 0, " + hex(lanes[0]) +
                      ", got " + hex(lanes[lane]) + " in lane " + Twine(lane));
  return true;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

bool Visitor::checkDescriptor(const Product &product, bool isA, uint64_t bits) {
  std::string fault = Descriptor(bits).findFault(product.getShape(isA));
  return fault.empty() || fail(step, 0,
                               Twine("the descriptor ") + hex(bits) + " of " +
                                   (isA ? "a" : "b") + ": " + fault,
                               FindingClass::Misaligned);
}

/// They must lie in the block's shared memory.
bool Visitor::checkPieces(llvm::ArrayRef<uint32_t> pieces) {
  uint64_t bytes = step.warp.block->totalShared;
  for (uint32_t address : pieces)
    if (address < sharedStart || address + pieceBytes > sharedStart + bytes)
      return reportFault(step.warp, 0, step.site,
                         "the descriptors name " + Twine(pieceBytes) +
                             " bytes at shared address " + hex(address) +
                             ", expected addresses from " + hex(sharedStart) +
                             " to " + hex(sharedStart + bytes) +
                             ", the shared memory of the block",
                         FindingClass::OutOfBounds, address);
  return true;
}

/// One of the product's registers: what is in flight there, and fences.
bool Visitor::checkRegister(const Product &product, unsigned place,
                            bool isWritten) {
  LateRegister &reg = member.registers[place];
  std::string name = getName(launch, place).str();
  llvm::StringRef shape = getShape(step.instruction);
  bool hasWriter = reg.writer > member.retired;
  bool hasReader = reg.reader > member.retired;
  if (hasWriter || (isWritten && hasReader)) {
    const Product &other =
        group.getProduct((hasWriter ? reg.writer : reg.reader) - 1);
    bool isChain = isWritten && hasWriter &&
                   getShape(*other.instruction) == shape &&
                   !(hasReader && reg.reader > reg.writer);
    if (!isChain)
      return failAt("register " + name + " is in use by a wgmma in flight, " +
                        (isWritten && hasWriter
                             ? "of another shape"
                             : "and only accumulators of one shape may be "
                               "used again") +
                        "; wait for it with wgmma.wait_group before: ",
                    other.site, FindingClass::Async);
  }
  if (reg.touch)
    return failAt("register " + name +
                      " was accessed since the last wgmma.fence; execute one "
                      "between this wgmma and the access, which is ",
                  reg.touch->first, FindingClass::Async);
  if (reg.isUnfenced)
    return fail(step, 0,
                "expected a wgmma.fence before the first wgmma that uses "
                "register " +
                    name,
                FindingClass::Async);
  if (!reg.shape.empty() && reg.shape != shape)
    return fail(step, 0,
                "register " + Twine(name) + " was an accumulator of shape " +
                    reg.shape +
                    " since the last wgmma.fence; execute one "
                    "before it is used with another shape",
                FindingClass::Async);
  return true;
}

bool Visitor::checkRegisters(const Product &product) {
  if (launch.options.checks == Checks::None)
    return true;
  for (unsigned place : product.accumulators)
    if (!checkRegister(product, place, /*isWritten=*/true))
      return false;
  for (unsigned place : product.inputs)
    if (!checkRegister(product, place, /*isWritten=*/false))
      return false;
  return true;
}

/// What the four warps read of shared memory is told once.
void Visitor::tellCounter(const Product &product) {
  if (!launch.counter || self)
    return;
  // 128 bytes a cycle: 64 rows of a, and all of b.
  uint64_t rows =
      product.instruction->matrix->columns + (product.isInRegisters() ? 0 : 64);
  launch.counter->readMatrices(step.warp, step.site, rows * 32);
}

/// What its descriptors name, which is checked once for the four warps.
bool Visitor::tellMatrices(const Product &product) {
  auto tell = [&](const Descriptor &from, bool isA) {
    return launch.checker->readMatrix(step.warp, step.site, from,
                                      product.getShape(isA));
  };
  return (product.isInRegisters() || tell(product.a, true)) &&
         tell(product.b, false);
}

/// Adds the warp to a product, which it may be the first to issue.
bool Visitor::issue(const Event &event) {
  auto getPlaces = [&](const ptx::Operand &operand) {
    llvm::SmallVector<unsigned> places;
    for (const ptx::Operand &element : operand.elements)
      places.push_back(launch.plan.flat->trackedPlaces.lookup(element.reg));
    return places;
  };
  uint64_t number = member.issued;
  if (number == group.firstProduct + group.products.size()) {
    Product product{&step.instruction,
                    step.site,
                    number,
                    Descriptor(event.a),
                    Descriptor(event.b),
                    event.isAdded,
                    0,
                    false,
                    {},
                    {}};
    product.accumulators = getPlaces(step.instruction.operands[0]);
    product.inputs = getPlaces(step.instruction.operands[1]);
    group.products.push_back(std::move(product));
  }
  Product &product = group.getProduct(number);
  llvm::SmallVector<uint32_t> pieces = product.getPieces(self);
  if (!checkDescriptor(product, false, event.b) ||
      (!product.isInRegisters() && !checkDescriptor(product, true, event.a)) ||
      !checkPieces(pieces) || !checkRegisters(product))
    return false;
  if (Checker *checker = launch.checker)
    if (!checker->issueProduct(step.warp, step.site, number, pieces) ||
        (!product.issued && !tellMatrices(product)))
      return false;
  tellCounter(product);
  unsigned count = product.accumulators.size();
  for (auto [i, place] : llvm::enumerate(product.accumulators)) {
    LateRegister &reg = member.registers[place];
    if (reg.writer <= member.retired)
      reg.value = step.sources[i];
    reg.writer = number + 1;
    reg.shape = getShape(step.instruction);
    reg.isUsed = true;
  }
  for (auto [i, place] : llvm::enumerate(product.inputs)) {
    member.registers[place].reader = number + 1;
    member.registers[place].isUsed = true;
    product.fragments[self][i] = step.sources[count + i];
  }
  product.issued |= 1 << self;
  ++member.issued;
  if (isReady(number))
    launch.scheduler->wake(step.warp.block->rank,
                           step.warp.index / warpsOfGroup * warpsOfGroup,
                           warpsOfGroup);
  return true;
}

bool Visitor::multiply() {
  const MatrixForm &form = *step.instruction.matrix;
  unsigned next = form.operands[0].count;
  bool isInRegisters = !step.instruction.operands[1].elements.empty();
  Event event{step.site};
  for (unsigned i = 0; i < next; ++i)
    step.results[i] = step.sources[i];
  if (isInRegisters) {
    next += registersOfA;
  } else {
    if (!checkUniform(step.sources[next], "descriptor of a"))
      return false;
    event.a = step.sources[next++][0];
  }
  if (!checkUniform(step.sources[next], "descriptor of b") ||
      !checkUniform(step.sources[next + 1], "predicate scale-d"))
    return false;
  event.b = step.sources[next][0];
  event.isAdded = step.sources[next + 1][0] & 1;
  if (!match(event) || !issue(event))
    return false;
  executeSome();
  // Some results may be there before anybody has waited for them.
  const Product &product = group.getProduct(member.issued - 1);
  bool isAny = async.moment == AsyncState::Moment::Random;
  for (auto [i, place] : llvm::enumerate(product.accumulators))
    if (product.isDone && (!isAny || async.random() & 1))
      step.results[i] = member.registers[place].value;
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Products may be done whenever their warps do something.
void Visitor::executeSome() {
  if (async.moment == AsyncState::Moment::Latest)
    return;
  bool isAll = async.moment == AsyncState::Moment::Earliest;
  while (isReady(group.done) && (isAll || async.random() & 1))
    execute(launch, *step.warp.block, group, group.getProduct(group.done));
}

void Visitor::executeUntil(uint64_t end) {
  while (group.done < end)
    execute(launch, *step.warp.block, group, group.getProduct(group.done));
}

bool Visitor::fence() {
  if (!match({step.site}))
    return false;
  for (LateRegister &reg : member.registers) {
    reg.isUnfenced = false;
    reg.touch.reset();
    reg.shape = "";
    reg.isUsed = false;
  }
  executeSome();
  return true;
}

bool Visitor::commitGroup() {
  if (!match({step.site}))
    return false;
  member.ends.push_back(member.issued);
  executeSome();
  return true;
}

/// The warp has the results of its products up to `end`.
void Visitor::retireUntil(uint64_t end) {
  for (; member.retired < end; ++member.retired) {
    const Product &product = group.getProduct(member.retired);
    for (unsigned place : product.accumulators)
      if (member.registers[place].writer == member.retired + 1)
        step.results[place] = member.registers[place].value;
    if (launch.checker)
      launch.checker->retireProduct(step.warp, member.retired);
  }
  auto isOver = [&](const Member &each) {
    return each.retired > group.firstProduct;
  };
  while (!group.products.empty() && llvm::all_of(group.members, isOver)) {
    group.products.pop_front();
    ++group.firstProduct;
  }
}

bool Visitor::waitGroup() {
  // Threads come again until all is there.
  if (!member.isWaiting && !match({step.site}))
    return false;
  member.isWaiting = true;
  for (auto [result, source] :
       llvm::zip(step.results, step.sources.take_back(step.results.size())))
    result = source;
  uint64_t left = step.instruction.operands[0].bits;
  uint64_t end = member.retired;
  if (member.ends.size() > left)
    end = std::max(end, member.ends[member.ends.size() - left - 1]);
  bool isOver = end <= group.done || isReady(end - 1);
  if (!isOver && !launch.scheduler->await(step, [&] {
        return end <= group.done || isReady(end - 1);
      }))
    return false;
  if (!step.done)
    return true;
  member.isWaiting = false;
  // What is not done yet reads its registers now.
  for (uint64_t number = group.done; number < end; ++number) {
    Product &product = group.getProduct(number);
    for (auto [i, place] : llvm::enumerate(product.inputs))
      if (async.moment != AsyncState::Moment::Earliest)
        product.fragments[self][i] = step.results[place];
  }
  executeUntil(end);
  retireUntil(end);
  while (!member.ends.empty() && member.ends.size() > left)
    member.ends.pop_front();
  executeSome();
  launch.scheduler->noteProgress();
  return true;
}

} // namespace

//===----------------------------------------------------------------------===//
// Other instructions, and the end
//===----------------------------------------------------------------------===//

/// Places of the registers that an instruction accesses.
static llvm::SmallVector<unsigned, 4> findPlaces(const FlatBody &flat,
                                                 uint32_t site) {
  llvm::SmallVector<unsigned, 4> places;
  auto add = [&](unsigned reg) {
    auto tracked = flat.trackedPlaces.find(reg);
    if (tracked != flat.trackedPlaces.end() &&
        !llvm::is_contained(places, tracked->second))
      places.push_back(tracked->second);
  };
  visitUses(flat, flat.body[site], add);
  visitDefinitions(flat, flat.body[site], add);
  return places;
}

/// Notes an access to registers that are not in flight. A copy is none, but of
/// what was copied; only where a product used the register before it is one.
static void noteAccess(const FlatBody &flat, Member &member, uint32_t site,
                       unsigned lane, llvm::ArrayRef<unsigned> places) {
  std::optional<Copied> copied = getCopied(flat.body[site]);
  if (!copied) {
    for (unsigned place : places)
      member.registers[place].touch = {site, lane};
    return;
  }
  auto to = flat.trackedPlaces.find(copied->to);
  if (to == flat.trackedPlaces.end())
    return;
  LateRegister &reg = member.registers[to->second];
  if (reg.isUsed)
    reg.touch = {site, lane};
  else if (copied->from)
    reg.touch =
        member.registers[flat.trackedPlaces.lookup(*copied->from)].touch;
  else
    reg.touch.reset();
}

bool touch(Launch &launch, WarpState &warp, uint32_t site, uint32_t lanes) {
  if (!lanes || launch.fault)
    return !launch.fault;
  const FlatBody &flat = *launch.plan.flat;
  State &state = getState(getAsync(launch, *warp.block));
  auto [found, isNew] = state.touched.try_emplace(site);
  llvm::SmallVector<unsigned, 4> &places = found->second;
  if (isNew)
    places = findPlaces(flat, site);
  Group &group = getGroup(launch, state, warp.index);
  Member &member = group.members[warp.index % warpsOfGroup];
  unsigned lane = llvm::countr_zero(lanes);
  for (unsigned place : places) {
    LateRegister &reg = member.registers[place];
    uint64_t last = std::max(reg.writer, reg.reader);
    if (last <= member.retired)
      continue;
    const Product &product = group.getProduct(last - 1);
    bool isCommitted = !member.ends.empty() && member.ends.back() >= last;
    return reportFault(
        warp, lane, site,
        "register " + getName(launch, place) +
            " is in use by a wgmma in flight; " +
            (isCommitted ? "" : "end its group with wgmma.commit_group and ") +
            "wait for it with wgmma.wait_group before: " +
            describeSite(launch, product.site),
        FindingClass::Async, std::nullopt, describeParty(launch, product.site));
  }
  noteAccess(flat, member, site, lane, places);
  return true;
}

bool finish(Launch &launch, AsyncState &async, WarpState &warp,
            uint32_t lanes) {
  if (!async.groups || !async.groups->groups[warp.index / warpsOfGroup])
    return true;
  Group &group = *async.groups->groups[warp.index / warpsOfGroup];
  Member &member = group.members[warp.index % warpsOfGroup];
  unsigned lane = llvm::countr_zero(lanes);
  auto failAt = [&](const Twine &what, uint32_t site, FindingClass kind) {
    return reportFault(warp, lane, site, what, kind);
  };
  if (member.issued > member.retired)
    return failAt("the thread ends while this wgmma is in flight; execute "
                  "wgmma.wait_group 0 before",
                  group.getProduct(member.retired).site, FindingClass::Async);
  if (warp.live & ~lanes)
    return true;
  if (member.events == group.firstEvent + group.events.size())
    return true;
  const Event &event = group.events[member.events - group.firstEvent];
  return failAt("warp " + Twine(warp.index) +
                    " ends without this instruction, which warp " +
                    Twine(event.warp) +
                    " executed and all four warps of a warpgroup must",
                event.site, FindingClass::Collective);
}

bool multiply(Step &step) { return Visitor(step).multiply(); }
bool fence(Step &step) { return Visitor(step).fence(); }
bool commitGroup(Step &step) { return Visitor(step).commitGroup(); }
bool waitGroup(Step &step) { return Visitor(step).waitGroup(); }

} // namespace tc::emulator::warpgroup

bool tc_emulator_touch(tc::emulator::WarpState *warp, uint32_t site,
                       uint32_t mask) {
  return tc::emulator::warpgroup::touch(tc::emulator::getLaunch(*warp), *warp,
                                        site, mask);
}
