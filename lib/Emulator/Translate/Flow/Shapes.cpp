//===- Shapes.cpp - How registers vary over the lanes of a warp -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An optimistic data-flow analysis, one shape a register. It starts from what
// special registers are and lowers shapes until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Shapes.h"
#include "Isa/Isa.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace tc::emulator {

using Operand = ptx::Operand;

Shape Shape::vector() {
  Shape shape;
  shape.kind = Vector;
  return shape;
}

Shape Shape::uniform() {
  Shape shape;
  shape.kind = Scalar;
  return shape;
}

Shape Shape::number(uint64_t value) {
  Shape shape = uniform();
  shape.isConstant = true;
  shape.constant = shape.most = value;
  shape.zeros = value ? llvm::countr_zero(value) : 64;
  return shape;
}

bool Shape::isUniform() const {
  return isScalar() && llvm::all_of(offsets, [](int64_t o) { return o == 0; });
}

static int64_t getLeast(const Offsets &offsets) {
  return *std::min_element(offsets.begin(), offsets.end());
}
static int64_t getMost(const Offsets &offsets) {
  return *std::max_element(offsets.begin(), offsets.end());
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

/// base + offset(lane) where `offset` counts in units of `run` lanes, up to
/// `extent`: how an index of a thread varies over a warp. Vector unless one of
/// `lanes` = warpSize / run and `extent` divides the other.
static Shape getIndexShape(uint64_t run, uint64_t extent, bool isLast) {
  Shape shape = Shape::uniform();
  shape.most = extent - 1;
  if (run % warpSize == 0)
    return shape;
  if (warpSize % run)
    return Shape::vector();
  uint64_t count = warpSize / run;
  bool wraps = !isLast && count > extent;
  if (!isLast && (wraps ? count % extent : extent % count))
    return Shape::vector();
  shape.zeros = wraps ? 64 : llvm::Log2_64(count);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    shape.offsets[lane] = wraps ? lane / run % extent : lane / run;
  return shape;
}

Shape Shapes::specialShape(const Operand &operand) const {
  using ptx::Special;
  const uint32_t (&block)[3] = launch.block;
  Shape shape = Shape::uniform();
  switch (operand.special) {
  case Special::Tid: {
    uint64_t run = 1;
    for (unsigned i = 0; i < operand.dim; ++i)
      run *= block[i];
    return getIndexShape(run, block[operand.dim], operand.dim == 2);
  }
  case Special::LaneId:
    return getIndexShape(1, warpSize, false);
  case Special::NTid:
    return Shape::number(block[operand.dim]);
  case Special::CtaId:
    if (launch.isGridSmall)
      shape.most = 0x7fffffff / block[operand.dim];
    return shape;
  case Special::LaneMaskEq:
  case Special::LaneMaskLt:
  case Special::LaneMaskLe:
  case Special::LaneMaskGt:
  case Special::LaneMaskGe:
    return Shape::vector();
  default:
    return shape;
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Shape Shapes::shapeOf(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::Register:
    return registers[operand.reg];
  case Operand::Kind::Immediate:
    return Shape::number(operand.bits);
  case Operand::Kind::Special:
    return specialShape(operand);
  case Operand::Kind::Variable: {
    Shape shape = Shape::uniform();
    auto known = plan.addresses.find(operand.variable);
    if (known != plan.addresses.end())
      shape = Shape::number(known->second + operand.offset);
    return shape;
  }
  case Operand::Kind::Address:
    return shapeOf(operand.elements.front());
  case Operand::Kind::Vector:
  case Operand::Kind::Pair: {
    for (const Operand &element : operand.elements) {
      Shape shape = shapeOf(element);
      if (!shape.isUniform())
        return shape.kind == Shape::Unknown ? shape : Shape::vector();
    }
    return Shape::uniform();
  }
  default:
    return Shape::uniform();
  }
}

bool Shapes::isGuardUniform(const ptx::Instruction &in) const {
  return !in.guard || registers[*in.guard].kind == Shape::Unknown ||
         registers[*in.guard].isUniform();
}

/// `most` of a sum or product, if it fits into `bits`.
static uint64_t bound(unsigned bits, uint64_t a, uint64_t b, bool isProduct) {
  bool overflows = false;
  if (a == Shape::unbounded || b == Shape::unbounded)
    return Shape::unbounded;
  uint64_t value = isProduct ? llvm::SaturatingMultiply(a, b, &overflows)
                             : llvm::SaturatingAdd(a, b, &overflows);
  return overflows || value > llvm::maskTrailingOnes<uint64_t>(bits)
             ? Shape::unbounded
             : value;
}

/// A shape with an offset `of` each lane, which counts modulo 2^bits. Lanes
/// that are further apart than any two addresses may be are left to the general
/// case, so differences of offsets never overflow.
static Shape withOffsets(Shape shape, unsigned bits,
                         llvm::function_ref<uint64_t(unsigned lane)> of) {
  constexpr int64_t furthest = int64_t(1) << 48;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    int64_t offset = llvm::SignExtend64(of(lane), bits);
    if (offset < -furthest || offset > furthest)
      return Shape::vector();
    shape.offsets[lane] = offset;
  }
  return shape;
}

static Shape add(const Shape &a, const Shape &b, unsigned bits,
                 int64_t sign = 1) {
  Shape result = Shape::uniform();
  result.zeros = std::min(a.zeros, b.zeros);
  if (sign > 0)
    result.most = bound(bits, a.most, b.most, false);
  if (a.isConstant && b.isConstant) {
    result.isConstant = true;
    result.constant = a.constant + sign * b.constant;
  }
  return withOffsets(result, bits, [&](unsigned lane) {
    return uint64_t(a.offsets[lane]) + sign * uint64_t(b.offsets[lane]);
  });
}

static Shape multiply(const Shape &a, uint64_t factor, unsigned bits) {
  Shape result = Shape::uniform();
  result.zeros = std::min(
      64u, a.zeros + (factor ? unsigned(llvm::countr_zero(factor)) : 64));
  result.most = bound(bits, a.most, factor, true);
  if (a.isConstant) {
    result.isConstant = true;
    result.constant = a.constant * factor;
  }
  return withOffsets(result, bits, [&](unsigned lane) {
    return uint64_t(a.offsets[lane]) * factor;
  });
}

/// The offsets fill the low bits of a base that has zeros there.
static bool isSplit(const Shape &shape) {
  return getLeast(shape.offsets) >= 0 &&
         (shape.zeros >= 63 || getMost(shape.offsets) < int64_t(1)
                                                            << shape.zeros);
}

static Shape mapOffsets(Shape shape, uint64_t (*map)(uint64_t, uint64_t),
                        uint64_t operand, unsigned zeros) {
  shape.zeros = zeros;
  shape.isConstant = false;
  for (int64_t &offset : shape.offsets)
    offset = int64_t(map(uint64_t(offset), operand));
  return shape;
}

/// and, or, shl and shr by a constant.
static Shape evaluateBits(StringRef root, const Shape &a, uint64_t operand,
                          unsigned bits) {
  if (root == "shl")
    return operand < bits ? multiply(a, uint64_t(1) << operand, bits)
                          : Shape::vector();
  if (!isSplit(a))
    return Shape::vector();
  if (root == "and") {
    Shape result = mapOffsets(
        a, [](uint64_t x, uint64_t y) { return x & y; }, operand,
        std::max<unsigned>(a.zeros, operand ? llvm::countr_zero(operand) : 64));
    result.most = std::min(a.most, operand);
    return result;
  }
  if (root == "shr") {
    if (operand >= bits)
      return Shape::vector();
    Shape result = mapOffsets(
        a, [](uint64_t x, uint64_t y) { return x >> y; }, operand,
        a.zeros > operand ? std::min<unsigned>(64, a.zeros - operand) : 0);
    result.most = a.most == Shape::unbounded ? a.most : a.most >> operand;
    return result;
  }
  // or: bits that are zero in base and offsets.
  bool isDisjoint = a.zeros >= 64 - llvm::countl_zero(operand);
  for (int64_t offset : a.offsets)
    isDisjoint &= (uint64_t(offset) & operand) == 0;
  if (!isDisjoint)
    return Shape::vector();
  Shape result = a;
  result.isConstant = false;
  result.zeros =
      std::min<unsigned>(a.zeros, operand ? llvm::countr_zero(operand) : 64);
  result.most = bound(bits, a.most, operand, false);
  return result;
}

/// The same base and offsets in twice the bits, if no lane wraps.
static Shape widen(const Shape &shape, bool isSigned, bool &isGuarded) {
  if (!shape.isUniform())
    // Offsets are less than 2^31 apart, so such values cannot have wrapped.
    isGuarded |= shape.most > 0x7fffffff;
  Shape result = shape;
  // A constant of 32 bits may be held in other ways.
  result.isConstant = shape.isConstant && shape.constant <= 0x7fffffff;
  if (isSigned && result.most > 0x7fffffff)
    result.most = Shape::unbounded;
  return result;
}

Shape Shapes::evaluateLinear(const ptx::Instruction &in,
                             bool &isGuarded) const {
  StringRef root = in.root;
  if (!ptx::isInteger(in.type) || in.has("sat") || in.has("cc"))
    return Shape::vector();
  unsigned bits = ptx::getBits(in.type);
  auto shape = [&](unsigned index) { return shapeOf(in.operands[index]); };
  if (bits < 32)
    return Shape::vector();
  if (root == "mov")
    return in.operands[0].kind == Operand::Kind::Register &&
                   in.operands[1].kind != Operand::Kind::Vector
               ? shape(1)
               : Shape::vector();
  if (root == "cvta") {
    Shape result = shape(1);
    // Which window an address is in may differ between lanes.
    if (in.get("CvtaSpace") == "shared::cluster" && !result.isUniform())
      return Shape::vector();
    result.isConstant = false;
    result.most = Shape::unbounded;
    result.zeros = 0;
    if (in.get("CvtaSpace") != "local")
      return result;
    return withOffsets(result, bits, [&](unsigned lane) {
      uint64_t frame = lane * plan.localStride();
      return uint64_t(result.offsets[lane]) + (in.has("to") ? -frame : frame);
    });
  }
  if (root == "add" || root == "sub")
    return add(shape(1), shape(2), bits, root == "add" ? 1 : -1);
  if (root == "selp") {
    Shape a = shape(1), b = shape(2);
    if (!shape(3).isUniform() || a.offsets != b.offsets)
      return Shape::vector();
    Shape result = add(a, Shape::number(0), bits);
    result.isConstant = false;
    result.most = std::max(a.most, b.most);
    result.zeros = std::min(a.zeros, b.zeros);
    return result;
  }
  bool isProduct = root == "mul" || root == "mad";
  if (isProduct && in.get("HiLo") != "hi") {
    unsigned factor = shape(2).isConstant ? 2 : 1;
    if (!shape(factor).isConstant || !shape(factor).isUniform())
      return Shape::vector();
    Shape value = shape(3 - factor);
    uint64_t constant = shape(factor).constant;
    if (in.has("wide")) {
      value = widen(value, ptx::isSigned(in.type), isGuarded);
      constant = ptx::isSigned(in.type) ? llvm::SignExtend64(constant, bits)
                                        : constant & 0xffffffff;
      bits = 64;
    }
    Shape product = multiply(value, constant, bits);
    return root == "mul" || !product.isScalar() ? product
                                                : add(product, shape(3), bits);
  }
  if (root == "and" || root == "or" || root == "shl" || root == "shr") {
    unsigned constant = shape(2).isConstant || root[0] == 's' ? 2 : 1;
    if (!shape(constant).isConstant || !shape(constant).isUniform())
      return Shape::vector();
    uint64_t value = shape(constant).constant;
    return evaluateBits(root, shape(3 - constant),
                        bits < 64 ? value & 0xffffffff : value, bits);
  }
  return Shape::vector();
}

/// A cvt between integers of 32 and 64 bits.
static Shape evaluateConvert(const ptx::Instruction &in, const Shape &source,
                             bool &isGuarded) {
  auto to = ptx::findType(in.get("Dst")), from = ptx::findType(in.get("Src"));
  if (!to || !from || in.has("sat") || !ptx::isInteger(*to) ||
      !ptx::isInteger(*from) || ptx::getBits(*to) < 32 ||
      ptx::getBits(*from) < 32)
    return Shape::vector();
  if (ptx::getBits(*to) > ptx::getBits(*from))
    return widen(source, ptx::isSigned(*from), isGuarded);
  Shape result = withOffsets(source, ptx::getBits(*to), [&](unsigned lane) {
    return uint64_t(source.offsets[lane]);
  });
  result.isConstant = false;
  if (result.most > llvm::maskTrailingOnes<uint64_t>(ptx::getBits(*to)))
    result.most = Shape::unbounded;
  return result;
}

/// Whether all lanes get the same from the same operands.
bool Shapes::isFunction(const ptx::Instruction &in) const {
  if (in.root == "ld" || in.root == "ldu")
    return plan.sites[&in - flat.body.data()].space != ptx::Space::Local;
  return in.form->row->effect == isa::Effect::Pure || in.has("cc") ||
         in.root == "addc" || in.root == "subc" || in.root == "madc";
}

Shape Shapes::evaluate(const ptx::Instruction &in, bool *isGuarded) const {
  bool guarded = false, isUniform = true, isScalar = true;
  visitUses(flat, in, [&](unsigned reg) {
    isUniform &= registers[reg].isUniform();
    isScalar &= registers[reg].isScalar();
  });
  for (const Operand &operand : in.operands) {
    const Operand &base = operand.kind == Operand::Kind::Address
                              ? operand.elements.front()
                              : operand;
    if (base.kind != Operand::Kind::Special)
      continue;
    isUniform &= shapeOf(base).isUniform();
    isScalar &= shapeOf(base).isScalar();
  }
  bool isPart = (in.root == "ld" || in.root == "st") && isPartAccess(flat, in);
  Shape result = Shape::vector();
  if (isGuardUniform(in) && isScalar) {
    if (in.root == "cvt" && in.operands.size() == 2)
      result = evaluateConvert(in, shapeOf(in.operands[1]), guarded);
    else if (in.form->row->effect == isa::Effect::Pure)
      result = evaluateLinear(in, guarded);
  }
  if (result.kind == Shape::Vector && isUniform && (isFunction(in) || isPart)) {
    result = Shape::uniform();
    guarded = false;
  }
  if (isGuarded)
    *isGuarded = guarded && result.isScalar();
  return result;
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

bool Shapes::lower(unsigned reg, const Shape &shape) {
  Shape &old = registers[reg];
  if (shape.kind == Shape::Unknown || old.kind == Shape::Vector)
    return false;
  if (old.kind == Shape::Unknown) {
    old = shape;
    return true;
  }
  if (shape.kind == Shape::Vector || shape.offsets != old.offsets) {
    old = Shape::vector();
    return true;
  }
  bool changed = false;
  if (shape.zeros < old.zeros) {
    old.zeros = shape.zeros;
    changed = true;
  }
  if (old.isConstant && (!shape.isConstant || shape.constant != old.constant)) {
    old.isConstant = false;
    changed = true;
  }
  // A bound that grows may grow for ever.
  if (shape.most > old.most) {
    old.most = Shape::unbounded;
    changed = true;
  }
  return changed;
}

bool Shapes::visitInstructions() {
  bool changed = false;
  for (const ptx::Instruction &in : flat.body) {
    bool isReady = true;
    visitUses(flat, in, [&](unsigned reg) {
      // The old value of a guarded destination need not be known.
      isReady &= registers[reg].kind != Shape::Unknown || in.guard;
    });
    if (!isReady)
      continue;
    Shape shape = evaluate(in);
    bool isFirst = true;
    visitDefinitions(flat, in, [&](unsigned reg) {
      bool isSame = isFirst || shape.kind != Shape::Scalar || shape.isUniform();
      changed |= lower(reg, isSame ? shape : Shape::vector());
      isFirst = false;
    });
  }
  return changed;
}

/// The lanes of a warp may go to different blocks after `block`.
bool Shapes::mayPart(unsigned block) const {
  const Block &at = flow.blocks[block];
  if (at.first == at.end)
    return false;
  const ptx::Instruction &last = flat.body[at.end - 1];
  if (at.successors.size() + at.mayEnd < 2)
    return false;
  return !isGuardUniform(last) ||
         ((last.root == "brx" || last.root == "call") &&
          shapeOf(last.operands[0]).kind != Shape::Unknown &&
          !shapeOf(last.operands[0]).isUniform());
}

bool Shapes::mayPredicate(unsigned block,
                          llvm::ArrayRef<unsigned> region) const {
  constexpr unsigned maxInstructions = 48;
  unsigned instructions = 0;
  if (flow.blocks[block].join == Flow::none ||
      flat.body[flow.blocks[block].end - 1].root != "bra")
    return false;
  llvm::SmallVector<unsigned> before = {block};
  for (unsigned index : region) {
    const Block &at = flow.blocks[index];
    if (at.mayEnd || !llvm::all_of(at.predecessors, [&](unsigned predecessor) {
          return llvm::is_contained(before, predecessor);
        }))
      return false;
    before.push_back(index);
    instructions += at.end - at.first;
    for (unsigned i = at.first; i < at.end; ++i) {
      const ptx::Instruction &in = flat.body[i];
      bool isGuarded = false;
      evaluate(in, &isGuarded);
      if (isGuarded || isCollective(in) || isBarrier(in) || in.root == "brx" ||
          in.root == "call")
        return false;
    }
  }
  return instructions <= maxInstructions;
}

/// What is written while lanes are apart differs between them afterwards.
bool Shapes::visitBranches() {
  bool changed = false;
  for (unsigned index : flow.order) {
    if (!mayPart(index))
      continue;
    llvm::SmallVector<unsigned> region = flow.getRegion(index);
    bool wasPredicated = isPredicated.test(index);
    if (!rejected.test(index) && mayPredicate(index, region)) {
      isPredicated.set(index);
    } else {
      isPredicated.reset(index);
      rejected.set(index);
    }
    changed |= wasPredicated != isPredicated.test(index);
    // Blocks that are executed one after the other have one set of registers.
    llvm::BitVector live(registers.size());
    unsigned join = flow.blocks[index].join;
    if (join != Flow::none)
      live |= flow.blocks[join].liveIn;
    for (unsigned inside : region)
      if (isPredicated.test(index))
        live |= flow.blocks[inside].liveIn;
    for (unsigned inside : region) {
      const Block &at = flow.blocks[inside];
      for (unsigned i = at.first; i < at.end; ++i)
        visitDefinitions(flat, flat.body[i], [&](unsigned reg) {
          if (live.test(reg))
            changed |= lower(reg, Shape::vector());
        });
    }
  }
  return changed;
}

Shapes::Shapes(const KernelPlan &plan, const Flow &flow,
               const LaunchShape &launch)
    : registers(plan.flat->registers.size()), isPredicated(flow.blocks.size()),
      plan(plan), flat(*plan.flat), flow(flow), launch(launch),
      rejected(flow.blocks.size()) {
  // Registers start as zero.
  llvm::BitVector defined(registers.size());
  for (const ptx::Instruction &in : flat.body)
    visitDefinitions(flat, in, [&](unsigned reg) { defined.set(reg); });
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    if (!defined.test(reg) || flow.blocks[0].liveIn.test(reg))
      registers[reg] = Shape::number(0);
  for (bool changed = true; changed;) {
    while (visitInstructions())
      ;
    changed = visitBranches();
  }
  // What no lane can reach.
  for (Shape &shape : registers)
    if (shape.kind == Shape::Unknown)
      shape = Shape::vector();
  for (unsigned i = 0; i < flat.body.size(); ++i) {
    bool isGuarded = false;
    evaluate(flat.body[i], &isGuarded);
    visitDefinitions(flat, flat.body[i], [&](unsigned reg) {
      if (isGuarded && registers[reg].isScalar())
        tests.push_back(i);
    });
  }
}

} // namespace tc::emulator

// Note [Shapes]
// A warp whose 32 lanes all run, and run together, executes an instruction on
// scalars where every source is a scalar and the instruction is linear in it:
// f(base + offset) = f(base) + g(offset), with g known when the kernel is
// compiled. Addition and multiplication by constants are linear modulo 2^n. A
// widening is so only if no lane wraps: where that is not known it is tested,
// and a warp that fails the test goes on in the masked code. Bit operations are
// linear where the offsets fill bits that are zero in the base.
//
// Nothing else is tested at run time: what is written while lanes are apart is
// a vector where they meet, so scalars stay true for as long as the warp is
// whole.
