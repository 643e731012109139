//===- CInterface.cpp - C interface of the emulator -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of tc-c/Emulator.h over modules, memory and a journal.
//
//===----------------------------------------------------------------------===//

#include "tc-c/Emulator.h"

#include "State.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace tc::emulator;

struct tcEmu {
  Settings settings;
  Memory memory;
  Journal journal;
  std::string report; ///< as it was last handed out
  std::vector<std::unique_ptr<tcEmuModule>> modules;
};

struct tcEmuModule {
  tcEmu *emulator;
  std::unique_ptr<Module> module;
};

static std::string &lastError() {
  static thread_local std::string error;
  return error;
}

static int fail(const char *call, const llvm::Twine &message) {
  lastError() = (llvm::Twine(call) + ": " + message).str();
  return TC_EMU_ERROR;
}

static int fail(const char *call, llvm::Error error) {
  return error ? fail(call, llvm::toString(std::move(error))) : TC_EMU_OK;
}

static int failForNull(const char *call) {
  return fail(call, "expected an argument, got null");
}

/// Whether a copy may touch device memory.
static int checkRange(const char *call, const tcEmu *emulator, uint64_t address,
                      size_t bytes) {
  if (emulator->memory.contains(reinterpret_cast<void *>(address), bytes))
    return TC_EMU_OK;
  return fail(call, "expected " + llvm::Twine(bytes) +
                        " bytes inside one live allocation, got address 0x" +
                        llvm::utohexstr(address, /*LowerCase=*/true));
}

/// The kernel's parameters as one buffer.
static std::vector<char> pack(const KernelInfo &info,
                              const void *const *arguments) {
  std::vector<char> packed(info.parameterBytes);
  for (auto [i, place] : llvm::enumerate(info.parameters))
    memcpy(packed.data() + place.first, arguments[i], place.second);
  return packed;
}

extern "C" {

const char *tcEmuLastError(void) { return lastError().c_str(); }

int tcEmuSetOption(const char *name, const char *value) {
  if (!name || !value)
    return failForNull("tcEmuSetOption");
  driver::Call call("tcEmuSetOption", driver::Needs::Nothing);
  return fail("tcEmuSetOption", call.state.settings.set(name, value));
}

tcEmu *tcEmuCreate(void) {
  auto emulator = std::make_unique<tcEmu>();
  emulator->settings = driver::getDefaultSettings();
  emulator->settings.launch.checks = Checks::All;
  if (fail("tcEmuCreate", emulator->settings.readEnvironment()) != TC_EMU_OK)
    return nullptr;
  return emulator.release();
}

void tcEmuDestroy(tcEmu *emulator) { delete emulator; }

int tcEmuSet(tcEmu *emulator, const char *name, const char *value) {
  if (!emulator || !name || !value)
    return failForNull("tcEmuSet");
  return fail("tcEmuSet", emulator->settings.set(name, value));
}

int tcEmuLoad(tcEmu *emulator, const char *ptx, tcEmuModule **module) {
  if (!emulator || !ptx || !module)
    return failForNull("tcEmuLoad");
  *module = nullptr;
  llvm::Expected<std::unique_ptr<Module>> loaded = Module::load(ptx);
  if (!loaded)
    return fail("tcEmuLoad", loaded.takeError());
  emulator->modules.push_back(
      std::make_unique<tcEmuModule>(tcEmuModule{emulator, std::move(*loaded)}));
  *module = emulator->modules.back().get();
  return TC_EMU_OK;
}

int tcEmuUnload(tcEmuModule *module) {
  if (!module)
    return failForNull("tcEmuUnload");
  llvm::erase_if(module->emulator->modules,
                 [&](auto &owned) { return owned.get() == module; });
  return TC_EMU_OK;
}

int tcEmuParameters(tcEmuModule *module, const char *kernel, size_t *sizes,
                    size_t room, size_t *count) {
  if (!module || !kernel || !count || (room != 0 && !sizes))
    return failForNull("tcEmuParameters");
  const KernelInfo *info = module->module->find(kernel);
  if (!info)
    return fail("tcEmuParameters",
                llvm::Twine("the module has no kernel '") + kernel + "'");
  *count = info->parameters.size();
  for (auto [i, place] : llvm::enumerate(info->parameters))
    if (i < room)
      sizes[i] = place.second;
  return TC_EMU_OK;
}

int tcEmuAllocate(tcEmu *emulator, size_t bytes, uint64_t *address) {
  if (!emulator || !address)
    return failForNull("tcEmuAllocate");
  llvm::Expected<void *> allocated =
      emulator->memory.allocate(bytes, Memory::Contents::Fresh);
  if (!allocated)
    return fail("tcEmuAllocate", allocated.takeError());
  *address = reinterpret_cast<uint64_t>(*allocated);
  return TC_EMU_OK;
}

int tcEmuFree(tcEmu *emulator, uint64_t address) {
  if (!emulator)
    return failForNull("tcEmuFree");
  return fail("tcEmuFree",
              emulator->memory.release(reinterpret_cast<void *>(address)));
}

int tcEmuCopyIn(tcEmu *emulator, uint64_t to, const void *from, size_t bytes) {
  if (!emulator || (!from && bytes != 0))
    return failForNull("tcEmuCopyIn");
  if (int bad = checkRange("tcEmuCopyIn", emulator, to, bytes))
    return bad;
  auto *target = reinterpret_cast<void *>(to);
  memcpy(target, from, bytes);
  emulator->memory.markInitialized(target, bytes);
  return TC_EMU_OK;
}

int tcEmuCopyOut(tcEmu *emulator, void *to, uint64_t from, size_t bytes) {
  if (!emulator || (!to && bytes != 0))
    return failForNull("tcEmuCopyOut");
  if (int bad = checkRange("tcEmuCopyOut", emulator, from, bytes))
    return bad;
  memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return TC_EMU_OK;
}

int tcEmuLaunch(tcEmuModule *module, const char *kernel, const uint32_t grid[3],
                const uint32_t block[3], uint32_t dynamicShared,
                const void *const *arguments, size_t count) {
  if (!module || !kernel || !grid || !block || (!arguments && count != 0))
    return failForNull("tcEmuLaunch");
  const KernelInfo *info = module->module->find(kernel);
  if (!info)
    return fail("tcEmuLaunch",
                llvm::Twine("the module has no kernel '") + kernel + "'");
  if (count != info->parameters.size())
    return fail("tcEmuLaunch", llvm::Twine("kernel '") + kernel +
                                   "': expected " +
                                   llvm::Twine(info->parameters.size()) +
                                   " arguments, got " + llvm::Twine(count));
  if (llvm::is_contained(llvm::ArrayRef(arguments, count), nullptr))
    return failForNull("tcEmuLaunch");
  tcEmu &emulator = *module->emulator;
  module->module->setOptions(emulator.settings.chooseOptions(kernel));
  auto record = emulator.journal.launch(
      *module->module, kernel, {grid[0], grid[1], grid[2]},
      {block[0], block[1], block[2]}, dynamicShared, pack(*info, arguments),
      emulator.memory);
  if (!record)
    return fail("tcEmuLaunch", record.takeError());
  return (*record)->getFault() ? TC_EMU_FAULT : TC_EMU_OK;
}

const char *tcEmuReport(tcEmu *emulator) {
  if (!emulator)
    return "";
  emulator->report = emulator->journal.format(emulator->settings, 0);
  return emulator->report.c_str();
}

void tcEmuClearReport(tcEmu *emulator) {
  if (emulator)
    emulator->journal.clear();
}
}
