//===- Flatten.cpp - One body for a kernel and its callees ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies bodies one into another, or behind one another.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Flatten.h"
#include "Isa/Isa.h"
#include "Translate/Flow/CallGraph.h"
#include "Translate/Flow/FlatCode.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tc::emulator {

namespace {

using Variables = llvm::DenseMap<const ptx::Variable *, const ptx::Variable *>;

/// A function that lies in the body once.
struct Instance {
  Instance(const ptx::Function &function, const CallGraph &graph)
      : function(function), frame(function, graph) {}

  const ptx::Function &function;
  Frame frame;
  unsigned start = 0;                 ///< its first instruction
  unsigned leave = 0;                 ///< the branch with which it returns
  std::vector<unsigned> calls, sites; ///< jumps to it; where it returns to
};

/// A function's body on its way into the flat one.
struct Copy {
  const ptx::Function &function;
  const Variables &actual; ///< the caller's variable for each formal one
  const Instance *owner;   ///< whose frame is the last one, null in the kernel
  unsigned firstRegister;

  /// The function itself has the frame.
  bool ownsFrame() const { return owner && &owner->function == &function; }
  uint64_t frameBytes() const { return owner ? owner->frame.bytes : 0; }
};

class Flattener {
public:
  Flattener(FlatBody &flat, const ptx::Function &kernel)
      : flat(flat), kernel(kernel), graph(kernel) {}

  void run();

private:
  void append(const ptx::Function &function, const Variables &actual,
              const Instance *owner);
  void appendInstruction(const ptx::Instruction &in, const Copy &copy);
  void appendCall(const ptx::Instruction &call, unsigned index,
                  const Copy &copy);
  void appendCallee(const ptx::Instruction &call, unsigned index,
                    const ptx::Function &callee, const Copy &copy);
  void appendFramed(const ptx::Instruction &call, unsigned index,
                    const ptx::Function &callee, const Copy &copy);
  void appendBuiltin(const ptx::Instruction &call, const Copy &copy);
  void appendSkip(const ptx::Instruction &in, const Copy &copy);
  void appendInstance(Instance &instance);
  void finishInstances();

  // Frames.
  Instance &getInstance(const ptx::Function &function);
  void save(const ptx::Instruction &call, unsigned index, const Copy &copy,
            bool isRestored);
  void copyVariable(const ptx::Instruction &call, const Copy &copy,
                    const ptx::Variable *outer, uint64_t inner, bool isResult);
  Parts getParts(const ptx::Function &function, const ptx::Variable *variable);
  void relocate(ptx::Operand &operand, const ptx::Instruction &in,
                const Instance &owner);
  void relocate(ptx::Instruction &in, const Instance *owner);

  // Instructions.
  void emit(const ptx::Instruction &like, llvm::StringRef root,
            llvm::ArrayRef<llvm::StringRef> modifiers,
            std::vector<ptx::Operand> operands) {
    flat.body.push_back(
        makeInstruction(like, root, modifiers, std::move(operands)));
  }
  void emitMove(const ptx::Instruction &like, ptx::Operand from,
                ptx::Operand to, uint32_t bytes);
  void emitAddToStack(const ptx::Instruction &like, int64_t bytes);
  unsigned newRegister(llvm::StringRef name, ptx::Type type) {
    flat.registers.push_back({name, type});
    return flat.registers.size() - 1;
  }

  void rename(ptx::Instruction &in, const Copy &copy);
  void rename(ptx::Operand &operand, const Copy &copy);

  FlatBody &flat;
  const ptx::Function &kernel;
  CallGraph graph;
  /// Register with the address of the last frame.
  unsigned stackPointer = 0;
  llvm::MapVector<const ptx::Function *, std::unique_ptr<Instance>> instances;
  /// By variable: how the function that declares it accesses it.
  llvm::DenseMap<const ptx::Function *,
                 llvm::DenseMap<const ptx::Variable *, Parts>>
      accesses;
  llvm::SetVector<const ptx::Variable *> variables;
};

/// The space of an access by the operand that `makeAddress` made.
llvm::StringRef getSpaceOf(const ptx::Operand &address) {
  return address.elements.front().variable ? "param" : "local";
}

} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Copies `bytes` from one address to another one.
void Flattener::emitMove(const ptx::Instruction &like, ptx::Operand from,
                         ptx::Operand to, uint32_t bytes) {
  ptx::Type type = getBitsType(bytes);
  llvm::StringRef name = ptx::getName(type);
  ptx::Operand value = makeRegister(newRegister("copy", type));
  emit(like, "ld", {getSpaceOf(from), name}, {value, from});
  emit(like, "st", {getSpaceOf(to), name}, {to, value});
}

void Flattener::emitAddToStack(const ptx::Instruction &like, int64_t bytes) {
  ptx::Operand pointer = makeRegister(stackPointer);
  if (bytes)
    emit(like, "add", {"s64"}, {pointer, pointer, makeNumber(bytes)});
}

void Flattener::rename(ptx::Operand &operand, const Copy &copy) {
  if (operand.kind == ptx::Operand::Kind::Register)
    operand.reg += copy.firstRegister;
  if (operand.variable)
    if (const ptx::Variable *variable = copy.actual.lookup(operand.variable))
      operand.variable = variable;
  for (ptx::Operand &element : operand.elements)
    rename(element, copy);
}

void Flattener::rename(ptx::Instruction &in, const Copy &copy) {
  for (auto *list : {&in.operands, &in.results, &in.arguments})
    for (ptx::Operand &operand : *list)
      rename(operand, copy);
  if (in.guard)
    *in.guard += copy.firstRegister;
}

/// A jump that is taken where the guard of `in` does not hold.
void Flattener::appendSkip(const ptx::Instruction &in, const Copy &copy) {
  flat.body.push_back(makeJump(in));
  flat.body.back().guardNegated = !in.guardNegated;
  rename(flat.body.back(), copy);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void Flattener::append(const ptx::Function &function, const Variables &actual,
                       const Instance *owner) {
  Copy copy{function, actual, owner, unsigned(flat.registers.size())};
  llvm::append_range(flat.registers, function.registers);
  for (const ptx::Variable &variable : function.variables)
    if (!variable.isFormal &&
        !(copy.ownsFrame() && owner->frame.offsets.count(&variable)))
      variables.insert(&variable);
  // Where each instruction of the function came to lie; then its end.
  std::vector<unsigned> position;
  llvm::SmallVector<unsigned> own, returns;
  for (auto [index, in] : llvm::enumerate(function.body)) {
    position.push_back(flat.body.size());
    if (!getCallees(in).empty() || (in.root == "call" && !in.target)) {
      appendCall(in, index, copy);
      continue;
    }
    if (in.root == "call") {
      appendBuiltin(in, copy);
      continue;
    }
    bool isReturn = in.root == "ret" && !function.isEntry;
    appendInstruction(isReturn ? makeJump(in) : in, copy);
    (isReturn ? returns : own).push_back(flat.body.size() - 1);
  }
  position.push_back(flat.body.size());
  for (unsigned index : own)
    for (unsigned &target : flat.body[index].targets)
      target = position[target];
  for (unsigned index : returns)
    flat.body[index].targets = {position.back()};
}

void Flattener::appendInstruction(const ptx::Instruction &in,
                                  const Copy &copy) {
  // A guarded table of branches becomes a jump around one without a guard.
  std::optional<unsigned> skip;
  if (in.root == "brx" && in.guard) {
    skip = flat.body.size();
    appendSkip(in, copy);
  }
  ptx::Instruction copied = in;
  rename(copied, copy);
  relocate(copied, copy.owner);
  if (skip) {
    copied.guard.reset();
    flat.body[*skip].targets = {unsigned(flat.body.size() + 1)};
  }
  flat.body.push_back(std::move(copied));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Flattener::appendCall(const ptx::Instruction &call, unsigned index,
                           const Copy &copy) {
  // A guarded call jumps over what it becomes.
  std::optional<unsigned> skip;
  if (call.guard) {
    skip = flat.body.size();
    appendSkip(call, copy);
  }
  if (call.target) {
    appendCallee(call, index, *call.target, copy);
  } else {
    unsigned branch = flat.body.size();
    ptx::Operand pointer = call.operands[0];
    rename(pointer, copy);
    emit(call, "call", {}, {pointer, call.operands[1]});
    flat.body.back().branch = ptx::Instruction::Branch::Pointer;
    flat.body.back().callees = call.callees;
    llvm::SmallVector<unsigned> ends;
    for (const ptx::Function *callee : call.callees) {
      flat.body[branch].targets.push_back(flat.body.size());
      appendCallee(call, index, *callee, copy);
      ends.push_back(flat.body.size());
      flat.body.push_back(makeJump(call));
      flat.body.back().guard.reset();
    }
    for (unsigned end : ends)
      flat.body[end].targets = {unsigned(flat.body.size())};
  }
  if (skip)
    flat.body[*skip].targets = {unsigned(flat.body.size())};
}

void Flattener::appendCallee(const ptx::Instruction &call, unsigned index,
                             const ptx::Function &callee, const Copy &copy) {
  if (graph.hasFrame(callee))
    return appendFramed(call, index, callee, copy);
  Variables inner;
  auto bind = [&](llvm::ArrayRef<ptx::Operand> given,
                  llvm::ArrayRef<ptx::Variable *> formal) {
    for (auto [operand, variable] : llvm::zip(given, formal)) {
      const ptx::Variable *outer = copy.actual.lookup(operand.variable);
      inner[variable] = outer ? outer : operand.variable;
    }
  };
  bind(call.results, callee.results);
  bind(call.arguments, callee.parameters);
  append(callee, inner, copy.owner);
}

/// What the runtime calls takes its parameters in registers.
void Flattener::appendBuiltin(const ptx::Instruction &call, const Copy &copy) {
  ptx::Instruction copied = call;
  rename(copied, copy);
  auto move = [&](ptx::Operand &operand, bool isResult) {
    if (!copy.owner || !copy.owner->frame.offsets.count(operand.variable))
      return std::optional<std::pair<ptx::Operand, ptx::Operand>>();
    flat.made.push_back(*operand.variable);
    ptx::Variable &made = flat.made.back();
    made.isFormal = false;
    ptx::Operand inner = makeAddress(makeVariable(&made), 0);
    ptx::Operand outer =
        makeAddress(makeRegister(stackPointer),
                    copy.owner->frame.offsets.lookup(operand.variable));
    operand.variable = &made;
    return std::make_optional(isResult ? std::pair(inner, outer)
                                       : std::pair(outer, inner));
  };
  for (ptx::Operand &operand : copied.arguments)
    if (auto fromTo = move(operand, false))
      emitMove(call, fromTo->first, fromTo->second, flat.made.back().bytes);
  std::optional<std::pair<ptx::Operand, ptx::Operand>> result;
  if (!copied.results.empty())
    result = move(copied.results.front(), true);
  uint32_t bytes = result ? flat.made.back().bytes : 0;
  flat.body.push_back(std::move(copied));
  if (result)
    emitMove(call, result->first, result->second, bytes);
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

Instance &Flattener::getInstance(const ptx::Function &function) {
  std::unique_ptr<Instance> &instance = instances[&function];
  if (!instance)
    instance = std::make_unique<Instance>(function, graph);
  return *instance;
}

/// Writes the registers that are needed behind a call, which may come back into
/// this function, to its frame, or reads them again.
void Flattener::save(const ptx::Instruction &call, unsigned index,
                     const Copy &copy, bool isRestored) {
  auto live = copy.owner->frame.live.find(index);
  if (live == copy.owner->frame.live.end())
    return;
  for (unsigned reg : live->second.set_bits()) {
    unsigned bits = ptx::getBits(copy.function.registers[reg].type);
    ptx::Operand place = makeAddress(makeRegister(stackPointer),
                                     copy.owner->frame.saves.lookup(reg));
    ptx::Operand value = makeRegister(copy.firstRegister + reg), held = value;
    if (bits == 1)
      held = makeRegister(newRegister("saved", ptx::Type::B32));
    llvm::StringRef type =
        bits == 1 ? "b8" : ptx::getName(getBitsType(bits / 8));
    if (isRestored) {
      emit(call, "ld", {"local", type}, {held, place});
      if (bits == 1)
        emit(call, "setp", {"ne", "u32"}, {value, held, makeNumber(0)});
      continue;
    }
    if (bits == 1)
      emit(call, "selp", {"b32"}, {held, makeNumber(1), makeNumber(0), value});
    emit(call, "st", {"local", type}, {place, held});
  }
}

/// How `function` accesses its variable by name. All bytes, one by one, where
/// others may access it.
Parts Flattener::getParts(const ptx::Function &function,
                          const ptx::Variable *variable) {
  auto [entry, isNew] = accesses.try_emplace(&function);
  auto &known = entry->second;
  llvm::SmallVector<const ptx::Variable *> taken;
  for (const ptx::Instruction &in : function.body) {
    if (!isNew)
      break;
    for (const ptx::Operand &operand : in.operands) {
      if (operand.variable)
        taken.push_back(operand.variable);
      if (operand.kind != ptx::Operand::Kind::Address ||
          !operand.elements.front().variable)
        continue;
      const ptx::Variable *accessed = operand.elements.front().variable;
      if (in.root != "ld" && in.root != "st") {
        taken.push_back(accessed);
        continue;
      }
      addParts(in, known[accessed]);
    }
  }
  auto all = [](const ptx::Variable *of) {
    Parts bytes;
    for (uint32_t i = 0; i < of->bytes; ++i)
      bytes.push_back({i, 1});
    return bytes;
  };
  for (const ptx::Variable *each : taken)
    known[each] = all(each);
  return variable->isFormal ? all(variable) : known.lookup(variable);
}

/// Copies a variable of the caller to where the callee has it in the frame that
/// follows, at the offset `inner`, or back.
void Flattener::copyVariable(const ptx::Instruction &call, const Copy &copy,
                             const ptx::Variable *outer, uint64_t inner,
                             bool isResult) {
  Parts parts = getParts(copy.function, outer);
  if (const ptx::Variable *actual = copy.actual.lookup(outer))
    outer = actual;
  ptx::Operand pointer = makeRegister(stackPointer);
  for (Part part : parts) {
    if (part.offset + uint64_t(part.bytes) > outer->bytes)
      continue;
    ptx::Operand place = makeAddress(makeVariable(outer), part.offset);
    if (copy.owner && copy.owner->frame.offsets.count(outer))
      place = makeAddress(pointer, copy.owner->frame.offsets.lookup(outer) +
                                       part.offset);
    ptx::Operand next =
        makeAddress(pointer, copy.frameBytes() + inner + part.offset);
    emitMove(call, isResult ? next : place, isResult ? place : next,
             part.bytes);
  }
}

void Flattener::appendFramed(const ptx::Instruction &call, unsigned index,
                             const ptx::Function &callee, const Copy &copy) {
  Instance &instance = getInstance(callee);
  auto copyAll = [&](llvm::ArrayRef<ptx::Operand> given,
                     llvm::ArrayRef<ptx::Variable *> formal, bool isResult) {
    for (auto [operand, variable] : llvm::zip(given, formal))
      copyVariable(call, copy, operand.variable,
                   instance.frame.offsets.lookup(variable), isResult);
  };
  if (copy.ownsFrame())
    save(call, index, copy, false);
  copyAll(call.arguments, callee.parameters, false);
  ptx::Operand pointer = makeRegister(stackPointer);
  emit(call, "st", {"local", "u32"},
       {makeAddress(pointer, copy.frameBytes()),
        makeNumber(instance.sites.size())});
  emitAddToStack(call, copy.frameBytes());
  instance.calls.push_back(flat.body.size());
  emit(call, "call", {}, {pointer, ptx::Operand()});
  flat.body.back().branch = ptx::Instruction::Branch::Stack;
  flat.body.back().callees = {&callee};
  instance.sites.push_back(flat.body.size());
  emitAddToStack(call, -int64_t(copy.frameBytes()));
  copyAll(call.results, callee.results, true);
  if (copy.ownsFrame())
    save(call, index, copy, true);
}

void Flattener::appendInstance(Instance &instance) {
  instance.start = flat.body.size();
  append(instance.function, Variables(), &instance);
  ptx::Instruction at =
      makeJump(instance.function.body.empty() ? flat.body.front()
                                              : instance.function.body.back());
  ptx::Operand site = makeRegister(newRegister("site", ptx::Type::B32));
  emit(at, "ld", {"local", "u32"},
       {site, makeAddress(makeRegister(stackPointer), 0)});
  instance.leave = flat.body.size();
  emit(at, "brx", {"idx"}, {site, ptx::Operand()});
}

void Flattener::finishInstances() {
  uint64_t longest = 0;
  for (auto &[function, instance] : instances) {
    longest = std::max(longest, instance->frame.bytes);
    for (unsigned call : instance->calls)
      flat.body[call].targets = {instance->start};
    flat.body[instance->leave].targets.assign(instance->sites.begin(),
                                              instance->sites.end());
  }
  // Two frames may begin near the end. The rest keeps the stacks of a warp's
  // lanes from the same lines of the host's cache.
  flat.stack->bytes = FlatBody::stackBytes + 2 * longest + 64;
}

/// Variables of the frame lie behind the stack pointer.
void Flattener::relocate(ptx::Operand &operand, const ptx::Instruction &in,
                         const Instance &owner) {
  const auto &offsets = owner.frame.offsets;
  if (operand.kind == ptx::Operand::Kind::Address) {
    ptx::Operand &base = operand.elements.front();
    auto found = offsets.find(base.variable);
    if (found == offsets.end())
      return;
    operand.offset += found->second;
    base = makeRegister(stackPointer);
    return;
  }
  auto found = offsets.find(operand.variable);
  if (found == offsets.end())
    return;
  ptx::Operand address = makeRegister(newRegister("address", ptx::Type::B64));
  emit(in, "add", {"s64"},
       {address, makeRegister(stackPointer),
        makeNumber(found->second + operand.offset)});
  operand = address;
}

void Flattener::relocate(ptx::Instruction &in, const Instance *owner) {
  if (!owner)
    return;
  bool isNamed = llvm::any_of(in.operands, [&](const ptx::Operand &operand) {
    return operand.kind == ptx::Operand::Kind::Address &&
           owner->frame.offsets.count(operand.elements.front().variable);
  });
  for (ptx::Operand &operand : in.operands)
    relocate(operand, in, *owner);
  if (!isNamed)
    return;
  for (llvm::StringRef &word : in.modifiers)
    if (word.starts_with("param")) {
      word = "local";
      llvm::cantFail(isa::resolve(in));
      break;
    }
}

void Flattener::run() {
  if (graph.hasFrames()) {
    flat.stack = std::make_unique<ptx::Variable>();
    flat.stack->name = "stack";
    flat.stack->space = ptx::Space::Param;
    flat.stack->align = graph.getFrameAlign();
    stackPointer = newRegister("stack", ptx::Type::B64);
    emit(kernel.body.front(), "mov", {"u64"},
         {makeRegister(stackPointer), makeVariable(flat.stack.get())});
  }
  append(kernel, Variables(), nullptr);
  if (flat.stack)
    emit(kernel.body.back(), "exit", {}, {});
  // Copying one may ask for others.
  for (size_t i = 0; i < instances.size(); ++i)
    appendInstance(*(instances.begin() + i)->second);
  if (flat.stack)
    finishInstances();
  promoteParameters(flat, variables);
  flat.carry = newRegister("carry", ptx::Type::Pred);
}

static bool track(FlatBody &flat, unsigned reg) {
  bool isNew =
      flat.trackedPlaces.try_emplace(reg, flat.trackedRegisters.size()).second;
  if (isNew)
    flat.trackedRegisters.push_back(reg);
  return isNew;
}

std::optional<Copied> getCopied(const ptx::Instruction &in) {
  using Kind = ptx::Operand::Kind;
  if (in.root != "mov" || in.operands[0].kind != Kind::Register)
    return std::nullopt;
  const ptx::Operand &from = in.operands[1];
  if (from.kind == Kind::Register)
    return Copied{in.operands[0].reg, from.reg};
  if (from.kind == Kind::Immediate)
    return Copied{in.operands[0].reg, std::nullopt};
  return std::nullopt;
}

static void findLateRegisters(FlatBody &flat) {
  for (const ptx::Instruction &in : flat.body) {
    if (in.root != "wgmma" || !in.matrix)
      continue;
    for (const ptx::Operand &operand : in.operands)
      for (const ptx::Operand &element : operand.elements)
        track(flat, element.reg);
  }
  flat.lateRegisters = flat.trackedRegisters;
  for (bool changed = !flat.lateRegisters.empty(); changed;) {
    changed = false;
    for (const ptx::Instruction &in : flat.body)
      if (std::optional<Copied> copied = getCopied(in))
        if (copied->from && flat.trackedPlaces.count(copied->to))
          changed |= track(flat, *copied->from);
  }
}

std::unique_ptr<FlatBody> flatten(const ptx::Function &kernel) {
  auto flat = std::make_unique<FlatBody>();
  Flattener(*flat, kernel).run();
  findLateRegisters(*flat);
  return flat;
}

} // namespace tc::emulator

// Note [Frames]
// A function that may come to call itself lies in the body once for a kernel.
// It has a frame in the thread's local memory, behind that of its caller: the
// number of the place to return to, the parameters and results, the function's
// .local and .param variables, and room for registers. The kernel has none, and
// what is copied into a function uses the function's.
//
// A call writes the registers that are needed behind it to the caller's frame,
// if it may come back into the caller; copies the arguments to the callee's
// frame; adds the size of its own frame to the stack pointer, a register; and
// branches, which fails where the stack is full. The callee returns by an
// indirect branch over all places that it is called from. Then the results are
// copied, and the registers are read again. Lanes may return to different
// places: what holds for indirect branches holds for returns.
//
// The checks take the stack for arguments of calls, whose padding is copied
// without having been written: a read of what nobody wrote is not found there.
