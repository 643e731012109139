//===- SanitizerOptions.cpp - What the sanitizers should leave alone ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's headers poison the free memory of its allocators where they are
// compiled with the address sanitizer, and its libraries, which are not, would
// not lift that. So nobody may poison memory. What a process keeps until it ends
// (the driver's state, dialects, compiled code) is no leak.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0";
}
