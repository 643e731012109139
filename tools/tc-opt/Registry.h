//===- Registry.h - What tc-opt knows besides tc's own passes ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_OPT_REGISTRY_H
#define TC_TOOLS_TC_OPT_REGISTRY_H

namespace mlir {
class DialectRegistry;

namespace tc {

/// The tc dialect, the upstream dialects that its programs use in any phase,
/// and the interfaces that upstream passes need of both.
void registerDialects(DialectRegistry &registry);

/// Upstream passes that the tests and the documented examples run.
void registerUpstreamPasses();

} // namespace tc
} // namespace mlir

#endif // TC_TOOLS_TC_OPT_REGISTRY_H
