//===- TemporaryFile.h - Files that programs exchange --------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program that is run reads and writes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_TEMPORARYFILE_H
#define TC_LIB_PACKAGE_TEMPORARYFILE_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace mlir::tc {

/// A file that is gone when this is.
class TemporaryFile {
public:
  /// A file whose name ends so, holding `contents`.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix,
                                              llvm::StringRef contents);

  llvm::StringRef path() const { return remover->path; }
  llvm::Expected<std::string> read() const;

private:
  struct Remover {
    std::string path;
    ~Remover();
  };
  explicit TemporaryFile(llvm::StringRef path)
      : remover(new Remover{path.str()}) {}

  std::unique_ptr<Remover> remover;
};

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_TEMPORARYFILE_H
