//===- TilingInterfaceImpl.h - Tiling tc.contract ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_TILINGINTERFACEIMPL_H
#define TC_IR_TILINGINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace tc {

/// Lets upstream tiling (`scf::tileUsingSCF`,
/// `transform.structured.tile_using_for`
/// ...) tile `tc.contract` in any iterator, and fuse it into a tiled consumer.
/// A tile is a `tc.contract` on slices of the operands; of a window the slice
/// that the tile reaches. Refused: tiles of a contracted iterator when the
/// contraction overwrites its result (fill the result first), and tiles of
/// dynamic size where a subscript runs backwards.
void registerTilingInterfaceExternalModels(DialectRegistry &registry);

} // namespace tc
} // namespace mlir

#endif // TC_IR_TILINGINTERFACEIMPL_H
