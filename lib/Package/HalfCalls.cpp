//===- HalfCalls.cpp - Conversions of narrow floats -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By whole numbers and one multiplication or addition of floats, which LLVM
// does not turn back into what it is to replace. Rounding is to nearest, ties
// to even; a double goes through a float that is rounded to odd, so that it
// rounds once.
//
//===----------------------------------------------------------------------===//

#include "HalfCalls.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace mlir::tc {

static constexpr StringLiteral source = R"(
; The exponent is moved from bias 15 to 127 by a product with 2^112, which makes
; denormals normal; infinity and NaN get the largest exponent.
define linkonce_odr hidden float @__extendhfsf2(half %half) {
  %bits = bitcast half %half to i16
  %wide = zext i16 %bits to i32
  %magnitude = and i32 %wide, 32767
  %placed = shl i32 %magnitude, 13
  %small = bitcast i32 %placed to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %is.finite = icmp ult i32 %magnitude, 31744
  %special = or i32 %placed, 2139095040
  %value = select i1 %is.finite, i32 %finite, i32 %special
  %signbit = and i32 %wide, 32768
  %sign = shl i32 %signbit, 16
  %all = or i32 %value, %sign
  %result = bitcast i32 %all to float
  ret float %result
}

; Denormal results are rounded by the addition of 0.5, whose last bit is theirs.
define linkonce_odr hidden half @__truncsfhf2(float %float) {
  %wide = bitcast float %float to i32
  %magnitude = and i32 %wide, 2147483647
  %is.nan = icmp ugt i32 %magnitude, 2139095040
  %special = select i1 %is.nan, i32 32256, i32 31744
  %absolute = bitcast i32 %magnitude to float
  %shifted = fadd float %absolute, 5.000000e-01
  %shifted.bits = bitcast float %shifted to i32
  %denormal = sub i32 %shifted.bits, 1056964608
  %last = lshr i32 %magnitude, 13
  %odd = and i32 %last, 1
  %biased = add i32 %magnitude, -939520001
  %rounded = add i32 %biased, %odd
  %normal = lshr i32 %rounded, 13
  %is.denormal = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %is.denormal, i32 %denormal, i32 %normal
  %is.special = icmp uge i32 %magnitude, 1199570944
  %value = select i1 %is.special, i32 %special, i32 %finite
  %sign = lshr i32 %wide, 16
  %signbit = and i32 %sign, 32768
  %all = or i32 %value, %signbit
  %narrow = trunc i32 %all to i16
  %result = bitcast i16 %narrow to half
  ret half %result
}

define linkonce_odr hidden bfloat @__truncsfbf2(float %float) {
  %wide = bitcast float %float to i32
  %magnitude = and i32 %wide, 2147483647
  %is.nan = icmp ugt i32 %magnitude, 2139095040
  %high = lshr i32 %wide, 16
  %quiet = or i32 %high, 64
  %odd = and i32 %high, 1
  %biased = add i32 %wide, 32767
  %rounded = add i32 %biased, %odd
  %finite = lshr i32 %rounded, 16
  %value = select i1 %is.nan, i32 %quiet, i32 %finite
  %narrow = trunc i32 %value to i16
  %result = bitcast i16 %narrow to bfloat
  ret bfloat %result
}

; Towards zero, with the last bit set where that was not exact.
define linkonce_odr hidden float @__tc_round_to_odd(double %double) {
  %nearest = fptrunc double %double to float
  %back = fpext float %nearest to double
  %bits = bitcast float %nearest to i32
  %size = call double @llvm.fabs.f64(double %double)
  %back.size = call double @llvm.fabs.f64(double %back)
  %is.above = fcmp ogt double %back.size, %size
  %down = zext i1 %is.above to i32
  %truncated = sub i32 %bits, %down
  %is.inexact = fcmp one double %back, %double
  %sticky = zext i1 %is.inexact to i32
  %odd = or i32 %truncated, %sticky
  %result = bitcast i32 %odd to float
  ret float %result
}

define linkonce_odr hidden half @__truncdfhf2(double %double) {
  %float = call float @__tc_round_to_odd(double %double)
  %result = call half @__truncsfhf2(float %float)
  ret half %result
}

define linkonce_odr hidden bfloat @__truncdfbf2(double %double) {
  %float = call float @__tc_round_to_odd(double %double)
  %result = call bfloat @__truncsfbf2(float %float)
  ret bfloat %result
}

declare double @llvm.fabs.f64(double)
)";

static bool isNarrow(llvm::Type *type) {
  return type->getScalarType()->isHalfTy() ||
         type->getScalarType()->isBFloatTy();
}

static bool usesNarrowFloats(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (isNarrow(instruction.getType()) ||
          any_of(instruction.operands(),
                 [](const Use &use) { return isNarrow(use->getType()); }))
        return true;
  return false;
}

void addHalfCalls(Module &module) {
  if (!usesNarrowFloats(module))
    return;
  SMDiagnostic fault;
  std::unique_ptr<Module> calls =
      parseAssemblyString(source, fault, module.getContext());
  assert(calls && "our own text parses");
  calls->setDataLayout(module.getDataLayout());
  calls->setTargetTriple(module.getTargetTriple());
  // Calls come into being when instructions are selected: keep them till then.
  SmallVector<GlobalValue *> kept;
  SmallVector<std::string> names;
  for (Function &function : *calls)
    if (!function.isDeclaration()) {
      function.setComdat(calls->getOrInsertComdat(function.getName()));
      names.push_back(function.getName().str());
    }
  bool failed = Linker::linkModules(module, std::move(calls),
                                    Linker::Flags::OverrideFromSrc);
  assert(!failed && "names of the compiler's are nobody else's");
  (void)failed;
  for (const std::string &name : names)
    if (Function *function = module.getFunction(name))
      kept.push_back(function);
  appendToCompilerUsed(module, kept);
}

} // namespace mlir::tc
