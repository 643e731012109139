//===- ReportPlan.cpp - A launch plan as JSON -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportPlan.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

namespace mlir::tc {

/// Nothing for what is no memref, or not static.
static std::optional<Json> argumentOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return std::nullopt;
  std::string element;
  llvm::raw_string_ostream(element) << memref.getElementType();
  return Object{{"dtype", element},
                {"shape", Array(memref.getShape())},
                {"strides", Array(strides)},
                {"offset", offset}};
}

/// Of each LaunchCondition.
static constexpr StringLiteral conditions[] = {"always", "aligned",
                                               "unaligned"};

static Json launchOf(const PlannedLaunch &planned, const HostLaunch &launch) {
  Array pointers;
  for (LaunchPointer pointer : planned.pointers)
    pointers.push_back(Object{
        {pointer.isTemporary ? "temporary" : "argument", pointer.index}});
  return Object{{"kernel", launch.kernel},
                {"grid", Array(launch.grid)},
                {"block", Array(launch.block)},
                {"dynamic_shared_bytes", launch.dynamicSharedBytes},
                {"when", conditions[unsigned(planned.when)]},
                {"pointers", std::move(pointers)}};
}

static Json planOf(const Compilation &compilation) {
  if (!compilation.plan)
    return nullptr;
  Array arguments, launches;
  for (Type type : compilation.hostArguments) {
    std::optional<Json> argument = argumentOf(type);
    if (!argument)
      return nullptr;
    arguments.push_back(std::move(*argument));
  }
  for (auto [planned, kernel] :
       llvm::zip_equal(compilation.plan->launches, compilation.kernels)) {
    const HostLaunch &launch = kernel.launch;
    // An extent that the host computes is 0.
    if (llvm::is_contained(launch.grid, 0) ||
        llvm::is_contained(launch.block, 0) || planned.kernel != launch.kernel)
      return nullptr;
    launches.push_back(launchOf(planned, launch));
  }
  return Object{{"arguments", std::move(arguments)},
                {"temporaries", Array(compilation.plan->temporaries)},
                {"launches", std::move(launches)}};
}

void writePlan(llvm::json::OStream &json, const Compilation &compilation) {
  json.attribute("plan", planOf(compilation));
}

} // namespace mlir::tc
