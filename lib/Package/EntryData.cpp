//===- EntryData.cpp - Entries of a package as LLVM IR --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each structure is written field by field in the order of tc_package.h.
//
//===----------------------------------------------------------------------===//

#include "EntryData.h"

#include "llvm/IR/Constants.h"

#include <map>

using namespace llvm;

namespace mlir::tc {

EntryWriter::EntryWriter(Module &module)
    : module(module), builder(module.getContext()),
      pointer(PointerType::get(module.getContext(), 0)) {}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Constant *EntryWriter::place(Constant *value, const char *name,
                             unsigned alignment) {
  auto *global =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, value, name);
  global->setAlignment(Align(alignment));
  return global;
}

Constant *EntryWriter::list(Constants values, const char *name) {
  if (values.empty())
    return null();
  auto *type = ArrayType::get(values.front()->getType(), values.size());
  return place(ConstantArray::get(type, values), name);
}

Constant *EntryWriter::text(StringRef value) {
  return place(ConstantDataArray::getString(module.getContext(), value), "text",
               /*alignment=*/1);
}

Constant *EntryWriter::quantity(tcQuantity value) {
  return structure({word(value.value), word(value.kind)});
}

Constant *EntryWriter::quantities(ArrayRef<tcQuantity> values) {
  return list(map_to_vector(values, [&](auto &v) { return quantity(v); }),
              "quantities");
}

Constant *EntryWriter::argument(const PackagedArgument &argument) {
  return structure({text(argument.name), half(argument.role),
                    half(argument.elementBytes), half(argument.extents.size()),
                    half(argument.elementType), quantity(argument.offset),
                    quantities(argument.extents),
                    quantities(argument.strides)});
}

/// A driver reads machine code as an ELF file, in place.
Constant *EntryWriter::image(StringRef bytes, bool isText) {
  if (bytes.empty())
    return structure({null(), word(0)});
  Constant *data = ConstantDataArray::getString(module.getContext(), bytes,
                                                /*AddNull=*/isText);
  return structure({place(data, "image", /*alignment=*/64),
                    word(int64_t(bytes.size()) + isText)});
}

Constant *EntryWriter::variant(const PackagedVariant &variant,
                               const WordFunctions &functions) {
  SmallVector<Constant *> cubins, ptx, kernels;
  std::map<StringRef, int64_t> numbers;
  for (auto [number, module] : enumerate(variant.images)) {
    cubins.push_back(image(module.cubin, /*isText=*/false));
    ptx.push_back(image(module.ptx, /*isText=*/true));
    numbers[module.module] = number;
  }
  for (const LaunchedKernel &kernel : variant.kernels)
    kernels.push_back(
        structure({text(kernel.kernel), word(numbers.at(kernel.module))}));
  SmallVector<Constant *> products;
  for (ArrayRef<int64_t> words : variant.products)
    products.push_back(ConstantDataArray::get(
        module.getContext(),
        ArrayRef(reinterpret_cast<const uint64_t *>(words.data()),
                 words.size())));
  return structure(
      {text(variant.chip), half(variant.capability), half(variant.isExact),
       half(variant.ptxVersion), half(variant.images.size()),
       list(cubins, "cubins"), list(ptx, "ptx"), word(kernels.size()),
       list(kernels, "kernels"), word(products.size()),
       list(products, "products"), functions.launch, functions.workspace});
}

Constant *EntryWriter::entryOf(const PackagedEntry &entry,
                               ArrayRef<WordFunctions> variants,
                               ArrayRef<WordFunctions> cpus) {
  const Signature &signature = entry.signature;
  SmallVector<Constant *> arguments, parameters, compiled, compiledCpus;
  for (const PackagedArgument &one : signature.arguments)
    arguments.push_back(argument(one));
  for (const PackagedParameter &one : signature.parameters)
    parameters.push_back(structure({text(one.name), word(one.isExtent)}));
  for (auto [one, functions] : llvm::zip_equal(entry.variants, variants))
    compiled.push_back(variant(one, functions));
  for (auto [one, functions] : llvm::zip_equal(entry.cpus, cpus))
    compiledCpus.push_back(
        structure({word(one.level), functions.launch, functions.workspace}));
  auto *state =
      new GlobalVariable(module, pointer, /*isConstant=*/false,
                         GlobalValue::InternalLinkage, null(), "state");
  return place(
      structure({half(TC_PACKAGE_ABI), half(arguments.size()),
                 half(parameters.size()), half(compiled.size()),
                 text(signature.symbol()), list(arguments, "arguments"),
                 list(parameters, "parameters"), list(compiled, "variants"),
                 word(compiledCpus.size()), list(compiledCpus, "cpus"), state}),
      "entry");
}

//===----------------------------------------------------------------------===//
// Functions of words
//===----------------------------------------------------------------------===//

/// The bits of `word` as a value of the type.
static llvm::Value *fromWord(IRBuilder<> &builder, llvm::Value *word,
                             llvm::Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(word, type);
  unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value *narrow = builder.CreateTrunc(word, builder.getIntNTy(bits));
  return builder.CreateBitCast(narrow, type);
}

Function *EntryWriter::wrap(Function *function, bool isLaunch) {
  SmallVector<llvm::Type *> types{pointer};
  if (isLaunch)
    types.insert(types.begin(), pointer);
  auto *type = llvm::FunctionType::get(function->getReturnType(), types, false);
  auto *outer = Function::Create(type, GlobalValue::InternalLinkage,
                                 function->getName() + ".words", module);
  // For the same CPU, or nothing would be inlined.
  outer->addFnAttrs(
      AttrBuilder(module.getContext(), function->getAttributes().getFnAttrs()));
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", outer));
  Argument *words = outer->getArg(isLaunch ? 1 : 0);
  SmallVector<llvm::Value *> values;
  for (unsigned i = 0; i + 1 != function->arg_size(); ++i) {
    llvm::Value *place =
        builder.CreateConstGEP1_64(builder.getInt64Ty(), words, i);
    llvm::Value *word = builder.CreateLoad(builder.getInt64Ty(), place);
    values.push_back(fromWord(builder, word, function->getArg(i)->getType()));
  }
  llvm::Type *last = function->getArg(function->arg_size() - 1)->getType();
  values.push_back(isLaunch ? builder.CreatePtrToInt(outer->getArg(0), last)
                            : ConstantInt::get(last, 0));
  CallInst *call = builder.CreateCall(function, values);
  if (type->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return outer;
}

WordFunctions EntryWriter::wrap(Function *launch, Function *workspace) {
  return {wrap(launch, /*isLaunch=*/true), wrap(workspace, /*isLaunch=*/false)};
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

llvm::Type *EntryWriter::typeOf(const PackagedArgument &argument) {
  if (!argument.isScalar())
    return pointer;
  if (argument.type == "f32")
    return builder.getFloatTy();
  if (argument.type == "f64")
    return builder.getDoubleTy();
  return builder.getIntNTy(8 * argument.elementBytes);
}

/// The first arguments of the function, in words of the entry.
llvm::Value *EntryWriter::storeValues(Function *function, size_t count) {
  auto *type = ArrayType::get(builder.getInt64Ty(), count);
  llvm::Value *values = builder.CreateAlloca(type);
  for (size_t i = 0; i != count; ++i) {
    llvm::Value *value = function->getArg(i);
    if (value->getType()->isPointerTy()) {
      value = builder.CreatePtrToInt(value, builder.getInt64Ty());
    } else {
      unsigned bits = value->getType()->getPrimitiveSizeInBits();
      value = builder.CreateBitCast(value, builder.getIntNTy(bits));
      value = builder.CreateZExt(value, builder.getInt64Ty());
    }
    builder.CreateStore(
        value, builder.CreateConstGEP1_64(builder.getInt64Ty(), values, i));
  }
  return values;
}

/// `tc_NAME<suffix>`, which calls `runtime` with the entry, the values that it
/// takes, if it takes any, and all that follows them.
void EntryWriter::addFunction(const Signature &signature, StringRef suffix,
                              StringRef runtime, Constant *entry,
                              std::optional<ArrayRef<llvm::Type *>> values,
                              ArrayRef<llvm::Type *> rest) {
  SmallVector<llvm::Type *> types(values.value_or(ArrayRef<llvm::Type *>()));
  size_t numValues = types.size();
  types.append(rest.begin(), rest.end());
  auto *function = Function::Create(
      llvm::FunctionType::get(builder.getInt32Ty(), types, false),
      GlobalValue::ExternalLinkage, signature.symbol() + suffix, module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  SmallVector<llvm::Type *> runtimeTypes{pointer};
  SmallVector<llvm::Value *> operands{entry};
  if (values) {
    runtimeTypes.push_back(pointer);
    operands.push_back(storeValues(function, numValues));
  }
  for (size_t i = numValues; i != types.size(); ++i) {
    runtimeTypes.push_back(types[i]);
    operands.push_back(function->getArg(i));
  }
  FunctionCallee callee = module.getOrInsertFunction(
      runtime,
      llvm::FunctionType::get(builder.getInt32Ty(), runtimeTypes, false));
  builder.CreateRet(builder.CreateCall(callee, operands));
}

/// `tc_NAME_signature`, the text of what the function takes: a manifest beside
/// the library may be another's.
void EntryWriter::addDescription(const PackagedEntry &entry) {
  Constant *text =
      ConstantDataArray::getString(module.getContext(), entry.description);
  new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, text,
                     entry.signature.symbol() + "_signature");
}

/// `__tvm_ffi_NAME`, which TVM-FFI finds in a library: int (void *handle, const
/// TVMFFIAny *arguments, int32_t count, TVMFFIAny *result).
void EntryWriter::addFfi(const Signature &signature, Constant *entry) {
  // TVM-FFI has names of its own that continue with an underscore.
  if (StringRef(signature.name).starts_with("_"))
    return;
  llvm::Type *status = builder.getInt32Ty(), *count = status;
  auto *function = Function::Create(
      llvm::FunctionType::get(status, {pointer, pointer, count, pointer},
                              false),
      GlobalValue::ExternalLinkage, "__tvm_ffi_" + signature.name, module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  FunctionCallee callee = module.getOrInsertFunction(
      "tcPackageCallFfi",
      llvm::FunctionType::get(status, {pointer, pointer, count, pointer},
                              false));
  builder.CreateRet(
      builder.CreateCall(callee, {entry, function->getArg(1),
                                  function->getArg(2), function->getArg(3)}));
}

void EntryWriter::write(const PackagedEntry &entry,
                        ArrayRef<WordFunctions> variants,
                        ArrayRef<WordFunctions> cpus) {
  const Signature &signature = entry.signature;
  addDescription(entry);
  Constant *data = entryOf(entry, variants, cpus);
  llvm::Type *size = builder.getInt64Ty();
  SmallVector<llvm::Type *> all, parameters(signature.parameters.size(), size);
  for (const PackagedArgument &argument : signature.arguments)
    all.push_back(typeOf(argument));
  llvm::append_range(all, parameters);
  addFunction(signature, "", "tcPackageRun", data, all,
              {pointer, size, pointer});
  addFunction(signature, "_cpu", "tcPackageRunCpu", data, all, {pointer, size});
  addFunction(signature, "_workspace_size", "tcPackageWorkspace", data,
              parameters, {pointer});
  addFunction(signature, "_cpu_workspace_size", "tcPackageWorkspaceCpu", data,
              parameters, {pointer});
  addFunction(signature, "_prepare", "tcPackagePrepare", data,
              /*values=*/std::nullopt, {pointer});
  addFfi(signature, data);
}

} // namespace mlir::tc
