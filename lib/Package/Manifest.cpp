//===- Manifest.cpp - What a package says of itself -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Manifest.h"

#include "tc/Schema/Document.h"

using namespace mlir::tc::manifest;
using llvm::ArrayRef;
using llvm::StringLiteral;

namespace mlir::tc::schema {

template <>
ArrayRef<StringLiteral> getNames<ArgumentKind>() {
  static constexpr StringLiteral names[] = {"read", "written", "scalar"};
  return names;
}

template <>
ArrayRef<StringLiteral> getNames<ArgumentMemory>() {
  static constexpr StringLiteral names[] = {"host", "device"};
  return names;
}

template <>
ArrayRef<StringLiteral> getNames<ParameterKind>() {
  static constexpr StringLiteral names[] = {"extent", "stride or offset"};
  return names;
}

template <>
const Structure<Head> &describe<Head>() {
  static const auto structure =
      Structure<Head>("package", "A package of any version.")
          .member("package", &Head::package,
                  "the name of its header and libraries")
          .member("interface", &Head::interface,
                  "the version of the interface to libtc-runtime")
          .member("files", &Head::files,
                  "the SHA-256 of each file but this one, by path")
          .open();
  return structure;
}

template <>
const Structure<Tool> &describe<Tool>() {
  static const auto structure =
      Structure<Tool>("tool", "The compiler that wrote the package.")
          .member("name", &Tool::name, "tc")
          .member("version", &Tool::version, "its version")
          .member("sha256", &Tool::sha256, "of its program file");
  return structure;
}

template <>
const Structure<Host> &describe<Host>() {
  static const auto structure =
      Structure<Host>("host", "The machine whose programs link the package.")
          .member("triple", &Host::triple, "in LLVM's terms")
          .member("cpu", &Host::cpu,
                  "in LLVM's terms; with levels, the least one that will do")
          .member("features", &Host::features,
                  "what --host-cpu=native found beyond those of the CPU")
          .member("levels", &Host::levels,
                  "the levels of x86-64 that there are versions of the CPU "
                  "code for; none: one version, for the CPU");
  return structure;
}

template <>
const Structure<Argument> &describe<Argument>() {
  static const auto structure =
      Structure<Argument>("argument", "A buffer, or a scalar.")
          .member("name", &Argument::name, "as in the C prototype")
          .member("dtype", &Argument::type, "the type of an element")
          .member("c_type", &Argument::cType, "the same in C")
          .member("kind", &Argument::kind, "what the function does with it")
          .optional("memory", &Argument::memory, "of a buffer: where it is")
          .optional("alignment", &Argument::alignment, "of a buffer", "bytes")
          .optional("shape", &Argument::shape,
                    "of a buffer: extents, or names of parameters", "elements")
          .optional("strides", &Argument::strides,
                    "of a buffer: numbers, names of parameters, or row-major",
                    "elements")
          .optional("offset", &Argument::offset,
                    "of a buffer: a number, or the name of a parameter",
                    "elements");
  return structure;
}

template <>
const Structure<Parameter> &describe<Parameter>() {
  static const auto structure =
      Structure<Parameter>("parameter",
                           "An integer that a function takes after its "
                           "arguments.")
          .member("name", &Parameter::name, "as in the C prototype")
          .member("kind", &Parameter::kind, "what it gives");
  return structure;
}

template <>
const Structure<Threshold> &describe<Threshold>() {
  static const auto structure =
      Structure<Threshold>("threshold",
                           "A limit at which another version is taken.")
          .member("name", &Threshold::name, "of the limit")
          .member("symbol", &Threshold::symbol, "of its variable in C");
  return structure;
}

template <>
const Structure<Layout> &describe<Layout>() {
  static const auto structure =
      Structure<Layout>("layout",
                        "Where an operand lies in the flat buffer that is "
                        "passed.")
          .member("shape", &Layout::shape, "extents", "elements")
          .member("strides", &Layout::strides, "one for each dimension",
                  "elements")
          .member("offset", &Layout::offset, "of its first element",
                  "elements");
  return structure;
}

template <>
const Structure<Input> &describe<Input>() {
  static const auto structure =
      Structure<Input>("input", "The program that was compiled.")
          .member("einsum", &Input::einsum,
                  "the subscripts in explicit form; null for a file")
          .member("sizes", &Input::sizes,
                  "extents by label, as --sizes takes them; null for a file")
          .member("operands", &Input::operands,
                  "for each argument of an einsum: null, or its layout if it "
                  "is part of a flat buffer; null for a file")
          .member("accumulate", &Input::accumulate,
                  "the type of sums that was asked for")
          .member("precision", &Input::precision,
                  "the precision that was asked for")
          .member("dtype", &Input::type,
                  "the element types of the einsum, as --dtype takes them, or "
                  "that of the function's first argument")
          .member("sha256", &Input::sha256, "of the program as MLIR");
  return structure;
}

template <>
const Structure<Function> &describe<Function>() {
  static const auto structure =
      Structure<Function>("function", "A contraction as a C function.")
          .member("name", &Function::name, "of the contraction")
          .member("symbol", &Function::symbol, "the C function")
          .member("prototype", &Function::prototype, "its prototype in C")
          .member("input", &Function::input, "the program")
          .member("arguments", &Function::arguments, "in order, results last")
          .member("parameters", &Function::parameters,
                  "in order, behind the arguments")
          .member("thresholds", &Function::thresholds,
                  "limits that may be set when a program runs")
          .member("cpu", &Function::cpu,
                  "the C function for the CPU; null if there is none");
  return structure;
}

template <>
const Structure<Image> &describe<Image>() {
  static const auto structure =
      Structure<Image>("image", "The kernels of a module, in files.")
          .member("ptx", &Image::ptx, "the path of their PTX")
          .member("cubin", &Image::cubin,
                  "the path of their machine code; null without ptxas");
  return structure;
}

template <>
const Structure<Kernel> &describe<Kernel>() {
  static const auto structure =
      Structure<Kernel>("packaged-kernel",
                        "A launch. What is null depends on dynamic extents, or "
                        "needs ptxas.")
          .member("kernel", &Kernel::name, "the function in its module")
          .member("grid", &Kernel::grid, "along x, y and z", "blocks")
          .member("block", &Kernel::block, "along x, y and z", "threads")
          .member("dynamic_shared_bytes", &Kernel::dynamicSharedBytes,
                  "shared memory that the launch asks for, per block", "bytes")
          .member("registers", &Kernel::registers,
                  "per thread, as ptxas reports them")
          .member("spill_bytes", &Kernel::spillBytes,
                  "stored and loaded per thread to spill registers", "bytes")
          .member("local_bytes", &Kernel::localBytes, "local memory per thread",
                  "bytes")
          .member("shared_bytes", &Kernel::sharedBytes,
                  "shared memory per block, static and dynamic", "bytes")
          .member("occupancy", &Kernel::occupancy,
                  "predicted: resident warps as a share of those that a "
                  "multiprocessor can hold");
  return structure;
}

template <>
const Structure<Variant> &describe<Variant>() {
  static const auto structure =
      Structure<Variant>("variant", "A function compiled for one chip.")
          .member("chip", &Variant::chip, "such as sm_90a")
          .member("only_this_chip", &Variant::isExact,
                  "whether no later chip can run it")
          .member("ptx_version", &Variant::ptxVersion, "such as 8.0")
          .member("images", &Variant::images, "files with its kernels")
          .member("schedules", &Variant::schedules,
                  "the #tc.schedule of each contraction, in program order")
          .member("thresholds", &Variant::thresholds,
                  "the defaults of the limits, by name")
          .member("kernels", &Variant::kernels,
                  "in the order of their launches");
  return structure;
}

template <>
const Structure<Entry> &describe<Entry>() {
  static const auto structure =
      Structure<Entry>("entry", "A contraction of the package.")
          .includeBase<Function>()
          .member("variants", &Entry::variants, "one for each chip");
  return structure;
}

template <>
const Structure<Manifest> &describe<Manifest>() {
  static const auto structure =
      Structure<Manifest>("manifest", "What a package says of itself.")
          .includeBase<Head>()
          .member("tool", &Manifest::tool, "the compiler")
          .member("host", &Manifest::host, "the machine that links it")
          .member("entries", &Manifest::entries, "the contractions");
  return structure;
}

} // namespace mlir::tc::schema

std::string mlir::tc::manifest::formatSchema() {
  return schema::formatSchema<Manifest>("manifest of a package");
}
