//===- CpuLevel.cpp - What the CPU at hand has ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's own support library asks the CPU, and the operating system
// whether it saves the registers.
//
//===----------------------------------------------------------------------===//

#include "CpuLevel.h"

#include "Status.h"
#include "tc-runtime/tc_runtime.h"

#include <cstdlib>

using namespace tc::runtime;

static constexpr const char *names[] = {"", "x86-64", "x86-64-v2", "x86-64-v3",
                                        "x86-64-v4"};
static constexpr unsigned lastLevel = 4;

std::string tc::runtime::nameOfLevel(unsigned number) { return names[number]; }

/// "x86-64, x86-64-v2 or x86-64-v3" for 3.
static std::string listLevels(unsigned highest) {
  std::string list = names[1];
  for (unsigned number = 2; number <= highest; ++number)
    list += (number == highest ? " or " : ", ") + nameOfLevel(number);
  return list;
}

CpuLevel tc::runtime::chooseLevel(const char *asked, unsigned highest) {
  if (highest == 0 || !asked || !*asked)
    return {highest, ""};
  std::string name = asked;
  for (unsigned number = 1; number <= lastLevel; ++number) {
    if (name != names[number])
      continue;
    if (number <= highest)
      return {number, ""};
    return {0, "expected TC_CPU to be a level of this CPU (" +
                   listLevels(highest) + "), got '" + name + "'"};
  }
  return {0, "expected TC_CPU to be " + listLevels(lastLevel) + ", got '" +
                 name + "'"};
}

static unsigned findHighest() {
#if defined(__x86_64__)
  // Feature by feature, of those that compiled code uses: a static library may
  // be linked with a support library that does not know levels (before GCC 12).
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
  __builtin_cpu_init();
  if (!(HAS("popcnt") && HAS("sse3") && HAS("ssse3") && HAS("sse4.1") &&
        HAS("sse4.2")))
    return 1;
  if (!(HAS("avx") && HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("f16c") &&
        HAS("fma") && HAS("lzcnt") && HAS("movbe")))
    return 2;
  return HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") &&
                 HAS("avx512dq") && HAS("avx512vl")
             ? 4
             : 3;
#undef HAS
#else
  return 0;
#endif
}

const CpuLevel &tc::runtime::cpuLevel() {
  static const CpuLevel level =
      chooseLevel(std::getenv("TC_CPU"), findHighest());
  return level;
}

const char *tcCpuLevel(void) {
  const CpuLevel &level = cpuLevel();
  if (level.error.empty())
    return names[level.number];
  fail(TC_INVALID_ARGUMENT, "tcCpuLevel: " + level.error);
  return nullptr;
}
