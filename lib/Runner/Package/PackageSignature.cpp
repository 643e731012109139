//===- PackageSignature.cpp - The C interface of a program ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and types of arguments, and which extents, strides and offsets the
// caller has to give: one parameter for all extents that are equal.
//
//===----------------------------------------------------------------------===//

#include "Package/ArgumentNames.h"

#include "tc/IR/TC.h"
#include "tc/Runner/Package.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// A dimension of an argument.
using Dim = std::pair<unsigned, unsigned>;

/// Builds one signature.
class SignatureBuilder {
public:
  SignatureBuilder(Program &program, ArrayRef<Type> types)
      : program(program), types(types),
        names(nameArguments(program, types.size())) {}

  llvm::Expected<Signature> build(ArrayRef<bool> isWritten);

private:
  void joinEqualExtents();
  void joinDims(ValueRange operands, ArrayRef<AffineMap> maps);
  tcQuantity parameter(const std::string &name, bool isExtent);
  tcQuantity extentOf(unsigned argument, unsigned dim);
  llvm::Error setElement(PackagedArgument &argument, Type type);
  llvm::Error setBuffer(PackagedArgument &argument, MemRefType type,
                        unsigned number);

  Program &program;
  ArrayRef<Type> types;
  std::vector<std::string> names;
  llvm::EquivalenceClasses<Dim> equal;
  Signature signature;
};
} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Of an element, or a part of a complex one: real and imaginary parts in turn.
static std::string cTypeOf(ElementType type) {
  unsigned bytes = bytesOf(partOf(type));
  switch (kindOf(type)) {
  case ElementKind::integer:
    return "int" + std::to_string(8 * bytes) + "_t";
  case ElementKind::real:
  case ElementKind::complex:
    if (bytes >= 4)
      return bytes == 4 ? "float" : "double";
    [[fallthrough]]; // C has no type for halves: their bits
  case ElementKind::boolean:
  case ElementKind::natural:
    return "uint" + std::to_string(8 * bytes) + "_t";
  }
  llvm_unreachable("closed set");
}

static uint32_t elementTypeOf(ElementType type) {
  unsigned bits = 8 * bytesOf(type);
  switch (kindOf(type)) {
  case ElementKind::boolean:
    return TC_ELEMENT_TYPE(TC_CODE_BOOL, bits);
  case ElementKind::integer:
    return TC_ELEMENT_TYPE(TC_CODE_INT, bits);
  case ElementKind::natural:
    return TC_ELEMENT_TYPE(TC_CODE_UINT, bits);
  case ElementKind::complex:
    return TC_ELEMENT_TYPE(TC_CODE_COMPLEX, bits);
  case ElementKind::real:
    break;
  }
  if (type == ElementType::f8e4m3)
    return TC_ELEMENT_TYPE(TC_CODE_FLOAT8_E4M3, bits);
  if (type == ElementType::f8e5m2)
    return TC_ELEMENT_TYPE(TC_CODE_FLOAT8_E5M2, bits);
  return TC_ELEMENT_TYPE(
      type == ElementType::bf16 ? TC_CODE_BFLOAT : TC_CODE_FLOAT, bits);
}

llvm::Error SignatureBuilder::setElement(PackagedArgument &argument,
                                         Type type) {
  if (isa<IndexType>(type) && argument.isScalar()) {
    argument.type = "index";
    argument.cType = "int64_t";
    argument.elementBytes = 8;
    argument.elementType = TC_ELEMENT_TYPE(TC_CODE_INT, 64);
    return llvm::Error::success();
  }
  std::optional<ElementType> element = findElementType(type);
  bool isPair = element && kindOf(*element) == ElementKind::complex;
  if (!element || (argument.isScalar() && isPair))
    return llvm::createStringError("argument '" + argument.name +
                                   "': expected a type that C has, got " +
                                   llvm::to_string(type));
  argument.type = nameOf(*element).str();
  argument.cType = cTypeOf(*element);
  argument.elementBytes = bytesOf(*element);
  argument.elementType = elementTypeOf(*element);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// Dimensions that one iterator walks have one extent.
void SignatureBuilder::joinDims(ValueRange operands, ArrayRef<AffineMap> maps) {
  std::map<unsigned, Dim> dimOf;
  for (auto [operand, map] : llvm::zip(operands, maps)) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &program.function().front())
      continue;
    for (auto [number, expr] : llvm::enumerate(map.getResults())) {
      auto iterator = dyn_cast<AffineDimExpr>(expr);
      if (!iterator)
        continue;
      Dim dim(argument.getArgNumber(), number);
      auto known = dimOf.try_emplace(iterator.getPosition(), dim).first;
      equal.unionSets(known->second, dim);
    }
  }
}

void SignatureBuilder::joinEqualExtents() {
  program.function().walk([&](Operation *op) {
    if (auto contract = dyn_cast<ContractOp>(op))
      joinDims(contract->getOperands(), contract.getMaps());
    else if (auto generic = dyn_cast<linalg::LinalgOp>(op))
      joinDims(generic->getOperands(), generic.getIndexingMapsArray());
  });
}

tcQuantity SignatureBuilder::parameter(const std::string &name, bool isExtent) {
  auto *found =
      llvm::find_if(signature.parameters, [&](const PackagedParameter &known) {
        return known.name == name;
      });
  int64_t number = found - signature.parameters.begin();
  if (found == signature.parameters.end())
    signature.parameters.push_back({name, isExtent});
  return {number, TC_PARAMETER};
}

/// A dynamic one.
tcQuantity SignatureBuilder::extentOf(unsigned argument, unsigned dim) {
  if (program.problem) {
    const EinsumProblem &problem = *program.problem;
    const EinsumProblem::Operand &operand = argument < problem.inputs.size()
                                                ? problem.inputs[argument]
                                                : problem.output;
    if (std::optional<unsigned> iterator = operand.iterators[dim])
      return parameter("extent_" + problem.iterators[*iterator].name, true);
  }
  Dim leader(argument, dim);
  for (Dim other : equal.members(leader))
    leader = std::min(leader, other);
  return parameter(
      names[leader.first] + "_extent" + std::to_string(leader.second), true);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

llvm::Error SignatureBuilder::setBuffer(PackagedArgument &argument,
                                        MemRefType type, unsigned number) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return llvm::createStringError("argument '" + argument.name +
                                   "': expected a buffer with strides");
  argument.isRowMajor = type.getLayout().isIdentity();
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    argument.extents.push_back(ShapedType::isDynamic(extent)
                                   ? extentOf(number, dim)
                                   : tcQuantity{extent, TC_CONSTANT});
  auto given = [&](int64_t value, const std::string &suffix) {
    return ShapedType::isDynamic(value)
               ? parameter(argument.name + suffix, /*isExtent=*/false)
               : tcQuantity{value, TC_CONSTANT};
  };
  for (auto [dim, stride] : llvm::enumerate(strides))
    argument.strides.push_back(
        argument.isRowMajor && ShapedType::isDynamic(stride)
            ? tcQuantity{0, TC_ROW_MAJOR}
            : given(stride, "_stride" + std::to_string(dim)));
  argument.offset = given(offset, "_offset");
  return llvm::Error::success();
}

llvm::Expected<Signature> SignatureBuilder::build(ArrayRef<bool> isWritten) {
  joinEqualExtents();
  signature.name = program.name;
  signature.text = program.problem ? "The einsum " + program.problem->text + "."
                                   : "The function " + program.name + ".";
  for (auto [number, type] : llvm::enumerate(types)) {
    PackagedArgument argument;
    argument.name = names[number];
    auto buffer = dyn_cast<MemRefType>(type);
    argument.role = !buffer             ? TC_SCALAR
                    : isWritten[number] ? TC_READ | TC_WRITTEN
                                        : TC_READ;
    if (HostAttr::isSpaceOf(type))
      argument.role |= TC_HOST;
    if (llvm::Error error =
            setElement(argument, buffer ? buffer.getElementType() : type))
      return std::move(error);
    if (buffer)
      if (llvm::Error error = setBuffer(argument, buffer, number))
        return std::move(error);
    signature.arguments.push_back(std::move(argument));
  }
  return std::move(signature);
}

llvm::Error checkPackageName(StringRef name) {
  bool isIdentifier = !name.empty() && llvm::all_of(name, [](char letter) {
    return llvm::isAlnum(letter) || letter == '_';
  });
  if (isIdentifier)
    return llvm::Error::success();
  return llvm::createStringError("expected a name of letters, digits and "
                                 "underscores, for C, got '" +
                                 name + "'");
}

llvm::Expected<Signature> makeSignature(Program &program, ArrayRef<Type> types,
                                        ArrayRef<bool> isWritten) {
  if (llvm::Error error = checkPackageName(program.name))
    return std::move(error);
  return SignatureBuilder(program, types).build(isWritten);
}

} // namespace mlir::tc
