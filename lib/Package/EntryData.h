//===- EntryData.h - Entries of a package as LLVM IR ---------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of tc-runtime/tc_package.h as constants, and the C functions
// that hand them to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_ENTRYDATA_H
#define TC_LIB_PACKAGE_ENTRYDATA_H

#include "tc/Package/HostObject.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace mlir::tc {

/// Host code in the module that is written: it takes a call and words.
struct WordFunctions {
  llvm::Function *launch = nullptr, *workspace = nullptr;
};

/// Writes entries into one module.
class EntryWriter {
public:
  explicit EntryWriter(llvm::Module &module);

  /// Functions that take words, for those that take each word apart; the last
  /// of them is the call's.
  WordFunctions wrap(llvm::Function *launch, llvm::Function *workspace);
  /// The entry and its C functions. `variants` and `cpus` are those of `entry`.
  void write(const PackagedEntry &entry, ArrayRef<WordFunctions> variants,
             ArrayRef<WordFunctions> cpus);

private:
  using Constants = ArrayRef<llvm::Constant *>;

  llvm::Function *wrap(llvm::Function *function, bool isLaunch);
  llvm::Constant *word(int64_t value) { return builder.getInt64(value); }
  llvm::Constant *half(uint32_t value) { return builder.getInt32(value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(pointer); }
  llvm::Constant *place(llvm::Constant *value, const char *name,
                        unsigned alignment = 8);
  llvm::Constant *structure(Constants fields) {
    return llvm::ConstantStruct::getAnon(fields);
  }
  /// An array of what is alike; null where there is none.
  llvm::Constant *list(Constants values, const char *name);
  llvm::Constant *text(StringRef value);
  llvm::Constant *quantity(tcQuantity value);
  llvm::Constant *quantities(ArrayRef<tcQuantity> values);
  llvm::Constant *argument(const PackagedArgument &argument);
  llvm::Constant *image(StringRef bytes, bool isText);
  llvm::Constant *variant(const PackagedVariant &variant,
                          const WordFunctions &functions);
  llvm::Constant *entryOf(const PackagedEntry &entry,
                          ArrayRef<WordFunctions> variants,
                          ArrayRef<WordFunctions> cpus);
  llvm::Type *typeOf(const PackagedArgument &argument);
  llvm::Value *storeValues(llvm::Function *function, size_t count);
  void addDescription(const PackagedEntry &entry);
  void addFfi(const Signature &signature, llvm::Constant *entry);
  void addFunction(const Signature &signature, StringRef suffix,
                   StringRef runtime, llvm::Constant *entry,
                   std::optional<ArrayRef<llvm::Type *>> values,
                   ArrayRef<llvm::Type *> rest);

  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
};

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_ENTRYDATA_H
