//===- Emitter.h - Emission of LLVM IR for a kernel -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering functions build on: operands as LLVM values, checked
// accesses and calls of the runtime. Registers are bits: a value gets its type
// where it is used. One kernel can be emitted in three modes; lowering
// functions see the difference only as the width of values. See Note [Modes] in
// Control.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_EMITTER_H
#define TC_LIB_EMULATOR_TRANSLATE_EMITTER_H

#include "Runtime/State.h"
#include "Translate/Flow/Shapes.h"
#include "Translate/Translate.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tc::emulator {

class Control;

/// Of everything in memory that has a number for each lane.
inline const llvm::Align lanesAlign(64);

/// Where the lanes of an access lie: at `base` plus constant offsets, or
/// anywhere.
struct LaneAddress {
  llvm::Value *base = nullptr;     ///< one number or host pointer
  Offsets offsets = {};            ///< beside `base`
  llvm::Value *pointers = nullptr; ///< one per lane; then `base` is null
  /// Where code goes on that stores, or exchanges, for some lanes alone; null
  /// where nothing is checked. What is emitted there is to end like the rest.
  llvm::BasicBlock *partial = nullptr;
  llvm::Value *made = nullptr; ///< those lanes, as an i32
  /// As tc_emulator_write takes it.
  llvm::Value *number = nullptr, *numbers = nullptr;
};

class Emitter {
public:
  Emitter(llvm::Function *fn, const Translation &translation);
  ~Emitter();

  /// Translates the whole body.
  void run();

  llvm::IRBuilder<> b;

  /// Lanes that the current instruction is emitted for: 1, or all of a warp.
  /// Every value and type below is a scalar, or a vector of that many.
  unsigned width = 1;
  /// The lanes that execute the current instruction; null for all of them.
  llvm::Value *mask = nullptr;

  // Types and constants, one lane or all.
  llvm::Type *laneType(llvm::Type *scalar);
  llvm::Type *intType(unsigned bits) { return laneType(b.getIntNTy(bits)); }
  /// float or double for .f32 and .f64; else the integer of that width.
  llvm::Type *typeOf(ptx::Type type);
  llvm::Constant *number(unsigned bits, uint64_t value) {
    return llvm::ConstantInt::get(intType(bits), value);
  }
  llvm::Constant *real(ptx::Type type, double value) {
    return llvm::ConstantFP::get(typeOf(type), value);
  }

  // Operands (Operands.cpp).
  /// The value of a source operand as `type`.
  llvm::Value *read(const ptx::Operand &operand, ptx::Type type);
  /// The value of operand `index` as the instruction's type.
  llvm::Value *arg(const ptx::Instruction &in, unsigned index) {
    return read(in.operands[index], in.type);
  }
  /// The bits of a source operand, `bits` of them.
  llvm::Value *readBits(const ptx::Operand &operand, unsigned bits);
  /// An address, `base` and `offset`, in 64 bits. With a register of 32 bits
  /// the sum has 32, too, and wraps around: LLVM counts on that where it makes
  /// addresses of shared memory so short. Not where `mayWrap` is false, for
  /// lane 0 of lanes that are apart: it may be the only one that wraps.
  llvm::Value *readSum(const ptx::Operand &base, int64_t offset,
                       bool mayWrap = true);
  llvm::Value *readRegister(unsigned reg);
  /// Writes a destination, widened to the register as `type` says, in the lanes
  /// that execute the instruction.
  void write(const ptx::Operand &operand, llvm::Value *value, ptx::Type type);
  void writeRegister(unsigned reg, llvm::Value *value, bool isSigned = false);
  /// Writes operand 0 as the instruction's type.
  void result(const ptx::Instruction &in, llvm::Value *value) {
    write(in.operands[0], value, in.type);
  }
  /// The register that stands for a part of a call's parameter, if one does.
  std::optional<unsigned> findPart(const ptx::Operand &address,
                                   unsigned offset = 0);
  /// Reads and writes the carry of the extended-precision instructions, an i1.
  llvm::Value *readCarry() { return readRegister(flat.carry); }
  void writeCarry(llvm::Value *value) { writeRegister(flat.carry, value); }

  // Memory (Access.cpp, LaneMemory.cpp).
  /// Where the lanes access `bytes` each; they end with a fault if those are
  /// not accessible. A load that only some lanes may make finds copies of what
  /// they read, and zeros.
  LaneAddress access(const ptx::Instruction &in, const ptx::Operand &address,
                     unsigned bytes);
  /// Goes on where an access is for some lanes alone. Gives the block in which
  /// both parts are to end, after `leavePartial`.
  llvm::BasicBlock *enterPartial(const ptx::Instruction &in,
                                 const LaneAddress &address);
  /// There, where all lanes lie.
  LaneAddress partialAddress(const ptx::Instruction &in,
                             const LaneAddress &address);
  /// A store there.
  void writePartial(const ptx::Instruction &in, const LaneAddress &address,
                    llvm::ArrayRef<llvm::Value *> values);
  /// `count` numbers of `bits` that lie one after the other in each lane.
  llvm::SmallVector<llvm::Value *> load(const LaneAddress &address,
                                        unsigned bits, unsigned count,
                                        bool isAligned, bool isStrong);
  /// Tells the checks what a store writes where lanes may write to one address.
  void tellValues(const ptx::Instruction &in, const LaneAddress &address,
                  llvm::ArrayRef<llvm::Value *> values);
  void store(const LaneAddress &address, llvm::ArrayRef<llvm::Value *> values,
             bool isAligned, bool isStrong);
  /// The address of each lane.
  llvm::Value *pointersOf(const LaneAddress &address);
  /// What turns an address of shared or local memory into a generic one, less
  /// what differs between lanes when `width` is 1.
  llvm::Value *genericBase(ptx::Space space);
  /// The same for one address, or those of all lanes, in shared::cluster; and
  /// for any that names the rank of its block.
  llvm::Value *clusterBase(llvm::Value *address);
  llvm::Value *clusterStart();
  /// Emits `body` once, in a loop over the active lanes.
  void forEachLane(llvm::function_ref<void(llvm::Value *lane)> body);
  /// Memory for an array on the stack.
  llvm::Value *createArray(llvm::Type *type, unsigned count);
  /// The lanes of a value as an array; a scalar stays one. `loadLane` gives one
  /// lane of what it returned.
  llvm::Value *spill(llvm::Value *value);
  llvm::Value *joinLanes(llvm::ArrayRef<llvm::Value *> parts);
  llvm::Value *loadLane(llvm::Value *array, llvm::Type *type,
                        llvm::Value *lane);

  // Undefined registers (UndefinedCode.cpp): masks of lanes, as i32.
  llvm::Value *readUndefined(unsigned reg);
  void writeUndefined(unsigned reg, llvm::Value *lanes, llvm::Value *active);
  /// Follows what the instructions since the last call did, and does what
  /// `use` says, if the warp has anything undefined.
  void flushUndefined(llvm::function_ref<void()> use = nullptr);
  bool mayBeUndefined(unsigned reg) const {
    return translation.undefined && translation.undefined->registers.test(reg);
  }
  /// Before an instruction: uses that matter.
  void checkUses(const ptx::Instruction &in);
  /// After it: its results, and what it stores.
  void followResults(const ptx::Instruction &in);

  // Control (Control.cpp).
  Control &control() { return *flow; }
  /// Goes on in a new block when `condition` holds, else at `otherwise`, which
  /// is unlikely.
  void continueIf(llvm::Value *condition, llvm::BasicBlock *otherwise);
  llvm::BasicBlock *newBlock(const llvm::Twine &name = "");
  /// Where a warp or thread ends after a fault.
  llvm::BasicBlock *faultBlock();
  /// The active lanes as an i32.
  llvm::Value *maskBits();
  /// Counters of basic blocks, where they are asked for: the block's execution
  /// by the lanes of `mask`, and the branch that ends it.
  void countBlock();
  void countBranch(llvm::Value *condition);
  llvm::Value *toBits(llvm::Value *lanes);
  llvm::Value *toLanes(llvm::Value *bits);
  llvm::Value *isAny(llvm::Value *lanes);
  /// The guard: a scalar or vector of i1, or null.
  llvm::Value *readGuard(const ptx::Instruction &in);
  /// Lets others run now and then, after a strong access.
  void pause(const ptx::Instruction &in);
  /// Tells the runtime that it accesses registers of `wgmma`, under the guard.
  void touch(const ptx::Instruction &in, llvm::Value *condition);
  /// Runs the instruction in the runtime.
  void step(const ptx::Instruction &in);

  /// Calls `name`, a function of the runtime or of libm, once a lane. The
  /// result's type is that of one lane, or of all.
  llvm::Value *callRuntime(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
  /// Calls a function once, with scalars.
  llvm::CallInst *callOnce(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
  /// Loads a field that does not change while the warp runs.
  llvm::Value *loadField(llvm::Value *base, uint64_t offset, llvm::Type *type);

  llvm::Value *warpState() { return fn->getArg(0); }
  llvm::Value *blockState() { return fn->getArg(1); }
  uint32_t siteOf(const ptx::Instruction &in) const {
    return &in - flat.body.data();
  }
  void emitBlock(unsigned block);

  llvm::Function *const fn;
  const Translation &translation;
  const KernelPlan &plan;
  const FlatBody &flat;
  llvm::BasicBlock *entry = nullptr;
  unsigned currentBlock = 0;

private:
  void addToCount(unsigned field, llvm::Value *amount);
  void emit(const ptx::Instruction &in);
  void emitTest(const ptx::Instruction &in);
  unsigned chooseWidth(const ptx::Instruction &in);
  void emitUnder(llvm::Value *condition, llvm::function_ref<void()> body);
  llvm::Value *slotOf(unsigned reg);
  unsigned slotWidth(unsigned reg) const;
  llvm::Value *offsetsToValue(const Offsets &offsets, unsigned bits);
  llvm::Value *readSpecial(const ptx::Operand &operand);
  llvm::Value *addressOf(const ptx::Variable &variable);

  llvm::CallInst *callCold(llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Function *coldFunction(llvm::StringRef name, llvm::Type *result,
                               llvm::ArrayRef<llvm::Value *> given);
  llvm::Value *rotate(llvm::Value *offset, unsigned shift);
  llvm::Value *isWithin(const LaneAddress &address, llvm::Value *start,
                        llvm::Value *count, unsigned shift);
  llvm::Value *constantArray(llvm::ArrayRef<uint64_t> numbers,
                             llvm::StringRef name);
  llvm::Value *offsetsOf(const LaneAddress &address);
  LaneAddress readAddress(const ptx::Operand &operand, unsigned bytes);
  void makePointers(LaneAddress &address, ptx::Space space);
  void check(const ptx::Instruction &in, LaneAddress &address, ptx::Space space,
             unsigned bytes);
  void tellAccess(const ptx::Instruction &in, llvm::Value *lanes,
                  llvm::Value *base, llvm::Value *offsets);
  void divert(const ptx::Instruction &in, const LaneAddress &address,
              LaneAddress &host);
  bool mayCoincide(const LaneAddress &address) const;
  bool mayGroup(const ptx::Instruction &in) const;
  llvm::SmallVector<const ptx::Instruction *>
  findGroup(const ptx::Instruction &in);

  llvm::Value *stepArray(llvm::Value *&array);

  std::vector<llvm::Value *> slots;
  llvm::Value *stepSources = nullptr, *stepResults = nullptr;
  llvm::BasicBlock *fault = nullptr;
  llvm::Value *guard = nullptr;
  /// Accesses that the checks were told of by an earlier one.
  llvm::DenseSet<const ptx::Instruction *> told;
  llvm::Value *undefinedAt(uint64_t field, uint32_t index);
  llvm::Value *activeBits(const ptx::Instruction &in);
  void tellUndefined(const ptx::Instruction &in, llvm::StringRef function,
                     llvm::Value *lanes, unsigned reg, uint32_t detail);
  /// An instruction that is yet to be followed, and what was so after it.
  struct Pending {
    const ptx::Instruction *in;
    bool isStore;
    llvm::Value *active;
    llvm::Value *condition = nullptr; ///< of a selection, by a register
  };
  void follow(const Pending &step);
  void followStore(const Pending &step);
  llvm::SmallVector<Pending> pending;
  /// What is known of registers while they are; true: it is yet to be written.
  llvm::MapVector<unsigned, std::pair<llvm::Value *, bool>> undefined;
  std::unique_ptr<Control> flow;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_EMITTER_H
