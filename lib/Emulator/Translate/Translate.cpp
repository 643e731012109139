//===- Translate.cpp - PTX to LLVM IR -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the one function and lets the emitter fill it.
//
//===----------------------------------------------------------------------===//

#include "Translate/Translate.h"
#include "Translate/Emitter.h"

#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace tc::emulator {

std::vector<uint32_t> layOutFrame(const FlatBody &flat) {
  std::vector<uint32_t> offsets;
  uint32_t at = warpSize * sizeof(uint32_t);
  for (const ptx::Register &reg : flat.registers) {
    offsets.push_back(at);
    unsigned bytes = divideCeil(ptx::getBits(reg.type), 8);
    at += alignTo(warpSize * bytes, 64);
  }
  offsets.push_back(at);
  return offsets;
}

std::unique_ptr<Module> translate(LLVMContext &context,
                                  const Translation &translation) {
  auto module = std::make_unique<Module>("ptx", context);
  Type *pointer = PointerType::get(context, 0);
  SmallVector<Type *> types(2, pointer);
  if (translation.mode != Mode::Warp)
    types.push_back(Type::getInt32Ty(context));
  Type *result = translation.mode == Mode::Masked ? Type::getInt1Ty(context)
                                                  : Type::getVoidTy(context);
  Function *fn =
      Function::Create(FunctionType::get(result, types, false),
                       GlobalValue::ExternalLinkage, kernelSymbol, *module);
  fn->addFnAttr(Attribute::NoUnwind);
  if (translation.mode == Mode::Masked)
    fn->addRetAttr(Attribute::ZExt);
  // Half vectors where the host has full ones would double every operation.
  fn->addFnAttr("prefer-vector-width", "512");
  Emitter(fn, translation).run();
  assert(!verifyModule(*module, &errs()) && "expected correct IR");
  return module;
}

} // namespace tc::emulator
