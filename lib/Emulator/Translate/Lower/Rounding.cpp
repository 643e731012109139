//===- Rounding.cpp - Arithmetic in the other rounding modes --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with -frounding-math, so that no operation moves across the switch
// of the mode or is folded.
//
//===----------------------------------------------------------------------===//

#include "Translate/Lower/Rounding.h"
#include "Translate/Lower/Formats.h"

#include "llvm/ADT/STLExtras.h"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

/// Sets the rounding mode while it lives.
class RoundingMode {
public:
  explicit RoundingMode(uint32_t mode) : saved(std::fegetround()) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD};
    std::fesetround(modes[mode & 3]);
  }
  ~RoundingMode() { std::fesetround(saved); }

private:
  int saved;
};

template <typename T, typename Operation>
T compute(uint32_t mode, Operation operation) {
  RoundingMode rounding(mode);
  volatile T result = operation();
  return result;
}

template <typename T>
T add(T x, T y, uint32_t mode) {
  volatile T a = x, b = y;
  return compute<T>(mode, [&] { return a + b; });
}
template <typename T>
T sub(T x, T y, uint32_t mode) {
  volatile T a = x, b = y;
  return compute<T>(mode, [&] { return a - b; });
}
template <typename T>
T mul(T x, T y, uint32_t mode) {
  volatile T a = x, b = y;
  return compute<T>(mode, [&] { return a * b; });
}
template <typename T>
T div(T x, T y, uint32_t mode) {
  volatile T a = x, b = y;
  return compute<T>(mode, [&] { return a / b; });
}
template <typename T>
T fma(T x, T y, T z, uint32_t mode) {
  volatile T a = x, b = y, c = z;
  return compute<T>(mode, [&] { return std::fma(T(a), T(b), T(c)); });
}
template <typename T>
T sqrt(T x, uint32_t mode) {
  volatile T a = x;
  return compute<T>(mode, [&] { return std::sqrt(T(a)); });
}
template <typename From, typename To>
To convert(From x, uint32_t mode) {
  volatile From a = x;
  return compute<To>(mode, [&] { return To(a); });
}

template <typename Function>
void *address(Function *function) {
  return reinterpret_cast<void *>(function);
}

const std::pair<const char *, void *> functions[] = {
    {"tc_emulator_add_f32", address(add<float>)},
    {"tc_emulator_add_f64", address(add<double>)},
    {"tc_emulator_sub_f32", address(sub<float>)},
    {"tc_emulator_sub_f64", address(sub<double>)},
    {"tc_emulator_mul_f32", address(mul<float>)},
    {"tc_emulator_mul_f64", address(mul<double>)},
    {"tc_emulator_div_f32", address(div<float>)},
    {"tc_emulator_div_f64", address(div<double>)},
    {"tc_emulator_fma_f32", address(fma<float>)},
    {"tc_emulator_fma_f64", address(fma<double>)},
    {"tc_emulator_sqrt_f32", address(sqrt<float>)},
    {"tc_emulator_sqrt_f64", address(sqrt<double>)},
    {"tc_emulator_from_s64_f32", address(convert<int64_t, float>)},
    {"tc_emulator_from_s64_f64", address(convert<int64_t, double>)},
    {"tc_emulator_from_u64_f32", address(convert<uint64_t, float>)},
    {"tc_emulator_from_u64_f64", address(convert<uint64_t, double>)},
    {"tc_emulator_narrow", address(convert<double, float>)},
};

} // namespace

llvm::ArrayRef<std::pair<const char *, void *>>
tc::emulator::getRoundingFunctions() {
  static const std::vector<std::pair<const char *, void *>> all = [] {
    std::vector<std::pair<const char *, void *>> list(std::begin(functions),
                                                      std::end(functions));
    llvm::append_range(list, getFormatFunctions());
    return list;
  }();
  return all;
}
