//===- Structure.cpp - A structure described once -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Schema/Structure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using json::OStream;

namespace mlir::tc::schema {

void AnyStructure::write(OStream &json, const void *value) const {
  std::vector<std::pair<std::string, Writer>> members;
  for (const Field &field : data.fields)
    if (!field.isAbsent || !field.isAbsent(value))
      members.emplace_back(field.name,
                           [&](OStream &json) { field.write(json, value); });
  if (data.others)
    data.others->list(value, members);
  if (data.order == Order::Sorted)
    llvm::sort(members, less_first());
  json.object([&] {
    for (const auto &[name, write] : members) {
      json.attributeBegin(name);
      write(json);
      json.attributeEnd();
    }
  });
}

Error AnyStructure::read(const json::Value &from, const Place &place,
                         void *value) const {
  const json::Object *object = from.getAsObject();
  if (!object)
    return place.expected("an object", from);
  for (const Field &field : data.fields) {
    assert((field.read || !field.isRequired) &&
           "a structure that is written only");
    const json::Value *member = object->get(field.name);
    if (!member && field.isRequired)
      return place.error("expected a member '" + field.name + "'");
    if (!member || !field.read)
      continue;
    if (Error error = field.read(*member, Place(place, field.name), value))
      return error;
  }
  return data.isOpen || data.others ? Error::success()
                                    : refuseOthers(*object, place);
}

Error AnyStructure::refuseOthers(const json::Object &object,
                                 const Place &place) const {
  std::vector<StringRef> unknown;
  for (const auto &member : object)
    if (none_of(data.fields,
                [&](const Field &field) { return field.name == member.first; }))
      unknown.push_back(member.first);
  if (unknown.empty())
    return Error::success();
  auto names =
      map_range(data.fields, [](const Field &field) { return field.name; });
  return place.error("expected one of the members " + join(names, ", ") +
                     "; got '" + *llvm::min_element(unknown) + "'");
}

void AnyStructure::describeMembers(OStream &json, Definitions &all) const {
  json.attribute("description", data.about);
  json.attribute("type", "object");
  json.attributeObject("properties", [&] {
    for (const Field &field : data.fields)
      json.attributeObject(field.name, [&] {
        json.attribute("description", field.meaning);
        if (!field.unit.empty())
          json.attribute("unit", field.unit);
        field.describe(json, all);
      });
  });
  json.attributeArray("required", [&] {
    for (const Field &field : data.fields)
      if (field.isRequired)
        json.value(field.name);
  });
  if (data.others)
    json.attributeObject("additionalProperties", [&] {
      json.attribute("description", data.others->meaning);
      data.others->describe(json, all);
    });
  else
    json.attribute("additionalProperties", data.isOpen);
}

} // namespace mlir::tc::schema
