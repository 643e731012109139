//===- Operands.cpp - Operands described in JSON --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/EinsumProblem.h"

#include "tc/Schema/Document.h"

using namespace llvm;

namespace mlir::tc {

namespace schema {
namespace {

/// Extents, or an offset.
using Extents = ListCodec<SmallVector<int64_t>, NonNegative>;

/// An element type of an einsum, by name.
struct Type {
  static Error read(const json::Value &from, const Place &place,
                    ElementType &type) {
    std::string name;
    if (Error error = Codec<std::string>::read(from, place, name))
      return error;
    if (Error error = parseElementType(name).moveInto(type))
      return place.error(toString(std::move(error)));
    return Error::success();
  }
  static void write(json::OStream &json, ElementType type) {
    json.value(nameOf(type));
  }
  static void describe(json::OStream &json, Definitions &all) {
    Codec<std::string>::describe(json, all);
  }
};

} // namespace

template <>
const Structure<OperandDescription> &describe<OperandDescription>() {
  using Operand = OperandDescription;
  static const auto structure =
      Structure<Operand>("operand", "An operand as it lies in its buffer.")
          .optional<Extents>("shape", &Operand::shape,
                             "extents; of a result, those that follow from the "
                             "inputs if it is left out",
                             "elements")
          .optional("strides", &Operand::strides,
                    "one for each dimension, of any sign; row-major if they "
                    "are left out",
                    "elements")
          .optional<NonNegative>("offset", &Operand::offset,
                                 "of element [0, ..., 0] in the buffer",
                                 "elements")
          .optional<NonNegative>("elements", &Operand::elements,
                                 "of the whole buffer; as few as will do if "
                                 "they are left out",
                                 "elements")
          .optional<Type>("dtype", &Operand::type,
                          "the type of an element; that of --dtype if it is "
                          "left out");
  return structure;
}

namespace {

/// An array of extents, or an object.
struct AnyOperand {
  static Error read(const json::Value &from, const Place &place,
                    OperandDescription &operand) {
    if (from.getAsArray())
      return Extents::read(from, place, operand.shape.emplace());
    if (!from.getAsObject())
      return place.expected("an array of extents, or an object with a shape",
                            from);
    if (Error error = Codec<OperandDescription>::read(from, place, operand))
      return error;
    if (!operand.shape || !operand.strides ||
        operand.strides->size() == operand.shape->size())
      return Error::success();
    return Place(place, "strides")
        .error("expected " + Twine(operand.shape->size()) +
               " strides, one for each dimension, got " +
               Twine(operand.strides->size()));
  }
  static void write(json::OStream &json, const OperandDescription &operand) {
    Codec<OperandDescription>::write(json, operand);
  }
  static void describe(json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Extents::describe(json, all); });
      json.object([&] { Codec<OperandDescription>::describe(json, all); });
    });
  }
};

struct Input : AnyOperand {
  static Error read(const json::Value &from, const Place &place,
                    OperandDescription &operand) {
    if (Error error = AnyOperand::read(from, place, operand))
      return error;
    if (!operand.shape)
      return place.error("expected a member 'shape'");
    return Error::success();
  }
};

using Inputs = ListCodec<SmallVector<OperandDescription>, Input>;

} // namespace

template <>
const Structure<OperandDescriptions> &describe<OperandDescriptions>() {
  using All = OperandDescriptions;
  static const auto structure =
      Structure<All>("operands", "The operands of an einsum.")
          .member<Inputs>("inputs", &All::inputs, "in the order of the einsum")
          .optional<AnyOperand>("result", &All::result,
                                "where it goes; row-major if it is left out");
  return structure;
}

namespace {

/// An array of inputs, or an object.
struct AllOperands {
  static Error read(const json::Value &from, const Place &place,
                    OperandDescriptions &operands) {
    if (from.getAsArray())
      return Inputs::read(from, place, operands.inputs);
    if (!from.getAsObject())
      return place.expected("an array of operands, or an object with the "
                            "member 'inputs'",
                            from);
    return Codec<OperandDescriptions>::read(from, place, operands);
  }
  static void describe(json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Inputs::describe(json, all); });
      json.object([&] { Codec<OperandDescriptions>::describe(json, all); });
    });
  }
};

} // namespace
} // namespace schema

Expected<OperandDescriptions> parseOperands(StringRef text, StringRef name) {
  Expected<json::Value> value = schema::parseText(text, name);
  if (!value)
    return value.takeError();
  OperandDescriptions operands;
  if (Error error =
          schema::AllOperands::read(*value, schema::Place(name), operands))
    return std::move(error);
  return operands;
}

std::string formatOperandsSchema() {
  return schema::formatSchema("operands", schema::AllOperands::describe);
}

} // namespace mlir::tc
