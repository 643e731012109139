//===- HostTarget.cpp - The machine that a package is for -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a machine is, as LLVM knows it or finds it out.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace mlir::tc {

std::string getTriple(const HostTarget &target) {
  return llvm::Triple::normalize(target.triple.empty()
                                     ? llvm::sys::getDefaultTargetTriple()
                                     : target.triple);
}

/// "+avx2,-avx512f": what this machine's CPU has, and what it lacks of what its
/// name promises, as in a virtual machine. In alphabetical order, so that the
/// same machine gives the same bytes.
static std::string detectFeatures() {
  llvm::SmallVector<std::string> features;
  for (const auto &[name, isThere] : llvm::sys::getHostCPUFeatures())
    features.push_back((isThere ? "+" : "-") + name.str());
  llvm::sort(features, [](StringRef a, StringRef b) {
    return a.drop_front() < b.drop_front();
  });
  return llvm::join(features, ",");
}

llvm::Expected<HostTarget> resolveHost(const HostTarget &target) {
  HostTarget host = target;
  host.triple = getTriple(target);
  if (target.cpu.empty())
    host.cpu = "generic";
  if (target.cpu != "native")
    return host;
  llvm::Triple own(llvm::sys::getDefaultTargetTriple());
  if (llvm::Triple(host.triple).getArch() != own.getArch())
    return llvm::createStringError(
        "host: expected a CPU by its name for '" + host.triple +
        "', got 'native', which is of '" + own.str() + "'");
  host.cpu = llvm::sys::getHostCPUName().str();
  host.features = detectFeatures();
  return host;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(const HostTarget &target) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::Triple triple(getTriple(target));
  std::string why;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!found || !triple.isArch64Bit() || !triple.isOSBinFormatELF() ||
      !triple.isLittleEndian() || triple.isNVPTX())
    return llvm::createStringError(
        "host: expected a 64-bit machine with ELF objects, as "
        "x86_64-unknown-linux-gnu, got '" +
        triple.str() + "'");
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu.empty() ? "generic" : target.cpu, target.features,
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("host: no code generator for '" +
                                   triple.str() + "'");
  if (!target.cpu.empty() &&
      !machine->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
    return llvm::createStringError("host: expected a CPU of '" + triple.str() +
                                   "', got '" + target.cpu + "'");
  return machine;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

std::string getLevelName(unsigned level) {
  return "x86-64-v" + std::to_string(level);
}

void setLevel(llvm::Function &function, unsigned level) {
  if (level != 0)
    function.addFnAttr("target-cpu", getLevelName(level));
}

static VectorUnit findVectorUnit(llvm::TargetMachine &machine, unsigned level) {
  using Info = llvm::TargetTransformInfo;
  llvm::LLVMContext context;
  llvm::Module module("unit", context);
  module.setDataLayout(machine.createDataLayout());
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::GlobalValue::ExternalLinkage, "unit", module);
  setLevel(*function, level);
  Info info = machine.getTargetTransformInfo(*function);
  int64_t bits =
      info.getRegisterBitWidth(Info::RGK_FixedWidthVector).getFixedValue();
  int64_t registers =
      info.getNumberOfRegisters(info.getRegisterClassForType(/*Vector=*/true));
  VectorUnit unit{bits, registers};
  if (machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
    return unit;
  auto has = [&](llvm::StringRef feature, unsigned sinceLevel) {
    return level != 0 ? level >= sinceLevel
                      : machine.getMCSubtargetInfo()->checkFeatures(
                            ("+" + feature).str());
  };
  constexpr unsigned never = 5;
  unit.i16Dot = has("avx512bw", 4) ? 512 : has("avx2", 3) ? 256 : 128;
  unit.bf16Dot = has("avx512bf16", never) ? 512 : 0;
  return unit;
}

llvm::SmallVector<HostLevel> findLevels(const HostTarget &asked,
                                        llvm::TargetMachine &machine) {
  bool hasLevels = asked.cpu.empty() &&
                   machine.getTargetTriple().getArch() == llvm::Triple::x86_64;
  llvm::SmallVector<unsigned> numbers{0};
  if (hasLevels)
    numbers = {2, 3, 4};
  return llvm::map_to_vector(numbers, [&](unsigned number) {
    return HostLevel{number, findVectorUnit(machine, number),
                     number != 0 ? getLevelName(number)
                                 : machine.getTargetCPU().str()};
  });
}

} // namespace mlir::tc
