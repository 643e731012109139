//===- CountingDevice.h - Devices that count, for tests ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device whose launches are counted, and what it counted by name.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_COUNTINGDEVICE_H
#define TC_TEST_UNIT_EMULATOR_COUNTINGDEVICE_H

#include "Harness.h"

#include "tc/Emulator/Counts.h"
#include "tc/Schema/Document.h"

#include "llvm/Support/FormatVariadic.h"

namespace tc::emulator::test {

/// The counters of a report by name; none where nothing was counted.
inline llvm::json::Object countersOf(const LaunchReport &report) {
  if (!report.counts)
    return {};
  std::string text = mlir::tc::schema::format(*report.counts);
  return *llvm::cantFail(llvm::json::parse(text)).getAsObject();
}

/// Counters of the launch that `device` ran last, by name.
class Counters {
public:
  explicit Counters(const Device &device)
      : object(countersOf(device.module->getReport())) {}

  int64_t operator[](llvm::StringRef name) const {
    return object.getInteger(name).value_or(-1);
  }
  double getNumber(llvm::StringRef name) const {
    return object.getNumber(name).value_or(-1);
  }
  /// The element of `list` whose `key` is `value`.
  const llvm::json::Object *find(llvm::StringRef list, llvm::StringRef key,
                                 llvm::StringRef value) const {
    if (const llvm::json::Array *array = object.getArray(list))
      for (const llvm::json::Value &element : *array)
        if (element.getAsObject()->getString(key) == value)
          return element.getAsObject();
    return nullptr;
  }
  /// Executions by a warp of instructions of that name.
  int64_t warps(llvm::StringRef name) const {
    const llvm::json::Object *found = find("instructions", "name", name);
    return found ? found->getInteger("warps").value_or(-1) : 0;
  }
  /// A count of the place whose opcode is `opcode`.
  int64_t at(llvm::StringRef opcode, llvm::StringRef count) const {
    const llvm::json::Object *found = find("sites", "opcode", opcode);
    return found ? found->getInteger(count).value_or(0) : -1;
  }
  int64_t distinct(llvm::StringRef what) const {
    const llvm::json::Object *all = object.getObject("distinct_all");
    const llvm::json::Object *found = all ? all->getObject(what) : nullptr;
    return found ? found->getInteger("bytes").value_or(-1) : -1;
  }
  /// A line a loop.
  std::string loops() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const llvm::json::Value &element : *object.getArray("loops")) {
      const llvm::json::Object &loop = *element.getAsObject();
      os << llvm::formatv("iterations {0} instructions {1} fma {2}\n",
                          *loop.getInteger("iterations"),
                          *loop.getInteger("instructions"),
                          *loop.getInteger("multiply_adds"));
    }
    return text;
  }
  std::string text() const {
    return llvm::formatv("{0:2}",
                         llvm::json::Value(llvm::json::Object(object)));
  }

private:
  llvm::json::Object object;
};

/// Counts on, and one block after another.
class CountingDevice : public Device {
public:
  explicit CountingDevice(llvm::StringRef text) : Device(header + text.str()) {
    set([](LaunchOptions &options) { options.count = true; });
  }
  template <typename F>
  void set(F change) {
    if (!module)
      return;
    LaunchOptions options = module->getOptions();
    change(options);
    module->setOptions(options);
  }
};

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_COUNTINGDEVICE_H
