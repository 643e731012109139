//===- Registry.h - What tc-opt adds for scripts and tests ------*- C++ -*-===//
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

/// The transform dialect, so that programs may carry a script that tiles them,
/// or that runs passes on them.
void registerTransformScripts(DialectRegistry &registry);

/// Upstream passes that the tests and the documented examples run.
void registerUpstreamPasses();

} // namespace tc
} // namespace mlir

#endif // TC_TOOLS_TC_OPT_REGISTRY_H
