//===- PackageManifest.cpp - The manifest of a package --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/PackageManifest.h"

#include "tc/Files/Files.h"
#include "tc/Package/Manifest.h"
#include "tc/Schema/Document.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace mlir::tc {

std::string getImagePath(const PackagedVariant &variant,
                         const KernelBinary &image) {
  return "kernels/" + variant.chip + "/" + image.module;
}

static manifest::Quantity describe(const Signature &signature,
                                   tcQuantity quantity) {
  if (quantity.kind == TC_ROW_MAJOR)
    return "row-major";
  if (quantity.kind == TC_PARAMETER)
    return signature.parameters[quantity.value].name;
  return quantity.value;
}

static std::vector<manifest::Quantity> describe(const Signature &signature,
                                                ArrayRef<tcQuantity> values) {
  std::vector<manifest::Quantity> described;
  for (tcQuantity value : values)
    described.push_back(describe(signature, value));
  return described;
}

static manifest::Argument describe(const Signature &signature,
                                   const PackagedArgument &argument) {
  using manifest::ArgumentKind, manifest::ArgumentMemory;
  manifest::Argument described;
  described.name = argument.name;
  described.type = argument.type;
  described.cType = argument.cType;
  described.kind = argument.isScalar()    ? ArgumentKind::Scalar
                   : argument.isWritten() ? ArgumentKind::Written
                                          : ArgumentKind::Read;
  if (argument.isScalar())
    return described;
  described.memory =
      argument.isOnHost() ? ArgumentMemory::Host : ArgumentMemory::Device;
  described.alignment = argument.elementBytes;
  described.shape = describe(signature, argument.extents);
  described.strides = describe(signature, argument.strides);
  described.offset = describe(signature, argument.offset);
  return described;
}

static manifest::Kernel describe(const KernelReport &kernel) {
  return {kernel.launch.kernel,
          extentsOf(kernel.launch.grid),
          extentsOf(kernel.launch.block),
          kernel.launch.dynamicSharedBytes,
          kernel.registers,
          kernel.spillBytes,
          kernel.localBytes,
          kernel.sharedBytes,
          kernel.occupancy};
}

static manifest::Variant describe(const PackagedVariant &variant,
                                  const Compilation &report) {
  manifest::Variant described;
  described.chip = variant.chip;
  described.isExact = variant.isExact;
  described.ptxVersion = std::to_string(variant.ptxVersion / 10) + "." +
                         std::to_string(variant.ptxVersion % 10);
  for (const KernelBinary &image : variant.images) {
    std::string path = getImagePath(variant, image);
    auto &files = described.images.emplace_back();
    files.ptx = path + ".ptx";
    if (!image.cubin.empty())
      files.cubin = path + ".cubin";
  }
  described.schedules = report.schedules;
  described.thresholds = {report.thresholds.begin(), report.thresholds.end()};
  for (const KernelReport &kernel : report.kernels)
    described.kernels.push_back(describe(kernel));
  return described;
}

/// The tool that runs: its version, and the hash of its file.
static manifest::Tool describeTool() {
  static int anchor;
  manifest::Tool tool{"tc", TC_VERSION, std::nullopt};
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  if (auto bytes = llvm::expectedToOptional(readFile(path)))
    tool.sha256 = hashOf((*bytes)->getBuffer());
  return tool;
}

static std::optional<manifest::Layout>
describe(const EinsumProblem::Operand &operand) {
  if (!operand.layout)
    return std::nullopt;
  const BufferLayout &layout = *operand.layout;
  return manifest::Layout{{operand.shape.begin(), operand.shape.end()},
                          {layout.strides.begin(), layout.strides.end()},
                          layout.offset};
}

static manifest::Input describeInput(const EntryReport &report) {
  manifest::Input input;
  input.type = report.program->types;
  input.sha256 = hashOf(report.source);
  const std::optional<EinsumProblem> &problem = report.program->problem;
  if (!problem)
    return input;
  input.einsum = problem->text;
  input.sizes = problem->sizesText();
  auto &operands = input.operands.emplace();
  for (const EinsumProblem::Operand &operand : problem->inputs)
    operands.push_back(describe(operand));
  operands.push_back(describe(problem->output));
  if (problem->accumulator)
    input.accumulate = nameOf(*problem->accumulator);
  if (!problem->precision.empty())
    input.precision = problem->precision;
  return input;
}

/// All of an entry but its variants.
static manifest::Function describeFunction(const PackagedEntry &entry,
                                           const EntryReport &report) {
  using manifest::ParameterKind;
  const Signature &signature = entry.signature;
  manifest::Function described;
  described.name = signature.name;
  described.symbol = signature.symbol();
  described.prototype = formatPrototype(signature);
  described.input = describeInput(report);
  for (const PackagedArgument &argument : signature.arguments)
    described.arguments.push_back(describe(signature, argument));
  for (const PackagedParameter &parameter : signature.parameters)
    described.parameters.push_back(
        {parameter.name, parameter.isExtent ? ParameterKind::Extent
                                            : ParameterKind::StrideOrOffset});
  for (const std::string &limit : signature.thresholds)
    described.thresholds.push_back({limit, signature.symbolOf(limit)});
  if (!entry.cpus.empty())
    described.cpu = signature.symbol() + "_cpu";
  return described;
}

std::string formatDescription(const PackagedEntry &entry,
                              const EntryReport &report) {
  return schema::format(describeFunction(entry, report));
}

static manifest::Host describeHost(const HostTarget &host,
                                   ArrayRef<HostLevel> levels) {
  manifest::Host described{host.triple, host.cpu, host.features, {}};
  for (const HostLevel &level : levels)
    if (level.number != 0)
      described.levels.push_back(getLevelName(level.number));
  return described;
}

std::string formatManifest(StringRef package, ArrayRef<PackagedEntry> entries,
                           ArrayRef<EntryReport> reports,
                           const HostTarget &host, ArrayRef<HostLevel> levels,
                           const PackageFiles &files) {
  manifest::Manifest manifest;
  manifest.package = package.str();
  manifest.interface = TC_PACKAGE_ABI;
  manifest.tool = describeTool();
  manifest.host = describeHost(host, levels);
  for (auto [entry, report] : llvm::zip_equal(entries, reports)) {
    auto &described = manifest.entries.emplace_back();
    static_cast<manifest::Function &>(described) =
        describeFunction(entry, report);
    for (auto [variant, known] :
         llvm::zip_equal(entry.variants, report.variants))
      described.variants.push_back(describe(variant, known));
  }
  for (const auto &[path, bytes] : files)
    manifest.files[path] = hashOf(bytes);
  return schema::format(manifest, /*indent=*/2) + "\n";
}

} // namespace mlir::tc
