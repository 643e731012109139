//===- Harness.h - Runs PTX in tests ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device with one module, buffers that are vectors, and packed arguments. The
// environment says how kernels are compiled, executed, checked and scheduled
// where a test does not: TC_TEST_EFFORT=optimized and the emulator's own
// TC_EMU_EXECUTION, TC_EMU_CHECKS, TC_EMU_SCHEDULE, TC_EMU_WORKERS.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_HARNESS_H
#define TC_TEST_UNIT_EMULATOR_HARNESS_H

#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/Session.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tc::emulator::test {

/// Device memory that holds a vector's elements.
template <typename T>
class DeviceArray {
public:
  DeviceArray(Memory &memory, const std::vector<T> &values)
      : memory(memory), count(values.size()) {
    data = static_cast<T *>(llvm::cantFail(memory.allocate(count * sizeof(T))));
    std::copy(values.begin(), values.end(), data);
  }
  ~DeviceArray() { llvm::cantFail(memory.release(data)); }
  DeviceArray(const DeviceArray &) = delete;

  T *get() const { return data; }
  std::vector<T> values() const { return {data, data + count}; }

private:
  Memory &memory;
  size_t count;
  T *data;
};

/// Packs kernel arguments, each at its own alignment.
class Arguments {
public:
  template <typename... Ts>
  explicit Arguments(Ts... values) {
    (add(values), ...);
  }
  llvm::ArrayRef<char> get() const { return bytes; }

private:
  template <typename T>
  void add(T value) {
    bytes.resize(llvm::alignTo(bytes.size(), alignof(T)) + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
  }
  std::vector<char> bytes;
};

/// The message of an error, or "" for success.
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string();
}

/// The message with which loading `text` fails, or "".
inline std::string loadError(llvm::StringRef text) {
  auto module = Module::load(text);
  return module ? std::string() : llvm::toString(module.takeError());
}

inline Effort getEffort() {
  const char *effort = std::getenv("TC_TEST_EFFORT");
  return effort && effort == llvm::StringRef("optimized") ? Effort::Optimized
                                                          : Effort::Adaptive;
}

inline LaunchOptions getOptions() {
  Settings settings;
  EXPECT_EQ(messageOf(settings.readEnvironment()), "");
  return settings.launch;
}

/// A module and the memory it runs on.
class Device {
public:
  explicit Device(llvm::StringRef text, Effort effort = getEffort()) {
    auto loaded = Module::load(text);
    if (!loaded) {
      ADD_FAILURE() << llvm::toString(loaded.takeError());
      return;
    }
    module = std::move(*loaded);
    module->setEffort(effort);
    module->setOptions(getOptions());
  }

  /// Launches and returns the error's message, "" for success.
  template <typename... Ts>
  std::string run(llvm::StringRef kernel, Dim3 grid, Dim3 block,
                  uint32_t dynamicShared, Ts... arguments) {
    if (!module)
      return "no module";
    return messageOf(module->launch(kernel, grid, block, dynamicShared,
                                    Arguments(arguments...).get(), memory));
  }

  Memory memory;
  std::unique_ptr<Module> module;
};

/// The text of a file in Inputs.
inline std::string readInput(llvm::StringRef name) {
  auto file = llvm::MemoryBuffer::getFile(TC_TEST_INPUTS "/" + name.str());
  if (!file)
    ADD_FAILURE() << name.str() << ": " << file.getError().message();
  return file ? (*file)->getBuffer().str() : std::string();
}

/// The head of every module written in a test; four lines.
inline const std::string header = ".version 8.0\n"
                                  ".target sm_90\n"
                                  ".address_size 64\n"
                                  "\n";

/// A kernel `k` of one pointer, with `tileBytes` of shared memory; the body
/// starts on line 6. %i1 is the thread's index in its block, %i2 four times
/// that, %i3 the address of its word of `tile`, %q2 the one of the buffer, %i9
/// the block's index.
inline std::string makeTileKernel(const std::string &body,
                                  unsigned tileBytes = 4096,
                                  const std::string &prologue = "") {
  return header +
         ".visible .entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b16 "
         "%h<4>; .reg .b32 %i<32>; .reg .f32 %f<16>; .reg .f64 %d<4>; .reg "
         ".b64 %q<8>; .shared .align 16 .b8 tile[" +
         std::to_string(tileBytes) +
         "]; .local .align 4 .b8 own[16]; ld.param.u64 %q1, [p]; mov.u32 %i1, "
         "%tid.x; shl.b32 %i2, %i1, 2; mov.u32 %i3, tile; add.u32 %i3, %i3, "
         "%i2; cvt.u64.u32 %q2, %i2; add.u64 %q2, %q1, %q2; mov.u32 %i9, "
         "%ctaid.x;" +
         prologue + "\n" + body + "\nret;\n}\n";
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_HARNESS_H
