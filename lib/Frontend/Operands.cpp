//===- Operands.cpp - Operands described in JSON --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/EinsumProblem.h"

#include "tc/Files/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc {

namespace {
using Integers = SmallVector<int64_t>;

Error expected(const Twine &where, const Twine &what) {
  return createStringError(where + ": expected " + what);
}

Expected<int64_t> parseInteger(const json::Value &value, const Twine &where,
                               bool isExtent) {
  std::optional<int64_t> number = value.getAsInteger();
  if (number && !(isExtent && *number < 0))
    return *number;
  // Other numbers of JSON are fractions, or do not fit 64 bits.
  std::string got = value.kind() == json::Value::Number
                        ? formatv(", got {0}", value).str()
                        : std::string();
  return expected(
      where, (isExtent ? "an integer from 0 to 2^63-1" : "an integer") + got);
}

Expected<Integers> parseIntegers(const json::Value &value, const Twine &where,
                                 bool areExtents) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return expected(where, "an array of integers");
  Integers numbers;
  for (auto [i, element] : llvm::enumerate(*array)) {
    if (Error error =
            parseInteger(element, where + "[" + Twine(i) + "]", areExtents)
                .moveInto(numbers.emplace_back()))
      return error;
  }
  return numbers;
}

Error parseMember(StringRef name, const json::Value &value,
                  const std::string &where, OperandDescription &operand) {
  if (name == "shape")
    return parseIntegers(value, where, true).moveInto(operand.shape);
  if (name == "strides")
    return parseIntegers(value, where, false).moveInto(operand.strides);
  if (name == "offset")
    return parseInteger(value, where, true).moveInto(operand.offset);
  if (name == "elements")
    return parseInteger(value, where, true).moveInto(operand.elements);
  if (name != "dtype")
    return createStringError(where + ": expected one of the members shape, "
                                     "strides, offset, elements and dtype");
  auto text = value.getAsString();
  if (!text)
    return expected(where, "the name of an element type");
  return parseElementType(*text).moveInto(operand.type);
}

Expected<OperandDescription> parseOperand(const json::Value &value,
                                          const std::string &where,
                                          bool isResult) {
  OperandDescription operand;
  if (value.getAsArray()) {
    if (Error error = parseIntegers(value, where, true).moveInto(operand.shape))
      return error;
    return operand;
  }
  const json::Object *object = value.getAsObject();
  if (!object)
    return expected(where, "an array of extents, or an object with a shape");
  for (const auto &[key, member] : *object) {
    StringRef name = key;
    if (Error error =
            parseMember(name, member, where + "." + name.str(), operand))
      return error;
  }
  if (!operand.shape && !isResult)
    return expected(where, "a member 'shape'");
  if (operand.shape && operand.strides &&
      operand.strides->size() != operand.shape->size())
    return expected(where + ".strides", Twine(operand.shape->size()) +
                                            " strides, one for each "
                                            "dimension, got " +
                                            Twine(operand.strides->size()));
  return operand;
}

Error parseInputs(const json::Value &value, StringRef name,
                  OperandDescriptions &operands) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return expected(name, "an array of operands");
  for (auto [i, element] : llvm::enumerate(*array)) {
    if (Error error = parseOperand(element, (name + "[" + Twine(i) + "]").str(),
                                   /*isResult=*/false)
                          .moveInto(operands.inputs.emplace_back()))
      return error;
  }
  return Error::success();
}
} // namespace

json::Value EinsumProblem::Operand::layoutToJson() const {
  if (!layout)
    return nullptr;
  return json::Object{{"shape", json::Array(shape)},
                      {"strides", json::Array(layout->strides)},
                      {"offset", layout->offset}};
}

Expected<OperandDescriptions> parseOperands(StringRef text, StringRef name) {
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return createStringError(name + ": " + toString(value.takeError()));
  OperandDescriptions operands;
  if (value->getAsArray()) {
    if (Error error = parseInputs(*value, name, operands))
      return error;
    return operands;
  }
  const json::Object *object = value->getAsObject();
  if (!object || !object->get("inputs"))
    return expected(name, "an array of operands, or an object with the member "
                          "'inputs'");
  for (const auto &[key, member] : *object) {
    std::string where = (name + "." + StringRef(key)).str();
    if (StringRef(key) == "inputs") {
      if (Error error = parseInputs(member, where, operands))
        return error;
    } else if (StringRef(key) == "result") {
      if (Error error = parseOperand(member, where, /*isResult=*/true)
                            .moveInto(operands.result))
        return error;
    } else {
      return expected(where, "only the members 'inputs' and 'result'");
    }
  }
  return operands;
}

} // namespace mlir::tc
