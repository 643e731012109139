//===- PackageManifest.cpp - The manifest of a package --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Packaging.md documents the names. No times and no paths of this machine
// go in, so that the same input gives the same bytes.
//
//===----------------------------------------------------------------------===//

#include "Package/PackageManifest.h"

#include "tc/Files/Files.h"
#include "tc/Files/Json.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

namespace mlir::tc {

std::string getImagePath(const PackagedVariant &variant,
                         const KernelBinary &image) {
  return "kernels/" + variant.chip + "/" + image.module;
}

/// A number, the name of a parameter, or "row-major".
static Json toJson(const Signature &signature, tcQuantity quantity) {
  if (quantity.kind == TC_ROW_MAJOR)
    return "row-major";
  if (quantity.kind == TC_PARAMETER)
    return signature.parameters[quantity.value].name;
  return quantity.value;
}

static Json toJson(const Signature &signature, ArrayRef<tcQuantity> values) {
  return Array(llvm::map_range(
      values, [&](tcQuantity value) { return toJson(signature, value); }));
}

static Json toJson(const Signature &signature,
                   const PackagedArgument &argument) {
  if (argument.isScalar())
    return Object{{"name", argument.name},
                  {"dtype", argument.type},
                  {"c_type", argument.cType},
                  {"kind", "scalar"}};
  return Object{{"name", argument.name},
                {"dtype", argument.type},
                {"c_type", argument.cType},
                {"kind", argument.isWritten() ? "written" : "read"},
                {"memory", argument.isOnHost() ? "host" : "device"},
                {"alignment", argument.elementBytes},
                {"shape", toJson(signature, argument.extents)},
                {"strides", toJson(signature, argument.strides)},
                {"offset", toJson(signature, argument.offset)}};
}

static Json toJson(const KernelReport &kernel) {
  return Object{{"kernel", kernel.launch.kernel},
                {"grid", extentsOf(kernel.launch.grid)},
                {"block", extentsOf(kernel.launch.block)},
                {"dynamic_shared_bytes", kernel.launch.dynamicSharedBytes},
                {"registers", orNull(kernel.registers)},
                {"spill_bytes", orNull(kernel.spillBytes)},
                {"local_bytes", orNull(kernel.localBytes)},
                {"shared_bytes", orNull(kernel.sharedBytes)},
                {"occupancy", orNull(kernel.occupancy)}};
}

static Json toJson(const PackagedVariant &variant, const Compilation &report) {
  Array images, kernels;
  for (const KernelBinary &image : variant.images) {
    std::string path = getImagePath(variant, image);
    images.push_back(
        Object{{"ptx", path + ".ptx"},
               {"cubin",
                image.cubin.empty() ? Json(nullptr) : Json(path + ".cubin")}});
  }
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(toJson(kernel));
  Object defaults;
  for (const auto &[limit, value] : report.thresholds)
    defaults[limit] = value;
  return Object{{"chip", variant.chip},
                {"only_this_chip", variant.isExact},
                {"ptx_version", std::to_string(variant.ptxVersion / 10) + "." +
                                    std::to_string(variant.ptxVersion % 10)},
                {"images", std::move(images)},
                {"schedules", Array(report.schedules)},
                {"thresholds", std::move(defaults)},
                {"kernels", std::move(kernels)}};
}

/// The tool that runs: its version, and the hash of its file.
static Json describeTool() {
  static int anchor;
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  auto bytes = llvm::expectedToOptional(readFile(path));
  return Object{
      {"name", "tc"},
      {"version", TC_VERSION},
      {"sha256", bytes ? Json(hashOf((*bytes)->getBuffer())) : Json(nullptr)}};
}

static Json describeInput(const EntryReport &report) {
  Object input{{"einsum", nullptr},
               {"sizes", nullptr},
               {"operands", nullptr},
               {"accumulate", nullptr},
               {"precision", nullptr},
               {"dtype", report.program->types},
               {"sha256", hashOf(report.source)}};
  const std::optional<EinsumProblem> &problem = report.program->problem;
  if (!problem)
    return input;
  Array operands;
  for (const EinsumProblem::Operand &operand : problem->inputs)
    operands.push_back(operand.layoutToJson());
  operands.push_back(problem->output.layoutToJson());
  input["einsum"] = problem->text;
  input["sizes"] = problem->sizesText();
  input["operands"] = std::move(operands);
  if (problem->accumulator)
    input["accumulate"] = nameOf(*problem->accumulator);
  if (!problem->precision.empty())
    input["precision"] = problem->precision;
  return input;
}

/// All of an entry but its variants.
static Object describeFunction(const PackagedEntry &entry,
                               const EntryReport &report) {
  const Signature &signature = entry.signature;
  Array arguments, parameters, thresholds;
  for (const PackagedArgument &argument : signature.arguments)
    arguments.push_back(toJson(signature, argument));
  for (const PackagedParameter &parameter : signature.parameters)
    parameters.push_back(
        Object{{"name", parameter.name},
               {"kind", parameter.isExtent ? "extent" : "stride or offset"}});
  for (StringRef limit : signature.thresholds)
    thresholds.push_back(
        Object{{"name", limit}, {"symbol", signature.symbolOf(limit)}});
  return Object{{"name", signature.name},
                {"symbol", signature.symbol()},
                {"prototype", formatPrototype(signature)},
                {"input", describeInput(report)},
                {"arguments", std::move(arguments)},
                {"parameters", std::move(parameters)},
                {"thresholds", std::move(thresholds)},
                {"cpu", entry.cpus.empty()
                            ? Json(nullptr)
                            : Json(signature.symbol() + "_cpu")}};
}

std::string formatDescription(const PackagedEntry &entry,
                              const EntryReport &report) {
  return llvm::formatv("{0}", Json(describeFunction(entry, report)));
}

static Json describeHost(const HostTarget &host, ArrayRef<HostLevel> levels) {
  Array names;
  for (const HostLevel &level : levels)
    if (level.number != 0)
      names.push_back(getLevelName(level.number));
  return Object{{"triple", host.triple},
                {"cpu", host.cpu},
                {"features", host.features},
                {"levels", std::move(names)}};
}

std::string formatManifest(StringRef package, ArrayRef<PackagedEntry> entries,
                           ArrayRef<EntryReport> reports,
                           const HostTarget &host, ArrayRef<HostLevel> levels,
                           const PackageFiles &files) {
  Object hashes;
  for (const auto &[path, bytes] : files)
    hashes[path] = hashOf(bytes);
  Array described;
  for (auto [entry, report] : llvm::zip_equal(entries, reports)) {
    Array variants;
    for (auto [variant, known] :
         llvm::zip_equal(entry.variants, report.variants))
      variants.push_back(toJson(variant, known));
    Object object = describeFunction(entry, report);
    object["variants"] = std::move(variants);
    described.push_back(std::move(object));
  }
  Object manifest{{"package", package},
                  {"interface", TC_PACKAGE_ABI},
                  {"tool", describeTool()},
                  {"host", describeHost(host, levels)},
                  {"entries", std::move(described)},
                  {"files", std::move(hashes)}};
  return llvm::formatv("{0:2}\n", Json(std::move(manifest)));
}

} // namespace mlir::tc
