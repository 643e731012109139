//===- Manifest.h - What a package says of itself ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// manifest.json of a package as structures; Manifest.cpp describes their
// fields. No times and no paths of this machine are in it, so that the same
// input gives the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_MANIFEST_H
#define TC_PACKAGE_MANIFEST_H

#include "tc/Schema/Structure.h"

namespace mlir::tc::manifest {

/// What does not change from one version of the manifest to the next: enough to
/// tell a package from anything else, and its files from other files.
struct Head {
  std::string package;
  int64_t interface = 0; ///< TC_PACKAGE_ABI
  std::map<std::string, std::string> files;
};

struct Tool {
  std::string name, version;
  std::optional<std::string> sha256;
};

struct Host {
  std::string triple, cpu, features;
  std::vector<std::string> levels;
};

/// A number, the name of a parameter, or "row-major".
using Quantity = std::variant<int64_t, std::string>;

enum class ArgumentKind { Read, Written, Scalar };
enum class ArgumentMemory { Host, Device };

struct Argument {
  std::string name, type, cType;
  ArgumentKind kind = ArgumentKind::Read;
  // Of a buffer.
  std::optional<ArgumentMemory> memory;
  std::optional<uint32_t> alignment;
  std::optional<std::vector<Quantity>> shape, strides;
  std::optional<Quantity> offset;
};

enum class ParameterKind { Extent, StrideOrOffset };

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Extent;
};

struct Threshold {
  std::string name, symbol;
};

/// Where an operand lies in the flat buffer that is passed.
struct Layout {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};

struct Input {
  std::optional<std::string> einsum, sizes;
  std::optional<std::vector<std::optional<Layout>>> operands;
  std::optional<std::string> accumulate, precision;
  std::string type, sha256;
};

/// What the library of a package has of each of its functions, too.
struct Function {
  std::string name, symbol, prototype;
  Input input;
  std::vector<Argument> arguments;
  std::vector<Parameter> parameters;
  std::vector<Threshold> thresholds;
  std::optional<std::string> cpu;
};

struct Image {
  std::string ptx;
  std::optional<std::string> cubin;
};

/// Blocks or threads along x, y and z; nothing where the host computes them.
using Extents = std::optional<std::array<int64_t, 3>>;

struct Kernel {
  std::string name;
  Extents grid, block;
  int64_t dynamicSharedBytes = 0;
  std::optional<int64_t> registers, spillBytes, localBytes, sharedBytes;
  std::optional<double> occupancy;
};

struct Variant {
  std::string chip;
  bool isExact = false;
  std::string ptxVersion;
  std::vector<Image> images;
  std::vector<std::string> schedules;
  std::map<std::string, int64_t> thresholds;
  std::vector<Kernel> kernels;
};

struct Entry : Function {
  std::vector<Variant> variants;
};

struct Manifest : Head {
  Tool tool;
  Host host;
  std::vector<Entry> entries;
};

/// The JSON Schema of a manifest.
std::string formatSchema();

} // namespace mlir::tc::manifest

namespace mlir::tc::schema {
template <>
const Structure<manifest::Head> &describe();
template <>
const Structure<manifest::Function> &describe();
template <>
const Structure<manifest::Manifest> &describe();
} // namespace mlir::tc::schema

#endif // TC_PACKAGE_MANIFEST_H
