//===- Semantics.h - One instruction against the host -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one instruction on every combination of edge values and compares each
// result, bit for bit, with a function of the host. In the text, $d stands for
// the destination and $a, $b, $c, $e for the operands; %p1 to %p3 are
// predicates.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_SEMANTICS_H
#define TC_TEST_UNIT_EMULATOR_SEMANTICS_H

#include "Harness.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace tc::emulator::test {

/// Values at which instructions of a type tend to be wrong.
template <typename T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {0,
            T(-0.0),
            1,
            -1,
            T(0.5),
            T(-1.5),
            T(2.5),
            T(1e9),
            T(-3e9),
            T(1.0 / 3),
            Limits::min(),
            Limits::denorm_min(),
            -Limits::denorm_min() * 3,
            Limits::max(),
            Limits::lowest(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN()};
  } else {
    std::vector<T> values = {0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 63, 64, 100};
    for (T value : {Limits::min(), Limits::max(), T(Limits::max() / 3),
                    T(Limits::min() + 1), T(Limits::max() - 1), T(-1), T(-7)})
      values.push_back(value);
    return values;
  }
}

/// Few values, for instructions with many operands.
template <typename T>
std::vector<T> fewEdges() {
  std::vector<T> all = edges<T>(), few;
  for (size_t i = 0; i < all.size(); i += 2)
    few.push_back(all[i]);
  few.push_back(all.back());
  return few;
}

template <typename T>
constexpr unsigned bitsOf() {
  return sizeof(T) * 8;
}

/// Text of a kernel that applies `body` to element i of each array.
template <typename R, typename... Ts>
std::string makeKernel(llvm::StringRef body) {
  const unsigned bits[] = {bitsOf<R>(), bitsOf<Ts>()...};
  const char names[] = {'d', 'a', 'b', 'c', 'e'};
  constexpr unsigned count = 1 + sizeof...(Ts);
  std::string text = header + ".visible .entry k(.param .u64 n";
  for (unsigned i = 0; i < count; ++i)
    text += ", .param .u64 p" + std::to_string(i);
  text += ") {\n.reg .pred %p<4>; .reg .b32 %i<8>; .reg .b64 %q<8>;\n"
          "mov.u32 %i1, %ctaid.x; mov.u32 %i2, %ntid.x; mov.u32 %i3, %tid.x;\n"
          "mad.lo.u32 %i4, %i1, %i2, %i3; cvt.u64.u32 %q1, %i4;\n"
          "ld.param.u64 %q2, [n]; setp.ge.u64 %p1, %q1, %q2; @%p1 ret;\n";
  std::string replaced = body.str();
  std::string store;
  for (unsigned i = 0; i < count; ++i) {
    std::string width = std::to_string(bits[i]);
    std::string reg = std::string("%v") + names[i];
    std::string address = std::string("%w") + names[i];
    std::string bytes = std::to_string(bits[i] / 8);
    // There are no registers of 8 bits.
    std::string regWidth = bits[i] == 8 ? "16" : width;
    text += ".reg .b" + regWidth + " " + reg + "; .reg .b64 " + address +
            "; ld.param.u64 %q2, [p" + std::to_string(i) + "]; mad.lo.u64 " +
            address + ", %q1, " + bytes + ", %q2;\n";
    std::string access = ".global.b" + width + " ";
    if (i)
      text += "ld" + access + reg + ", [" + address + "];\n";
    else
      store = "st" + access + "[" + address + "], " + reg + ";\n";
    std::string mark = std::string("$") + names[i];
    for (size_t at; (at = replaced.find(mark)) != std::string::npos;)
      replaced.replace(at, mark.size(), reg);
  }
  return text + replaced + "\n" + store + "ret;\n}\n";
}

template <typename T>
bool isSame(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) && std::isnan(y))
      return true;
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

/// Every combination of one value from each list, as columns.
template <typename... Ts>
std::tuple<std::vector<Ts>...> combine(const std::vector<Ts> &...lists) {
  std::tuple<std::vector<Ts>...> columns;
  size_t total = (size_t(1) * ... * lists.size());
  size_t period = 1;
  auto fill = [&](auto &column, const auto &list) {
    for (size_t i = 0; i < total; ++i)
      column.push_back(list[i / period % list.size()]);
    period *= list.size();
  };
  std::apply([&](auto &...column) { (fill(column, lists), ...); }, columns);
  return columns;
}

/// Copies a column to the device; the memory ends with the device.
template <typename T>
T *upload(Device &device, const std::vector<T> &column) {
  T *data = static_cast<T *>(
      llvm::cantFail(device.memory.allocate(column.size() * sizeof(T))));
  std::copy(column.begin(), column.end(), data);
  return data;
}

/// Runs `body` on all combinations of the lists and compares with `reference`.
template <typename R, typename... Ts>
void checkWith(Effort effort, llvm::StringRef body, R (*reference)(Ts...),
               const std::vector<Ts> &...lists) {
  SCOPED_TRACE(body.str());
  Device device(makeKernel<R, Ts...>(body), effort);
  auto columns = combine<Ts...>(lists...);
  uint64_t total = std::get<0>(columns).size();
  R *results = upload(device, std::vector<R>(total));
  auto run = [&](const auto &...column) {
    std::string error =
        device.run("k", {unsigned(total + 127) / 128, 1, 1}, {128, 1, 1}, 0,
                   total, results, upload(device, column)...);
    ASSERT_EQ(error, "");
    unsigned failures = 0;
    for (uint64_t i = 0; i < total && failures < 5; ++i) {
      R expected = reference(column[i]...);
      if (isSame(results[i], expected))
        continue;
      ++failures;
      std::string inputs;
      ((inputs += " " + testing::PrintToString(column[i])), ...);
      ADD_FAILURE() << "for" << inputs << " expected "
                    << testing::PrintToString(expected) << ", got "
                    << testing::PrintToString(results[i]);
    }
  };
  std::apply(run, columns);
}

/// Both code generators must agree with the host.
template <typename R, typename... Ts>
void checkOn(llvm::StringRef body, R (*reference)(Ts...),
             const std::vector<Ts> &...lists) {
  checkWith<R, Ts...>(Effort::Quick, body, reference, lists...);
  checkWith<R, Ts...>(Effort::Optimized, body, reference, lists...);
}

/// `checkOn` with the edge values of each operand's type.
template <typename R, typename... Ts>
void check(llvm::StringRef body, R (*reference)(Ts...)) {
  if constexpr (sizeof...(Ts) <= 2)
    checkOn<R, Ts...>(body, reference, edges<Ts>()...);
  else
    checkOn<R, Ts...>(body, reference, fewEdges<Ts>()...);
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_SEMANTICS_H
