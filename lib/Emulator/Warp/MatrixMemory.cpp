//===- MatrixMemory.cpp - Matrices between memory and registers -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ldmatrix`, `stmatrix` and `movmatrix` move matrices of 8 by 8 elements of 16
// bits, `wmma.load` and `wmma.store` fragments (PTX ISA, sections 9.7.14.5.15
// to 17 and 9.7.14.4).
//
//===----------------------------------------------------------------------===//

#include "Check/Undefined.h"
#include "Warp/Matrix.h"
#include "Warp/Warp.h"

#include "llvm/ADT/bit.h"

#include <cstring>

namespace tc::emulator::warp {

namespace {

/// 8 rows of 8 elements, and in registers: lane i has elements 2i and 2i + 1.
struct Small {
  uint16_t rows[8][8];

  Small() = default;
  explicit Small(const Lanes &lanes) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half)
        rows[lane / 4][lane % 4 * 2 + half] = lanes[lane] >> (16 * half);
  }
  void write(Lanes &lanes) const {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      lanes[lane] = rows[lane / 4][lane % 4 * 2] |
                    uint32_t(rows[lane / 4][lane % 4 * 2 + 1]) << 16;
  }
  Small transposed() const {
    Small result;
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned j = 0; j < 8; ++j)
        result.rows[j][i] = rows[i][j];
    return result;
  }
};

constexpr unsigned rowBytes = sizeof(Small::rows[0]);

ptx::Space getSpace(const Step &step) {
  llvm::StringRef name = step.instruction.get("MatrixSpace");
  return *ptx::findSpace(name.empty() ? step.instruction.get("SharedSpace")
                                      : name);
}

/// Lanes 8i to 8i + 7 give the addresses of the rows of matrix i.
bool resolveRows(Step &step, unsigned matrices, AccessKind kind,
                 LanePointers &rows) {
  uint32_t mask = uint32_t((uint64_t(1) << 8 * matrices) - 1);
  return checkAllLanes(step) && resolve(step, mask, getSpace(step),
                                        step.sources[0], rowBytes, kind, rows);
}

/// Calls `move(register, bytes, pointers, shift)` for what each lane holds of
/// a fragment in memory: as many elements at once as are neighbours in both.
template <typename Move>
bool moveFragment(Step &step, const Lanes *stride, AccessKind kind, Move move) {
  if (!checkAllLanes(step))
    return false;
  const MatrixForm &form = *step.instruction.matrix;
  const Fragment &f = form.d;
  const Lanes &base = step.sources[0];
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (base[lane] != base[0] || (stride && (*stride)[lane] != (*stride)[0]))
      return fail(step, lane,
                  "expected the address and the stride of lane 0 in lane " +
                      llvm::Twine(lane));
  uint64_t bits = getBits(f.element);
  uint64_t leading = form.isRowMajor ? f.columns : f.rows;
  if (stride) // counted in elements, and a .b1 is one of 32
    leading = uint32_t((*stride)[0]) / (f.element == Element::B1 ? 32 : 1);
  bool isAlong = form.isRowMajor == (f.role != Role::B);
  unsigned span = isAlong ? f.perRegister : 1;
  for (unsigned index = 0; index < f.distinct * f.perRegister; index += span) {
    Lanes addresses;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      Place at = f.place(lane, index);
      uint64_t element = form.isRowMajor ? at.row * leading + at.column
                                         : at.column * leading + at.row;
      addresses[lane] = base[0] + element * bits / 8;
    }
    unsigned bytes = span * bits / 8;
    UndefinedTracker *undefined = step.launch.undefined;
    if (undefined)
      undefined->beginLoad(index / f.perRegister);
    LanePointers pointers;
    if (!resolve(step, step.active, getSpace(step), addresses, bytes, kind,
                 pointers))
      return false;
    if (undefined && undefined->isAny() && kind == AccessKind::Write &&
        !undefined->storeOperand(step, 1 + index / f.perRegister, bytes))
      return false;
    move(index / f.perRegister, bytes, pointers,
         index % f.perRegister * unsigned(bits));
  }
  return true;
}

} // namespace

bool loadMatrix(Step &step) {
  LanePointers rows;
  unsigned matrices = step.results.size();
  if (!resolveRows(step, matrices, AccessKind::Read, rows))
    return false;
  for (unsigned i = 0; i < matrices; ++i) {
    Small matrix;
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(matrix.rows[row], rows[8 * i + row], rowBytes);
    if (step.instruction.has("trans"))
      matrix = matrix.transposed();
    matrix.write(step.results[i]);
  }
  return true;
}

bool storeMatrix(Step &step) {
  LanePointers rows;
  unsigned matrices = step.sources.size() - 1;
  if (!resolveRows(step, matrices, AccessKind::Write, rows))
    return false;
  for (unsigned i = 0; i < matrices; ++i) {
    Small matrix(step.sources[1 + i]);
    if (step.instruction.has("trans"))
      matrix = matrix.transposed();
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(rows[8 * i + row], matrix.rows[row], rowBytes);
  }
  return true;
}

bool moveMatrix(Step &step) {
  if (!checkAllLanes(step))
    return false;
  Small(step.sources[0]).transposed().write(step.results[0]);
  return true;
}

bool loadFragment(Step &step) {
  const Fragment &f = step.instruction.matrix->d;
  for (Lanes &lanes : step.results)
    lanes.fill(0);
  const Lanes *stride = step.sources.size() > 1 ? &step.sources[1] : nullptr;
  if (!moveFragment(step, stride, AccessKind::Read,
                    [&](unsigned reg, unsigned bytes,
                        const LanePointers &pointers, unsigned shift) {
                      for (unsigned lane = 0; lane < warpSize; ++lane) {
                        uint64_t bits = 0;
                        std::memcpy(&bits, pointers[lane], bytes);
                        step.results[reg][lane] |= bits << shift;
                      }
                    }))
    return false;
  for (unsigned reg = f.distinct; reg < f.registers; ++reg)
    step.results[reg] = step.results[reg % f.distinct];
  return true;
}

bool storeFragment(Step &step) {
  unsigned registers = step.instruction.matrix->d.registers;
  const Lanes *stride =
      step.sources.size() > 1 + registers ? &step.sources.back() : nullptr;
  return moveFragment(step, stride, AccessKind::Write,
                      [&](unsigned reg, unsigned bytes,
                          const LanePointers &pointers, unsigned shift) {
                        for (unsigned lane = 0; lane < warpSize; ++lane) {
                          uint64_t bits = step.sources[1 + reg][lane] >> shift;
                          std::memcpy(pointers[lane], &bits, bytes);
                        }
                      });
}

} // namespace tc::emulator::warp
