//===- Backtrace.cpp - Who of the host calls the driver -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backtrace.h.
//
//===----------------------------------------------------------------------===//

#include "Backtrace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// Where the file that an address lies in begins.
static const void *findFile(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

Backtrace driver::takeBacktrace() {
  constexpr int most = 48;
  void *frames[most];
  int count = backtrace(frames, most);
  static const void *own = findFile(reinterpret_cast<void *>(&takeBacktrace));
  Backtrace found;
  for (int i = 0; i < count; ++i)
    if (found.empty() && findFile(frames[i]) == own)
      continue;
    else
      found.push_back(reinterpret_cast<uintptr_t>(frames[i]));
  return found;
}

/// What lies at an address: its file, and where in the file's own numbers.
static bool locate(uintptr_t address, std::string &file, uint64_t &offset) {
  Dl_info info;
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(address), &info,
               reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) ||
      !map)
    return false;
  // The program itself has no name in the list.
  file = *map->l_name ? map->l_name : "/proc/self/exe";
  offset = address - map->l_addr;
  return true;
}

/// The functions at an address, with those that are inlined there first.
static std::vector<std::string>
describeFrame(llvm::symbolize::LLVMSymbolizer &symbolizer, uintptr_t address) {
  std::string file;
  uint64_t offset = 0;
  if (!locate(address, file, offset))
    return {"0x" + llvm::utohexstr(address, /*LowerCase=*/true)};
  std::string place = " in " + file + "+0x" + llvm::utohexstr(offset, true);
  auto frames = symbolizer.symbolizeInlinedCode(
      file, {offset, llvm::object::SectionedAddress::UndefSection});
  if (!frames) {
    llvm::consumeError(frames.takeError());
    return {llvm::StringRef(place).ltrim().str()};
  }
  std::vector<std::string> texts;
  for (unsigned i = 0; i < frames->getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = frames->getFrame(i);
    bool isNamed = frame.FunctionName != llvm::DILineInfo::BadString;
    std::string text = isNamed ? frame.FunctionName : "a function";
    text += frame.Line
                ? " at " + frame.FileName + ":" + std::to_string(frame.Line) +
                      (frame.Column ? ":" + std::to_string(frame.Column) : "")
                : place;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> driver::describe(const Backtrace &backtrace) {
  llvm::symbolize::LLVMSymbolizer::Options options;
  options.Demangle = true;
  llvm::symbolize::LLVMSymbolizer symbolizer(options);
  std::vector<std::string> texts;
  // An address is one of return: the call is before it.
  for (uintptr_t address : backtrace)
    for (std::string &text : describeFrame(symbolizer, address - 1)) {
      bool isMain = llvm::StringRef(text).starts_with("main ");
      texts.push_back(std::move(text));
      if (isMain) // what starts programs is of no interest
        return texts;
    }
  return texts;
}
