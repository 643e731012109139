//===- GroupProduct.cpp - Products of four warps, done --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From shared memory and registers to dense arrays and back. All of k are 32
// bytes; b is read once for the four warps, some columns at a time.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Runtime/Launch.h"
#include "Warp/Product.h"
#include "Warp/Warpgroup.h"

#include <cstring>

namespace tc::emulator::warpgroup {

using warp::Element;
using warp::Fragment;

namespace {

constexpr unsigned bytesOfK = 32, halves = bytesOfK / pieceBytes;
constexpr unsigned rowsOfWarp = 16;
/// Rows of an MN-major matrix in a piece.
constexpr unsigned rowsOfPiece = pieceBytes / 2;

/// The constants of the instruction: the signs of a and b, and whether they are
/// MN-major. Integers have none, other types no transposition, and neither has
/// an a in registers.
struct Constants {
  explicit Constants(const Product &product) {
    llvm::SmallVector<int64_t, 4> values;
    const ptx::Instruction &in = *product.instruction;
    for (auto [operand, spec] : llvm::zip(in.operands, in.form->operands))
      if (spec.kind == isa::OperandSpec::Kind::Constant)
        values.push_back(int64_t(operand.bits));
    if (values.empty())
      return;
    isNegative[0] = values[0] < 0;
    isNegative[1] = values[1] < 0;
    if (values.size() > 2 && !product.isInRegisters())
      isRowsTogether[0] = values[2];
    if (values.size() > 2)
      isRowsTogether[1] = values.back();
  }
  bool isNegative[2] = {false, false}, isRowsTogether[2] = {false, false};
};

/// Calls `body(address)` for the pieces of some rows, in the order in which
/// `gather` wants them.
template <typename Body>
void forPieces(const Descriptor &from, bool isRowsTogether, unsigned first,
               unsigned rows, Body body) {
  if (!isRowsTogether) {
    for (unsigned row = first; row < first + rows; ++row)
      for (unsigned half = 0; half < halves; ++half)
        body(from.getPiece(row, half));
    return;
  }
  for (unsigned k = 0; k < bytesOfK / 2; ++k)
    for (unsigned row = first; row < first + rows; row += rowsOfPiece)
      body(from.getPieceOfRows(row / rowsOfPiece, k));
}

/// Some rows of a matrix in shared memory, each with its k in order, or each k
/// with its rows (`isKFirst`).
template <typename T>
void gather(const BlockState &block, const Descriptor &from, Element element,
            bool isRowsTogether, unsigned first, unsigned rows, bool isKFirst,
            T *out) {
  constexpr unsigned most = MatrixForm::groupColumns;
  char bytes[most * bytesOfK];
  char *at = bytes;
  forPieces(from, isRowsTogether, first, rows, [&](uint32_t address) {
    std::memcpy(at, block.shared + (address - sharedStart), pieceBytes);
    at += pieceBytes;
  });
  unsigned words = rows * bytesOfK / sizeof(uint32_t);
  unsigned terms = bytesOfK * 8 / warp::getBits(element);
  if (isRowsTogether == isKFirst) {
    warp::expandWords(element, bytes, words, out);
    return;
  }
  T values[most * bytesOfK];
  warp::expandWords(element, bytes, words, values);
  unsigned outer = isRowsTogether ? terms : rows;
  unsigned inner = isRowsTogether ? rows : terms;
  for (unsigned i = 0; i < outer; ++i)
    for (unsigned j = 0; j < inner; ++j)
      out[j * outer + i] = values[i * inner + j];
}

template <typename T>
void negate(T *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = -values[i];
}

/// One product, with elements as double or as int32_t.
template <typename T>
class Executor {
public:
  Executor(Launch &launch, const BlockState &block, Group &group,
           Product &product)
      : block(block), group(group), product(product), constants(product),
        form(*product.instruction->matrix) {
    if (launch.options.arithmetic == LaunchOptions::Arithmetic::Hardware)
      unit = warp::getGroupUnit(launch.ptx.getChip(), form.a.element);
  }

  void run() {
    for (unsigned member = 0; member < warpsOfGroup; ++member)
      readA(member);
    constexpr unsigned most = MatrixForm::groupColumns;
    for (unsigned first = 0; first < form.columns; first += most) {
      bool isTail = form.tail && form.columns - first < most;
      const MatrixForm &part = isTail ? *form.tail : form;
      gather(block, product.b, form.b.element, constants.isRowsTogether[1],
             first, part.b.columns, /*isKFirst=*/true, b);
      if (constants.isNegative[1])
        negate(b, part.b.rows * part.b.columns);
      for (unsigned member = 0; member < warpsOfGroup; ++member)
        add(part, first, member);
    }
  }

private:
  void readA(unsigned member) {
    if (product.isInRegisters())
      warp::decode(form.a, product.fragments[member], a[member]);
    else
      gather(block, product.a, form.a.element, constants.isRowsTogether[0],
             member * rowsOfWarp, rowsOfWarp, /*isKFirst=*/false, a[member]);
    if (constants.isNegative[0])
      negate(a[member], form.a.rows * form.a.columns);
  }

  void add(const MatrixForm &part, unsigned first, unsigned member) {
    constexpr unsigned most = MatrixForm::groupColumns;
    unsigned count = part.d.registers;
    llvm::ArrayRef<unsigned> places =
        llvm::ArrayRef(product.accumulators)
            .slice(first / most * form.d.registers, count);
    std::vector<LateRegister> &registers = group.members[member].registers;
    std::array<Lanes, rowsOfWarp * most / warpSize> values;
    alignas(64) T c[rowsOfWarp * most] = {};
    if (product.isAdded) {
      for (unsigned i = 0; i < count; ++i)
        values[i] = registers[places[i]].value;
      warp::decode(part.c, {values.data(), count}, c);
    }
    if constexpr (std::is_same_v<T, double>)
      warp::addProduct(part, unit, a[member], b, c);
    else
      warp::addProduct(part, a[member], b, c);
    warp::encode(part.d, c, {values.data(), count});
    for (unsigned i = 0; i < count; ++i)
      registers[places[i]].value = values[i];
  }

  const BlockState &block;
  Group &group;
  Product &product;
  Constants constants;
  const MatrixForm &form;
  std::optional<warp::TensorUnit> unit;
  alignas(64) T a[warpsOfGroup][rowsOfWarp * bytesOfK];
  alignas(64) T b[MatrixForm::groupColumns * bytesOfK];
};

} // namespace

SharedMatrix Product::getShape(bool isA) const {
  return {isA ? warpsOfGroup * rowsOfWarp : instruction->matrix->columns,
          Constants(*this).isRowsTogether[isA ? 0 : 1]};
}

llvm::SmallVector<uint32_t> Product::getPieces(unsigned member) const {
  llvm::SmallVector<uint32_t> pieces;
  Constants constants(*this);
  auto add = [&](uint32_t address) { pieces.push_back(address); };
  if (!isInRegisters())
    forPieces(a, constants.isRowsTogether[0], member * rowsOfWarp, rowsOfWarp,
              add);
  forPieces(b, constants.isRowsTogether[1], 0, instruction->matrix->columns,
            add);
  return pieces;
}

void execute(Launch &launch, const BlockState &block, Group &group,
             Product &product) {
  using Arithmetic = MatrixForm::Arithmetic;
  if (product.instruction->matrix->arithmetic == Arithmetic::Real)
    std::make_unique<Executor<double>>(launch, block, group, product)->run();
  else
    std::make_unique<Executor<int32_t>>(launch, block, group, product)->run();
  product.isDone = true;
  ++group.done;
}

} // namespace tc::emulator::warpgroup
