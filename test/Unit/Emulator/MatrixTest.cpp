//===- MatrixTest.cpp - Tests of matrix instructions ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment layouts, element by element, against the formulas of the PTX ISA
// document, section 9.7.14.5; products and roundings against models.
//
//===----------------------------------------------------------------------===//

#include "Reference/MatrixProduct.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// The exact result on values whose products and sums are exact.
double modelProduct(Product &product, unsigned copy, unsigned row,
                    unsigned column, llvm::StringRef suffix) {
  double sum = product.c.value(copy, row, column);
  for (unsigned k = 0; k < product.shape.k; ++k) {
    double x = product.a.value(copy, row, k);
    double y = product.b.value(copy, k, column);
    sum += suffix.starts_with(".xor") ? x != y : x * y;
  }
  return sum;
}

void expectExact(Product &product, llvm::StringRef suffix = "") {
  for (unsigned copy = 0; copy < product.shape.copies; ++copy)
    for (unsigned row = 0; row < product.shape.m; ++row)
      for (unsigned column = 0; column < product.shape.n; ++column)
        ASSERT_EQ(product.d.value(copy, row, column),
                  modelProduct(product, copy, row, column, suffix))
            << copy << " " << row << " " << column;
}

/// `place`, element by element; a .b1 fragment counts words.
void expectPlaces(const Fragment &fragment, Matrix &matrix) {
  unsigned bits = fragment.element == Element::B1 ? 32 : 1;
  ASSERT_EQ(fragment.registers, matrix.registers);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < matrix.count(); ++i) {
      warp::Place expected = matrix.formula(lane, i);
      warp::Place got = fragment.place(lane, i / bits);
      unsigned within = i % bits;
      bool isB = fragment.role == warp::Role::B;
      ASSERT_EQ(got.copy, expected.copy);
      ASSERT_EQ(got.row * (isB ? bits : 1) + (isB ? within : 0), expected.row)
          << "lane " << lane << " element " << i;
      ASSERT_EQ(got.column * (isB ? 1 : bits) + (isB ? 0 : within),
                expected.column)
          << "lane " << lane << " element " << i;
    }
}

void expectPlaces(Product &product) {
  const MatrixForm &form = *product.step.instruction->matrix;
  expectPlaces(form.a, product.a);
  expectPlaces(form.b, product.b);
  expectPlaces(form.c, product.c);
  expectPlaces(form.d, product.d);
}

TEST(Mma, LayoutsAndProducts) {
  std::mt19937_64 random(1);
  for (const Layout &layout : layouts) {
    SCOPED_TRACE(std::string(layout.shape) + " " + layout.types);
    Product product = makeProduct(layout);
    expectPlaces(product);
    for (unsigned trial = 0; trial < 5; ++trial) {
      for (Matrix *matrix : {&product.a, &product.b, &product.c})
        matrix->fill(random);
      product.run();
      expectExact(product, layout.suffix);
    }
  }
}

TEST(Mma, QuadsLayoutsAndProducts) {
  std::mt19937_64 random(2);
  for (bool isRowA : {true, false})
    for (bool isRowB : {true, false})
      for (std::string types :
           {"f16.f16.f16.f16", "f32.f16.f16.f16", "f32.f16.f16.f32"}) {
        std::string opcode = std::string("mma.sync.aligned.m8n8k4.") +
                             (isRowA ? "row." : "col.") +
                             (isRowB ? "row." : "col.") + types;
        SCOPED_TRACE(opcode);
        std::array<Element, 4> elements = splitTypes(types);
        Product product(opcode, {8, 8, 4, 4}, elements, quads('a', isRowA),
                        quads('b', isRowB),
                        quads('c', true, elements[3] == Element::F32),
                        quads('d', true, elements[0] == Element::F32));
        expectPlaces(product);
        for (Matrix *matrix : {&product.a, &product.b, &product.c})
          matrix->fill(random);
        product.run();
        expectExact(product);
      }
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A fragment of 8 by 8 elements of c: register r, lane l.
Fragment accumulator(Element element) {
  return Fragment(warp::Role::C, element, 8, 8);
}

bool isSameNumber(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) ||
         (x == y && std::signbit(x) == std::signbit(y));
}

TEST(MatrixElements, EveryBitPatternIsRead) {
  for (Element element :
       {Element::F16, Element::BF16, Element::E4M3, Element::E5M2, Element::S8,
        Element::U8, Element::S4, Element::U4}) {
    unsigned width = modelOf(element).bits;
    Fragment fragment(warp::Role::A, element, 8, 4 * 32 / width);
    ASSERT_EQ(fragment.registers, 1);
    for (uint64_t first = 0; first < 1u << width;
         first += warpSize * fragment.perRegister) {
      Lanes lanes = uniform(0);
      for (unsigned i = 0; i < warpSize * fragment.perRegister; ++i)
        lanes[i / fragment.perRegister] |= (first + i) % (1u << width)
                                           << i % fragment.perRegister * width;
      double dense[warp::maxElements];
      warp::decode(fragment, lanes, dense);
      for (unsigned i = 0; i < warpSize * fragment.perRegister; ++i) {
        uint64_t bits = (first + i) % (1u << width);
        ASSERT_TRUE(isSameNumber(dense[i], readElement(element, bits)))
            << unsigned(element) << " " << bits << " " << dense[i];
      }
    }
  }
}

TEST(MatrixElements, HalfIsRoundedToNearestEven) {
  Fragment fragment = accumulator(Element::F16);
  auto round = [&](double value) {
    double dense[64];
    std::fill(dense, dense + 64, value);
    Lanes lanes;
    warp::encode(fragment, dense, lanes);
    return uint16_t(lanes[0]);
  };
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double value = readReal(bits, 16, 10);
    double next = bits == 0x7bff ? 65536 : readReal(bits + 1, 16, 10);
    double middle = (value + next) / 2;
    ASSERT_EQ(round(value), bits);
    ASSERT_EQ(round(-value), bits | 0x8000);
    ASSERT_EQ(round(middle), bits + (bits & 1)) << value;
    ASSERT_EQ(round(std::nextafter(middle, 0)), bits) << value;
    ASSERT_EQ(round(std::nextafter(middle, 1e9)), bits + 1) << value;
    ASSERT_EQ(round(-std::nextafter(middle, 1e9)), (bits + 1) | 0x8000);
  }
  EXPECT_EQ(round(1e300), 0x7c00);
  EXPECT_EQ(round(-INFINITY), 0xfc00);
  EXPECT_EQ(round(NAN), 0x7fff);
  EXPECT_EQ(round(1e-300), 0);
}

TEST(Mma, TF32DropsTheLowBits) {
  Product product = makeProduct(findLayout("m16n8k8", "f32.tf32.tf32.f32"));
  product.a.at(0, 3, 2) = 0x3f803fff; // 1 + 2^-10 + 2^-10 - an ulp: one step
  product.b.at(0, 2, 5) = 0x3f801fff; // rounds down to 1
  product.run();
  EXPECT_EQ(product.d.value(0, 3, 5), 1 + 0x1p-10);
}

TEST(Mma, F64IsAChainOfFma) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> values(-1, 1);
  for (const char *shape : {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}) {
    Product product = makeProduct(findLayout(shape, "f64.f64.f64.f64"));
    for (Matrix *matrix : {&product.a, &product.b, &product.c})
      for (uint64_t &bits : matrix->bits)
        bits = llvm::bit_cast<uint64_t>(values(random));
    product.run();
    for (unsigned row = 0; row < product.shape.m; ++row)
      for (unsigned column = 0; column < product.shape.n; ++column) {
        double sum = product.c.value(0, row, column);
        for (unsigned k = 0; k < product.shape.k; ++k)
          sum = std::fma(product.a.value(0, row, k),
                         product.b.value(0, k, column), sum);
        ASSERT_EQ(product.d.value(0, row, column), sum);
      }
  }
}

/// Large and small terms that cancel: the one rounding is at the end.
TEST(Mma, F32SumsAreRoundedOnce) {
  Product product = makeProduct(findLayout("m16n8k16", "f32.bf16.bf16.f32"));
  auto bfloat = [](float value) {
    return uint64_t(llvm::bit_cast<uint32_t>(value) >> 16);
  };
  for (unsigned k = 0; k < 16; ++k)
    product.b.at(0, k, 0) = bfloat(1);
  product.a.at(0, 0, 0) = bfloat(0x1p30f);
  product.a.at(0, 0, 1) = bfloat(1);
  product.a.at(0, 0, 2) = bfloat(-0x1p30f);
  product.a.at(0, 1, 0) = bfloat(NAN);
  product.a.at(0, 2, 0) = bfloat(INFINITY);
  product.run();
  EXPECT_EQ(product.d.value(0, 0, 0), 1);
  EXPECT_EQ(product.d.at(0, 1, 0), 0x7fffffffu);
  EXPECT_EQ(product.d.value(0, 2, 0), INFINITY);
}

TEST(Mma, IntegersWrapOrSaturate) {
  for (bool isSaturated : {false, true}) {
    Product product = makeProduct(findLayout("m16n8k32", "s32.s8.s8.s32"),
                                  isSaturated ? ".satfinite" : "");
    for (unsigned k = 0; k < 32; ++k) {
      product.a.at(0, 0, k) = product.a.at(0, 1, k) = 0x80; // -128
      product.b.at(0, k, 0) = 0x80;
      product.b.at(0, k, 1) = 0x7f;
    }
    product.c.at(0, 0, 0) = 0x7fffffff;
    product.c.at(0, 1, 1) = 0x80000000;
    product.run();
    EXPECT_EQ(product.d.at(0, 0, 0),
              isSaturated ? 0x7fffffffu : 0x7fffffffu + 32 * 128 * 128);
    EXPECT_EQ(product.d.at(0, 1, 1),
              isSaturated ? 0x80000000u : 0x80000000u - 32 * 128 * 127);
    EXPECT_EQ(product.d.at(0, 1, 0), 32u * 128 * 128);
  }
}

TEST(Movmatrix, Transposes) {
  OneStep step("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;");
  for (unsigned lane = 0; lane < warpSize; ++lane)
    step.sources[0][lane] = (2 * lane) | (2 * lane + 1) << 16;
  ASSERT_TRUE(step.run());
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = lane % 4 * 2 + i;
      EXPECT_EQ(step.results[0][lane] >> 16 * i & 0xffff, column * 8 + row);
    }
}

//===----------------------------------------------------------------------===//
// wmma
//===----------------------------------------------------------------------===//

/// Every element of a matrix is in some lane, whatever the shape.
TEST(Wmma, FragmentsHoldWholeMatrices) {
  struct Case {
    warp::Role role;
    Element element;
    unsigned rows, columns, registers;
  };
  using warp::Role;
  for (Case c : std::vector<Case>{{Role::A, Element::F16, 16, 16, 8},
                                  {Role::A, Element::F16, 32, 16, 8},
                                  {Role::A, Element::F16, 8, 16, 8},
                                  {Role::B, Element::F16, 16, 8, 8},
                                  {Role::B, Element::F16, 16, 32, 8},
                                  {Role::A, Element::BF16, 8, 16, 2},
                                  {Role::B, Element::BF16, 16, 32, 8},
                                  {Role::A, Element::TF32, 16, 8, 4},
                                  {Role::B, Element::TF32, 8, 16, 4},
                                  {Role::B, Element::S8, 16, 32, 4},
                                  {Role::C, Element::F32, 32, 8, 8},
                                  {Role::C, Element::F16, 8, 32, 4},
                                  {Role::C, Element::S32, 16, 16, 8}}) {
    Fragment fragment(c.role, c.element, c.rows, c.columns, false, true,
                      c.registers);
    ASSERT_EQ(fragment.registers, c.registers);
    std::vector<unsigned> found(c.rows * c.columns);
    unsigned count = c.registers * fragment.perRegister;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < count; ++i) {
        warp::Place at = fragment.place(lane, i);
        ASSERT_LT(at.row, c.rows);
        ASSERT_LT(at.column, c.columns);
        ++found[at.row * c.columns + at.column];
      }
    unsigned times = count * warpSize / (c.rows * c.columns);
    EXPECT_THAT(found, testing::Each(times));
  }
}

} // namespace
