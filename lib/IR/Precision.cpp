//===- Precision.cpp - Products by those of other numbers -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Losses] and Note [Four products].
//
//===----------------------------------------------------------------------===//

#include "tc/IR/Precision.h"

#include "tc/IR/TC.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

static constexpr PartPair kWhole[] = {{0, 0}};
static constexpr PartPair kThree[] = {{1, 0}, {0, 1}, {0, 0}};
static constexpr PartPair kSix[] = {{2, 0}, {0, 2}, {1, 1},
                                    {1, 0}, {0, 1}, {0, 0}};
static constexpr PartPair kNine[] = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {0, 2},
                                     {1, 1}, {1, 0}, {0, 1}, {0, 0}};

// In order of Precision.
static const Decomposition kDecompositions[] = {
    {"", 1, kWhole, 0},
    {"tf32", 1, kWhole, 0x1p-11},
    {"tf32", 2, kThree, 0x1p-22},
    {"bf16", 1, kWhole, 0x1p-8},
    {"bf16", 2, kThree, 0x1p-16},
    {"bf16", 3, kSix, 0x1p-25},
    {"bf16", 3, kNine, 0, /*spoiled=*/3},
};

const Decomposition &mlir::tc::getDecomposition(Precision precision) {
  return kDecompositions[static_cast<uint32_t>(precision)];
}

// In the order of Note [Four products], which is that of `multiplyAdd`, too.
static constexpr PartPair kRealSum[] = {{kReal, kReal},
                                        {kImaginary, kMinusImaginary}};
static constexpr PartPair kImaginarySum[] = {{kReal, kImaginary},
                                             {kImaginary, kReal}};
static const ArrayRef<PartPair> kOfReal[] = {kWhole},
                                kOfComplex[] = {kRealSum, kImaginarySum};

const Components &mlir::tc::getComponents(Type type) {
  static const Components real = {1, 1, kOfReal}, complex = {2, 3, kOfComplex};
  return isa<ComplexType>(getElementTypeOrSelf(type)) ? complex : real;
}

static std::string list(function_ref<bool(Precision)> isListed) {
  SmallVector<StringRef> names;
  for (uint32_t i = 0; i <= getMaxEnumValForPrecision(); ++i)
    if (isListed(static_cast<Precision>(i)))
      names.push_back(stringifyPrecision(static_cast<Precision>(i)));
  StringRef last = names.pop_back_val();
  return names.empty() ? last.str()
                       : llvm::join(names, ", ") + " or " + last.str();
}

std::string mlir::tc::listPrecisions(StringRef type) {
  return list([&](Precision precision) {
    return getDecomposition(precision).type == type;
  });
}

std::string mlir::tc::listPrecisions() {
  return list([](Precision) { return true; });
}

// Note [Losses]
// ~~~~~~~~~~~~~
// The nearest number with p bits, of one between 2^e and 2^(e+1), is off by up
// to 2^(e-p). That is a number below 2^(e-p), or this itself; so that what two
// parts cannot hold is at most 2^(e-2p-1). Of tf32 (p = 11) these are 2^-23 of
// the number, and of bf16 (p = 8) 2^-17; of three parts of bf16 it is nothing,
// as f32 has 24 bits.
//
// A product of two numbers is off by what both lack, and by the products of
// parts that are left out: with three of them that of both smaller parts, 2^-22
// and 2^-16; with six of three parts, twice 2^-25. Half of it is counted for
// each factor.
//
// Of complex numbers this is so for the moduli: what both components of a
// number lack, or have as a part, is itself a complex number, and its products
// are complex ones.
//
// Note [Four products]
// ~~~~~~~~~~~~~~~~~~~~
// re += a.re b.re, re += a.im (-b.im); im += a.re b.im, im += a.im b.re. Three
// would do: (a.re + a.im) (b.re + b.im) has both products of `im`, and those of
// `re`, which are there anyway. But its factors are rounded; each result needs
// a third accumulator; and the components are differences of whole sums then,
// so that a small one has the roundoffs of the larger.
