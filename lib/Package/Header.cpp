//===- Header.cpp - The C header of a package -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prototypes, with what each argument is in words.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Signature.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

/// "const float *A" or "double alpha".
static std::string declare(const PackagedArgument &argument) {
  if (argument.isScalar())
    return argument.cType + " " + argument.name;
  return (argument.isWritten() ? "" : "const ") + argument.cType + " *" +
         argument.name;
}

static SmallVector<std::string> declareParameters(const Signature &signature) {
  return map_to_vector(signature.parameters, [](auto &parameter) {
    return "int64_t " + parameter.name;
  });
}

/// One declaration, a line of it for each argument.
static std::string formatFunction(const Signature &signature, StringRef suffix,
                                  ArrayRef<std::string> parts) {
  std::string start = "int " + signature.symbol() + suffix.str() + "(";
  std::string separator = ",\n" + std::string(start.size(), ' ');
  return start + join(parts, separator) + ")";
}

static SmallVector<std::string> launchParts(const Signature &signature) {
  SmallVector<std::string> parts = map_to_vector(signature.arguments, declare);
  append_range(parts, declareParameters(signature));
  parts.push_back("void *workspace");
  parts.push_back("size_t workspace_bytes");
  return parts;
}

std::string formatPrototype(const Signature &signature) {
  SmallVector<std::string> parts = launchParts(signature);
  parts.push_back("void *stream");
  return formatFunction(signature, "", parts);
}

static std::string nameQuantity(const Signature &signature,
                                tcQuantity quantity) {
  return quantity.kind == TC_PARAMETER
             ? signature.parameters[quantity.value].name
             : itostr(quantity.value);
}

/// "   A[i][k], strides 64, 1: read".
static void describe(raw_ostream &os, const Signature &signature,
                     const PackagedArgument &argument) {
  os << "     " << argument.name;
  if (argument.isScalar()) {
    os << ": " << argument.type << "\n";
    return;
  }
  for (tcQuantity extent : argument.extents)
    os << "[" << nameQuantity(signature, extent) << "]";
  os << ": " << argument.type << ", ";
  if (argument.isRowMajor) {
    os << "row-major";
  } else {
    os << "strides";
    for (tcQuantity stride : argument.strides)
      os << ' ' << nameQuantity(signature, stride);
  }
  if (argument.offset.kind != TC_CONSTANT || argument.offset.value != 0)
    os << " from element " << nameQuantity(signature, argument.offset);
  os << (argument.isOnHost() ? ", in host memory" : "")
     << (argument.isWritten() ? ", written" : "") << "\n";
}

std::string Signature::symbolOf(StringRef threshold) const {
  std::string limit = threshold.str();
  llvm::replace(limit, '.', '_');
  return symbol() + "_threshold_" + limit;
}

/// The variables that may be set.
static void declareThresholds(raw_ostream &os, const Signature &signature) {
  if (signature.thresholds.empty())
    return;
  os << "/** Limits at which `" << signature.symbol()
     << "` takes another version of a nest, 0 for always and\n    INT64_MAX "
        "for "
        "never; negative, as they are to begin with: the default of the\n"
        "    device. To be set while no call runs, and before it is asked how "
        "much workspace\n    is needed. */\n";
  for (StringRef threshold : signature.thresholds)
    os << "extern int64_t " << signature.symbolOf(threshold) << ";\n";
  os << "\n";
}

/// What is asked of buffers in host memory, where there are any.
static void describeHostMemory(raw_ostream &os, const Signature &signature) {
  if (any_of(signature.arguments, [](auto &argument) {
        return !argument.isScalar() && argument.isOnHost();
      }))
    os << "Those in host memory are read and written in\n    the order of the "
          "stream, which the caller waits for; where they are not pinned,\n"
          "    the driver may make the call wait. ";
}

static void formatEntry(raw_ostream &os, const Signature &signature) {
  os << "/** " << signature.text << "\n\n";
  for (const PackagedArgument &argument : signature.arguments)
    describe(os, signature, argument);
  os << "\n    Launches on `stream` (a CUstream or cudaStream_t; null: the "
        "default stream) and\n    returns at once. Buffers lie on the device. ";
  describeHostMemory(os, signature);
  os << "`workspace` is device memory of the\n    caller, at a multiple of 256 "
        "bytes and free until the work is done; null where\n    "
     << signature.symbol()
     << "_workspace_size gives 0. Returns a tcStatus. */\n"
     << formatPrototype(signature) << ";\n\n";
  os << "/** The same on the CPU, in host memory; done when it returns. Where "
        "`workspace` is\n    null, what is needed is allocated for the call. "
        "*/\n"
     << formatFunction(signature, "_cpu", launchParts(signature)) << ";\n\n";
  SmallVector<std::string> parts = declareParameters(signature);
  parts.push_back("size_t *bytes");
  os << "/** Bytes of workspace that are enough on every device; and on the "
        "CPU. */\n"
     << formatFunction(signature, "_workspace_size", parts) << ";\n"
     << formatFunction(signature, "_cpu_workspace_size", parts) << ";\n\n";
  os << "/** Loads the kernels now, which the first call would do: for the "
        "device of\n    `stream`, or of the current context; device 0 if there "
        "is neither. */\n"
     << formatFunction(signature, "_prepare", {"void *stream"}) << ";\n\n";
  declareThresholds(os, signature);
}

std::string formatHeader(StringRef package,
                         ArrayRef<const Signature *> signatures) {
  std::string text, guard = "TC_PACKAGE_" + package.upper() + "_H";
  raw_string_ostream os(text);
  os << "/* Contractions compiled by tc. Link with this package's library and "
        "with\n   libtc-runtime. */\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"tc-runtime/tc_status.h\"\n\n"
     << "#include <stddef.h>\n#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const Signature *signature : signatures)
    formatEntry(os, *signature);
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}

} // namespace mlir::tc
