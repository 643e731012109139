//===- MemorySpaces.cpp - Memory spaces of types --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/MemorySpaces.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

void mlir::tc::dropMemorySpaces(Operation *root,
                                function_ref<bool(Attribute)> drops) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](MemRefType type) -> Type {
    if (!drops(type.getMemorySpace()))
      return type;
    return MemRefType::Builder(type).setMemorySpace(Attribute());
  });
  replacer.addReplacement([&](UnrankedMemRefType type) -> Type {
    if (!drops(type.getMemorySpace()))
      return type;
    return UnrankedMemRefType::get(type.getElementType(), Attribute());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  root->walk([&](memref::MemorySpaceCastOp cast) {
    if (cast.getSource().getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  });
}
