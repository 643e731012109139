//===- TensorUnitTest.cpp - Tests of how tensor units add -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What distinguishes the units of chips, each by sums that come out otherwise;
// then random sums against a model on integers.
//
//===----------------------------------------------------------------------===//

#include "Reference/MatrixProduct.h"

#include "gmock/gmock.h"

#include <optional>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

uint64_t toBfloat(double value) {
  return llvm::bit_cast<uint32_t>(float(value)) >> 16;
}
uint64_t toSingle(double value) {
  return llvm::bit_cast<uint32_t>(float(value));
}

struct Term {
  unsigned k;
  double a, b;
};

/// c plus terms of m16n8k16 on .bf16.
double add(const std::string &chip, double c, const std::vector<Term> &terms) {
  Product product =
      makeProduct(findLayout("m16n8k16", "f32.bf16.bf16.f32"), "", chip);
  product.step.options.arithmetic = LaunchOptions::Arithmetic::Hardware;
  product.c.at(0, 9, 5) = toSingle(c);
  for (const Term &term : terms) {
    product.a.at(0, 9, term.k) = toBfloat(term.a);
    product.b.at(0, term.k, 5) = toBfloat(term.b);
  }
  product.run();
  return product.d.value(0, 9, 5);
}

TEST(TensorUnit, KeepsSoManyBitsOfATerm) {
  std::vector<Term> two = {{0, 0x1p-12, 0x1p-12}, {1, 0x1p-12, 0x1p-12}};
  EXPECT_EQ(add("sm_80", 1, two), 1 + 0x1p-23);
  EXPECT_EQ(add("sm_90", 1, two), 1 + 0x1p-23);
  std::vector<Term> four;
  for (unsigned k = 0; k < 4; ++k)
    four.push_back({k, 0x1p-12, 0x1p-13});
  EXPECT_EQ(add("sm_80", 1, four), 1);
  EXPECT_EQ(add("sm_90", 1, four), 1 + 0x1p-23);
  for (Term &term : four)
    term.b = 0x1p-14;
  EXPECT_EQ(add("sm_90", 1, four), 1);
}

TEST(TensorUnit, AddsSoManyTermsAtOnce) {
  std::vector<Term> apart = {{7, 0x1p-12, 0x1p-12}, {8, 0x1p-12, 0x1p-12}};
  EXPECT_EQ(add("sm_80", 1, apart), 1);
  EXPECT_EQ(add("sm_89", 1, apart), 1);
  EXPECT_EQ(add("sm_90", 1, apart), 1 + 0x1p-23);
  EXPECT_EQ(add("sm_100", 1, apart), 1 + 0x1p-23);
}

TEST(TensorUnit, CutsTowardsZero) {
  EXPECT_EQ(add("sm_80", 1, {{0, 0x1p-12, 0x1.8p-12}}), 1);
  EXPECT_EQ(add("sm_80", -1, {{0, -0x1p-12, 0x1.8p-12}}), -1);
  EXPECT_EQ(add("sm_80", 0x1p30, {{0, 1, 1}, {1, -0x1p15, 0x1p15}}), 0);
}

TEST(TensorUnit, AlignsProductsBeforeTheyCarry) {
  // 2.25 has the exponent of its factors, and so 4 times 2^-24 stays.
  std::vector<Term> terms = {{0, 1.5, 1.5}};
  for (unsigned k = 1; k < 5; ++k)
    terms.push_back({k, 0x1p-12, 0x1p-12});
  EXPECT_EQ(add("sm_80", 0, terms), 2.25 + 0x1p-22);
  terms[0] = {0, 2.25, 1};
  EXPECT_EQ(add("sm_80", 0, terms), 2.25);
}

TEST(TensorUnit, ZeroHasAnExponent) {
  // A zero times a large number outweighs what is small.
  EXPECT_EQ(add("sm_80", 0, {{0, 1, 0x1p-30}, {1, 0, 0x1p126}}), 0);
  EXPECT_EQ(add("sm_80", 0, {{0, 1, 0x1p-20}, {1, 0, 0x1p126}}), 0x1p-20);
}

TEST(TensorUnit, HasInfinitiesAndNaN) {
  EXPECT_EQ(add("sm_90", 1, {{0, INFINITY, 1}}), INFINITY);
  EXPECT_EQ(add("sm_90", -INFINITY, {{3, 2, 1}}), -INFINITY);
  EXPECT_EQ(add("sm_90", 0, {{0, -0x1p64, 0x1p64}}), -INFINITY);
  EXPECT_TRUE(std::isnan(add("sm_90", 1, {{0, INFINITY, 0}})));
  EXPECT_TRUE(std::isnan(add("sm_90", INFINITY, {{0, -INFINITY, 1}})));
}

//===----------------------------------------------------------------------===//
// A model on integers
//===----------------------------------------------------------------------===//

struct UnitModel {
  std::string chip;
  unsigned fraction, bits; ///< bits of all inputs that are added at once
  unsigned bitsOfBytes;    ///< and for 8-bit floating point; 0: none has it
  unsigned fractionOfBytes;
  bool addsLast; ///< are bytes multiplied as halves, before c is added?
};

/// Multiples of 2^-100.
using Fixed = __int128;

Fixed toFixed(double value) {
  return Fixed(std::ldexp(value, 50)) * (Fixed(1) << 50);
}

int exponentOf(Element element, double value) {
  if (value == 0)
    return -127;
  int least = element == Element::E4M3                              ? -6
              : element == Element::E5M2 || element == Element::F16 ? -14
                                                                    : -126;
  return std::max(std::ilogb(value), least);
}

/// Without what is below 2^exponent.
Fixed cutBelow(Fixed value, int exponent) {
  Fixed step = Fixed(1) << std::max(exponent + 100, 0);
  return value / step * step;
}

double toDouble(Fixed value) { return std::ldexp(double(value), -100); }

double round(Element d, Fixed sum, unsigned fraction) {
  if (sum == 0)
    return 0;
  Fixed magnitude = sum < 0 ? -sum : sum;
  int exponent = -101;
  for (Fixed rest = magnitude; rest; rest /= 2)
    ++exponent;
  if (d != Element::F16)
    return toDouble(cutBelow(sum, exponent - int(fraction)));
  Fixed step = Fixed(1) << (std::max(exponent, -14) - 10 + 100);
  Fixed low = magnitude / step, rest = magnitude % step;
  low += rest * 2 > step || (rest * 2 == step && low % 2);
  return toDouble(sum < 0 ? -low * step : low * step);
}

/// The term of an 8-bit product at a place of the product of halves: the lower
/// two of each four come first.
unsigned getTermOfHalf(unsigned place, unsigned terms) {
  unsigned upper = place / (terms / 2), rest = place % (terms / 2);
  return rest / 2 * 4 + upper * 2 + rest % 2;
}

/// c plus the products of a row and a column, or these alone with `factors` as
/// the type of both, in another order.
double modelSum(Product &p, unsigned row, unsigned column, unsigned fraction,
                unsigned terms, unsigned resultFraction,
                std::optional<Element> factors = std::nullopt) {
  double sum = factors ? 0 : p.c.value(0, row, column);
  Element type = p.c.element;
  auto getA = [&](unsigned k) {
    return p.a.value(0, row, factors ? getTermOfHalf(k, p.shape.k) : k);
  };
  auto getB = [&](unsigned k) {
    return p.b.value(0, factors ? getTermOfHalf(k, p.shape.k) : k, column);
  };
  for (unsigned first = 0; first < p.shape.k; first += terms) {
    int largest = exponentOf(type, sum);
    unsigned end = std::min(first + terms, p.shape.k);
    for (unsigned k = first; k < end; ++k)
      largest = std::max(
          largest, exponentOf(factors.value_or(p.a.element), getA(k)) +
                       exponentOf(factors.value_or(p.b.element), getB(k)));
    int below = largest - int(fraction);
    Fixed total = cutBelow(toFixed(sum), below);
    for (unsigned k = first; k < end; ++k)
      total += cutBelow(toFixed(getA(k) * getB(k)), below);
    type = p.d.element;
    sum = round(type, total, resultFraction);
  }
  return sum;
}

/// c, rounded to nearest, plus the sum of products of halves.
double modelLateSum(Product &p, unsigned row, unsigned column,
                    const UnitModel &unit) {
  double products = modelSum(p, row, column, unit.fraction, unit.bits / 16,
                             std::min(unit.fraction, 23u), Element::F16);
  double sum = p.c.value(0, row, column) + products;
  if (p.d.element != Element::F16)
    return float(sum);
  return round(Element::F16, toFixed(sum), 0);
}

/// Numbers with all bits of the significand and exponents of a few, so that
/// products are multiples of 2^-50.
uint64_t randomReal(Element element, std::mt19937_64 &random) {
  double value =
      std::ldexp(1 + double(random() % 4096) / 4096, int(random() % 9) - 5) *
      (random() % 2 ? 1 : -1) * (random() % 8 != 0);
  if (element == Element::F32 || element == Element::TF32)
    return toSingle(value);
  if (element == Element::BF16)
    return toBfloat(value);
  unsigned bits = modelOf(element).bits;
  uint64_t sign = value < 0 ? 1ull << (bits - 1) : 0;
  // The largest one that is not above: the order of bits is that of numbers.
  uint64_t found = 0;
  for (uint64_t bit = 1ull << (bits - 2); bit; bit /= 2) {
    double next = readElement(element, found | bit);
    if (!std::isnan(next) && next <= std::fabs(value))
      found |= bit;
  }
  return found | sign;
}

void expectModel(const UnitModel &unit, const Layout &layout,
                 std::mt19937_64 &random) {
  Product product = makeProduct(layout, "", unit.chip);
  product.step.options.arithmetic = LaunchOptions::Arithmetic::Hardware;
  unsigned bits = modelOf(product.a.element).bits;
  bool areBytes = bits == 8;
  unsigned fraction = areBytes ? unit.fractionOfBytes : unit.fraction;
  for (Matrix *matrix : {&product.a, &product.b, &product.c})
    for (uint64_t &each : matrix->bits)
      each = randomReal(matrix->element, random);
  product.run();
  for (unsigned row = 0; row < product.shape.m; ++row)
    for (unsigned column = 0; column < product.shape.n; ++column)
      ASSERT_EQ(product.d.value(0, row, column),
                unit.addsLast && areBytes
                    ? modelLateSum(product, row, column, unit)
                    : modelSum(product, row, column, fraction,
                               (areBytes ? unit.bitsOfBytes : unit.bits) / bits,
                               std::min(fraction, 23u)))
          << row << " " << column;
}

TEST(TensorUnit, AddsAsTheModel) {
  std::mt19937_64 random(4);
  for (const UnitModel &unit :
       std::vector<UnitModel>{{"sm_80", 24, 128, 0, 0, false},
                              {"sm_89", 24, 128, 128, 13, false},
                              {"sm_90", 25, 256, 128, 25, true},
                              {"sm_100", 25, 256, 256, 25, false}})
    for (const Layout &layout : layouts) {
      SCOPED_TRACE(unit.chip + " " + layout.shape + " " + layout.types);
      ElementModel inputs = modelOf(splitTypes(layout.types)[1]);
      if (!inputs.isReal || inputs.bits == 64 ||
          (inputs.bits == 8 && !unit.bitsOfBytes))
        continue;
      for (unsigned trial = 0; trial < 20; ++trial)
        expectModel(unit, layout, random);
    }
}

} // namespace
