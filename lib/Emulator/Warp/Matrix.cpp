//===- Matrix.cpp - What a matrix instruction computes --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the modifiers of matrix instructions word by word: the table has
// checked their order and which ones go together.
//
//===----------------------------------------------------------------------===//

#include "Warp/Matrix.h"
#include "Isa/Isa.h"

#include <map>
#include <mutex>

using llvm::StringRef;

namespace tc::emulator {

using warp::Element;
using warp::Fragment;
using warp::Role;

namespace {

/// What the modifiers say.
struct Words {
  unsigned m = 0, n = 0, k = 0, matrices = 0;
  llvm::SmallVector<bool, 2> isRow; ///< the layouts
  llvm::SmallVector<Element, 4> elements;
  StringRef role; ///< "a" to "d", of wmma.load and wmma.store
  bool isSaturated = false, isXor = false, isPopc = false, isMma = false;
};

/// "m16n8k16"; false for any other word.
bool readShape(StringRef word, Words &words) {
  return word.consume_front("m") && !word.consumeInteger(10, words.m) &&
         word.consume_front("n") && !word.consumeInteger(10, words.n) &&
         word.consume_front("k") && !word.consumeInteger(10, words.k) &&
         word.empty();
}

Words readWords(const ptx::Instruction &in) {
  Words words;
  words.isMma = in.root == "mma";
  for (StringRef word : in.modifiers) {
    if (readShape(word, words))
      continue;
    if (std::optional<Element> element = warp::findElement(word))
      words.elements.push_back(*element);
    else if (word == "row" || word == "col")
      words.isRow.push_back(word == "row");
    else if (word == "a" || word == "b" || word == "c" || word == "d")
      words.role = word;
    else if (word == "x1" || word == "x2" || word == "x4")
      words.matrices = word[1] - '0';
    words.isMma |= word == "mma";
    words.isSaturated |= word == "satfinite";
    words.isXor |= word == "xor";
    words.isPopc |= word == "popc";
  }
  return words;
}

/// Some .f16 fragments of `wmma` have 8 registers whatever the shape.
unsigned countWmmaRegisters(Role role, Element element) {
  return role != Role::C && element == Element::F16 ? 8 : 0;
}

Fragment makeFragment(const Words &words, Role role, Element element,
                      bool isWmma, bool isRowMajor) {
  // A .b1 is 32 of them.
  unsigned k = element == Element::B1 ? words.k / 32 : words.k;
  bool isQuads = !isWmma && words.elements[1] == Element::F16 && words.k == 4;
  return Fragment(role, element, role == Role::B ? k : words.m,
                  role == Role::A ? k : words.n, isQuads, isRowMajor,
                  isWmma ? countWmmaRegisters(role, element) : 0);
}

RegisterCount countRegisters(const Fragment &fragment) {
  return {fragment.registers, warp::getRegisterBits(fragment.element)};
}

void makeMultiply(MatrixForm &form, Words &words, bool isWmma) {
  // `wmma` leaves the types of a and b out where they are .f16.
  if (words.elements.size() == 2)
    words.elements = {words.elements[0], Element::F16, Element::F16,
                      words.elements[1]};
  auto make = [&](Role role, unsigned element, bool isRowMajor) {
    return makeFragment(words, role, words.elements[element], isWmma,
                        isRowMajor);
  };
  form.d = make(Role::C, 0, true);
  form.a = make(Role::A, 1, words.isRow[0]);
  form.b = make(Role::B, 2, words.isRow[1]);
  form.c = make(Role::C, 3, true);
  form.isSaturated = words.isSaturated;
  using Arithmetic = MatrixForm::Arithmetic;
  form.arithmetic = words.isPopc && words.isXor         ? Arithmetic::Xor
                    : words.isPopc                      ? Arithmetic::And
                    : words.elements[0] == Element::S32 ? Arithmetic::Integer
                                                        : Arithmetic::Real;
  for (const Fragment *fragment : {&form.d, &form.a, &form.b, &form.c})
    form.operands.push_back(countRegisters(*fragment));
}

/// What one warp of the four does: 16 rows, so many columns at a time.
MatrixForm makeGroupForm(const Words &words, unsigned columns) {
  using Arithmetic = MatrixForm::Arithmetic;
  MatrixForm form;
  unsigned k = words.elements[1] == Element::B1 ? words.k / 32 : words.k;
  Element d = words.elements[0];
  form.a = Fragment(Role::A, words.elements[1], 16, k);
  form.b = Fragment(Role::B, words.elements[2], k, columns);
  form.c = form.d = Fragment(Role::C, d, 16, columns);
  form.columns = words.n;
  form.isSaturated = words.isSaturated;
  form.arithmetic = words.isPopc        ? Arithmetic::And
                    : d == Element::S32 ? Arithmetic::Integer
                                        : Arithmetic::Real;
  return form;
}

MatrixForm makeGroupMultiply(const Words &words, const ptx::Instruction &in) {
  constexpr unsigned most = MatrixForm::groupColumns;
  MatrixForm form = makeGroupForm(words, std::min(words.n, most));
  if (words.n > most && words.n % most)
    form.tail =
        std::make_shared<MatrixForm>(makeGroupForm(words, words.n % most));
  unsigned perRegister = 32 / warp::getBits(form.d.element);
  form.operands.assign(in.form->operands.size(), RegisterCount());
  form.operands[0].count = 16 * words.n / (warpSize * perRegister);
  form.operands[1].count = form.a.registers;
  return form;
}

std::unique_ptr<MatrixForm> makeForm(const ptx::Instruction &in) {
  auto form = std::make_unique<MatrixForm>();
  Words words = readWords(in);
  if (in.root == "wgmma") {
    *form = makeGroupMultiply(words, in);
    return form;
  }
  if (words.isMma) {
    makeMultiply(*form, words, in.root == "wmma");
    return form;
  }
  if (words.matrices) {
    RegisterCount registers{words.matrices, 32};
    form->operands = {registers, registers};
    return form;
  }
  form->isRowMajor = words.isRow[0];
  Role role = words.role == "a"   ? Role::A
              : words.role == "b" ? Role::B
                                  : Role::C;
  form->d = makeFragment(words, role, words.elements[0], true, true);
  RegisterCount registers = countRegisters(form->d);
  form->operands = {registers, registers};
  return form;
}

} // namespace

void resolveMatrix(ptx::Instruction &in) {
  using Kind = isa::OperandSpec::Kind;
  if (llvm::none_of(in.form->operands, [](const isa::OperandSpec &spec) {
        return spec.kind == Kind::FragmentDest ||
               spec.kind == Kind::FragmentSource ||
               spec.kind == Kind::FragmentBoth;
      }))
    return;
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<MatrixForm>> forms;
  std::lock_guard<std::mutex> lock(mutex);
  // Where `wgmma` has a in registers, the same words name other operands.
  bool isInRegisters = in.form->operands.size() > 1 &&
                       in.form->operands[1].kind == Kind::FragmentSource;
  std::unique_ptr<MatrixForm> &form =
      forms[in.getOpcode() + (isInRegisters ? " a" : "")];
  if (!form)
    form = makeForm(in);
  in.matrix = form.get();
}

} // namespace tc::emulator
