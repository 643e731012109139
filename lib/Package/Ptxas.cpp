//===- Ptxas.cpp - PTX text to a cubin ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Ptxas.h"

#include "RunProgram.h"

#include <deque>
#include <mutex>
#include <optional>

using namespace llvm;

namespace mlir::tc {

const KernelResources *Assembly::find(StringRef kernel) const {
  for (const KernelResources &resources : kernels)
    if (resources.kernel == kernel)
      return &resources;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Reading the report
//===----------------------------------------------------------------------===//

/// The number that precedes `unit` in `line`, as in "8192 bytes smem"; else 0.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(end).rtrim();
  size_t begin = digits.find_last_not_of("0123456789");
  digits = digits.drop_front(begin == StringRef::npos ? 0 : begin + 1);
  int64_t number = 0;
  digits.getAsInteger(10, number);
  return number;
}

/// The text between the first pair of quotes of `line`.
static StringRef quoted(StringRef line) {
  return line.split('\'').second.split('\'').first;
}

SmallVector<KernelResources> parsePtxasReport(StringRef text) {
  SmallVector<KernelResources> kernels;
  bool isKernel = false; // device functions have properties too
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.contains("Compiling entry function")) {
      kernels.emplace_back();
      kernels.back().kernel = quoted(line).str();
    } else if (kernels.empty()) {
      continue;
    } else if (line.contains("Function properties for")) {
      isKernel = line.rtrim().ends_with(" " + kernels.back().kernel);
    } else if (line.contains("bytes spill stores") && isKernel) {
      kernels.back().stackBytes = numberBefore(line, "bytes stack frame");
      kernels.back().spillBytes = numberBefore(line, "bytes spill stores") +
                                  numberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      kernels.back().registers = numberBefore(line, "registers");
      kernels.back().sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {

/// What was assembled last. The pass that writes PTX asks ptxas about it, and
/// who compiles then wants the same again, which takes 0.1 s and more.
class Recent {
public:
  std::optional<Assembly> find(StringRef key) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[known, assembly] : entries)
      if (known == key)
        return assembly;
    return std::nullopt;
  }
  void insert(std::string key, const Assembly &assembly) {
    std::lock_guard<std::mutex> lock(mutex);
    entries.emplace_back(std::move(key), assembly);
    if (entries.size() > most)
      entries.pop_front();
  }

private:
  static constexpr size_t most = 8; // chips and threads at a time

  std::mutex mutex;
  std::deque<std::pair<std::string, Assembly>> entries;
};

} // namespace

static Expected<Assembly> run(StringRef ptx, StringRef chip,
                              StringRef program) {
  std::string arch = ("-arch=" + chip).str();
  auto arguments = [&](StringRef input, StringRef output) {
    return SmallVector<StringRef>{arch, "-v", input, "-o", output};
  };
  Expected<MadeFile> made = makeFile(program, "ptx", ptx, "cubin", arguments,
                                     ("did not assemble for " + chip).str());
  if (!made)
    return made.takeError();
  return Assembly{std::move(made->bytes), parsePtxasReport(made->printed)};
}

Expected<Assembly> assemble(StringRef ptx, StringRef chip, StringRef program) {
  static Recent recent;
  std::string key = (program + " " + chip + "\n" + ptx.rtrim('\0')).str();
  if (std::optional<Assembly> known = recent.find(key))
    return std::move(*known);
  Expected<Assembly> assembly = run(ptx, chip, program);
  if (assembly)
    recent.insert(std::move(key), *assembly);
  return assembly;
}

} // namespace mlir::tc
