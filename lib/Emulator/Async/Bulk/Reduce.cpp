//===- Reduce.cpp - Reductions by bulk copies -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element (PTX ISA, section 9.7.9.25.4.2). Subnormal numbers are
// kept (.noftz). Of two numbers one of which is NaN, min and max give the
// other.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"
#include "Translate/Lower/Formats.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>

namespace tc::emulator::bulk {

namespace {

template <typename T, typename Function>
void forElements(char *to, const char *from, uint32_t bytes, Function combine) {
  for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, to + i, sizeof(T));
    std::memcpy(&y, from + i, sizeof(T));
    x = combine(x, y);
    std::memcpy(to + i, &x, sizeof(T));
  }
}

struct Add {
  template <typename T>
  T operator()(T x, T y) const {
    return x + y;
  }
};
struct Min {
  template <typename T>
  T operator()(T x, T y) const {
    return std::min(x, y);
  }
};
struct Max {
  template <typename T>
  T operator()(T x, T y) const {
    return std::max(x, y);
  }
};
struct And {
  template <typename T>
  T operator()(T x, T y) const {
    return x & y;
  }
};
struct Or {
  template <typename T>
  T operator()(T x, T y) const {
    return x | y;
  }
};
struct Xor {
  template <typename T>
  T operator()(T x, T y) const {
    return x ^ y;
  }
};
/// As `atom` has them (section 9.7.13.6).
struct Inc {
  uint32_t operator()(uint32_t x, uint32_t y) const {
    return x >= y ? 0 : x + 1;
  }
};
struct Dec {
  uint32_t operator()(uint32_t x, uint32_t y) const {
    return x == 0 || x > y ? y : x - 1;
  }
};

/// On numbers of 16 bits.
struct HalfAdd {
  double operator()(double x, double y) const { return x + y; }
};
template <bool isMin>
struct HalfPick {
  double operator()(double x, double y) const {
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? y : x;
    if (x == y)
      return std::signbit(x) == isMin ? x : y;
    return (x < y) == isMin ? x : y;
  }
};

template <typename T, typename Operation>
void combine(char *to, const char *from, uint32_t bytes) {
  forElements<T>(to, from, bytes, Operation());
}

template <Format format, typename Operation>
void combineHalf(char *to, const char *from, uint32_t bytes) {
  forElements<uint16_t>(to, from, bytes, [](uint16_t x, uint16_t y) {
    double value = Operation()(decode(x, format), decode(y, format));
    return uint16_t(encode(value, {format}));
  });
}

template <typename Operation>
Combine findForIntegers(ptx::Type type) {
  switch (type) {
  case ptx::Type::U32:
  case ptx::Type::B32:
    return combine<uint32_t, Operation>;
  case ptx::Type::S32:
    return combine<int32_t, Operation>;
  case ptx::Type::U64:
  case ptx::Type::B64:
    return combine<uint64_t, Operation>;
  case ptx::Type::S64:
    return combine<int64_t, Operation>;
  default:
    return nullptr;
  }
}

template <typename Operation>
Combine findForHalves(ptx::Type type) {
  if (type == ptx::Type::F16)
    return combineHalf<Format::F16, Operation>;
  return type == ptx::Type::BF16 ? combineHalf<Format::BF16, Operation>
                                 : nullptr;
}

Combine findAdd(ptx::Type type) {
  // Signed sums wrap, too.
  if (type == ptx::Type::S32)
    type = ptx::Type::U32;
  if (type == ptx::Type::S64)
    type = ptx::Type::U64;
  if (type == ptx::Type::F32)
    return combine<float, Add>;
  if (type == ptx::Type::F64)
    return combine<double, Add>;
  Combine found = findForIntegers<Add>(type);
  return found ? found : findForHalves<HalfAdd>(type);
}

} // namespace

Combine findCombine(llvm::StringRef operation, ptx::Type type) {
  auto orHalf = [&](Combine found, Combine half) {
    return found ? found : half;
  };
  if (operation == "add")
    return findAdd(type);
  if (operation == "min")
    return orHalf(findForIntegers<Min>(type),
                  findForHalves<HalfPick<true>>(type));
  if (operation == "max")
    return orHalf(findForIntegers<Max>(type),
                  findForHalves<HalfPick<false>>(type));
  if (operation == "and")
    return findForIntegers<And>(type);
  if (operation == "or")
    return findForIntegers<Or>(type);
  if (operation == "xor")
    return findForIntegers<Xor>(type);
  if (type != ptx::Type::U32)
    return nullptr;
  return llvm::StringSwitch<Combine>(operation)
      .Case("inc", combine<uint32_t, Inc>)
      .Case("dec", combine<uint32_t, Dec>)
      .Default(nullptr);
}

} // namespace tc::emulator::bulk
