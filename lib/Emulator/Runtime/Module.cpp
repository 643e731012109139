//===- Module.cpp - Loading PTX modules -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, verifies and plans a module, and places its variables.
//
//===----------------------------------------------------------------------===//

#include "Isa/Verify.h"
#include "Ptx/Parser.h"
#include "Runtime/ModuleImpl.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

Module::Module() : state(std::make_unique<Impl>()) {}
Module::~Module() = default;

void Module::setEffort(Effort effort) { state->effort = effort; }
void Module::setOptions(const LaunchOptions &options) {
  state->options = options;
}
const LaunchOptions &Module::getOptions() const { return state->options; }
const LaunchReport &Module::getReport() const { return state->report; }

Expected<std::unique_ptr<Module>> Module::load(StringRef text) {
  auto parsed = ptx::parse(text);
  if (!parsed)
    return parsed.takeError();
  if (Error error = ptx::verify(**parsed))
    return error;
  std::unique_ptr<Module> module(new Module());
  module->state->ptx = std::move(*parsed);
  if (Error error = module->state->placeVariables())
    return error;
  if (Error error = module->state->planKernels())
    return error;
  return module;
}

const VariableRegion *Module::Impl::findVariable(StringRef name) const {
  for (const VariableRegion &entry : variables)
    if (entry.variable->name == name)
      return &entry;
  return nullptr;
}

uint64_t Module::Impl::addressOf(const ptx::Variable &variable) const {
  for (const VariableRegion &entry : variables)
    if (entry.variable == &variable)
      return entry.region.base;
  return 0;
}

Error Module::Impl::placeVariables() {
  for (const ptx::Variable &variable : ptx->variables) {
    if (variable.isExternal)
      return ptx::makeError(variable.line, "variable '" + variable.name +
                                               "' is defined in no module");
    if (variable.space != ptx::Space::Global &&
        variable.space != ptx::Space::Const)
      continue;
    char *memory = nullptr;
    if (variable.space == ptx::Space::Const)
      memory = constants
                   .emplace_back(std::make_unique<HostPages>(variable.bytes,
                                                             /*isLow=*/true))
                   ->get();
    else
      memory = storage.emplace_back(variable.bytes).get();
    if (!memory)
      return ptx::makeError(variable.line, "no memory for '" + variable.name +
                                               "' of " + Twine(variable.bytes) +
                                               " bytes");
    if (!variable.initial.empty())
      std::memcpy(memory, variable.initial.data(), variable.initial.size());
    variables.push_back(
        {&variable, {reinterpret_cast<uint64_t>(memory), variable.bytes}});
  }
  for (const VariableRegion &entry : variables)
    for (const ptx::Relocation &relocation : entry.variable->relocations) {
      const VariableRegion *target = findVariable(relocation.symbol);
      const ptx::Function *function = ptx->findFunction(relocation.symbol);
      if (!target && (!function || function->isEntry))
        return ptx::makeError(entry.variable->line,
                              "initial value names '" + relocation.symbol +
                                  "', which is no variable of .global or "
                                  ".const and no function");
      uint64_t address =
          (target ? target->region.base : function->getAddress()) +
          relocation.addend;
      std::memcpy(reinterpret_cast<char *>(entry.region.base) +
                      relocation.offset,
                  &address, sizeof(address));
    }
  return Error::success();
}

Error Module::Impl::planKernels() {
  for (const ptx::Function &function : ptx->functions) {
    if (!function.isEntry || !function.hasBody)
      continue;
    Expected<KernelPlan> plan = makePlan(function);
    if (!plan)
      return plan.takeError();
    auto kernel = std::make_unique<Kernel>(std::move(*plan));
    if (!kernels.try_emplace(function.name, std::move(kernel)).second)
      return ptx::makeError(function.line,
                            "kernel '" + function.name + "' is defined twice");
  }
  return Error::success();
}

const KernelInfo *Module::find(StringRef kernel) const {
  auto found = state->kernels.find(kernel);
  return found == state->kernels.end() ? nullptr : &found->second->getInfo();
}

bool Module::controlsGrids() const {
  return llvm::any_of(state->ptx->functions, [](const ptx::Function &function) {
    return llvm::any_of(function.body, [](const ptx::Instruction &in) {
      return in.root == "griddepcontrol";
    });
  });
}

Expected<std::pair<void *, size_t>> Module::variable(StringRef name) {
  if (const VariableRegion *entry = state->findVariable(name))
    return std::pair<void *, size_t>(
        reinterpret_cast<void *>(entry->region.base), entry->region.bytes);
  return llvm::createStringError(std::errc::invalid_argument,
                                 "the module has no variable '%s'",
                                 name.str().c_str());
}

} // namespace tc::emulator
