//===- Codec.h - C++ types as JSON ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a value of each type is written, read, and described in JSON Schema.
// Structures are described field by field (Structure.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEMA_CODEC_H
#define TC_SCHEMA_CODEC_H

#include "tc/Schema/Describe.h"
#include "tc/Schema/Place.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mlir::tc::schema {

class AnyStructure;

/// Structures that a schema refers to, which it has to describe, too.
class Definitions {
public:
  /// Writes the member "$ref" of the schema that `json` is in.
  void refer(llvm::json::OStream &json, const AnyStructure &structure);
  /// Writes "$defs", where there are any.
  void write(llvm::json::OStream &json);

private:
  std::vector<const AnyStructure *> found;
};

/// How a type is written, read and described. To be specialised for what is
/// neither a structure nor one of the types below:
///
///   // Writes a value.
///   static void write(llvm::json::OStream &json, const T &value);
///   // Reads one. Fails with its place, what was expected and what it got.
///   // Not there for what is written only, such as a StringRef.
///   static llvm::Error read(const llvm::json::Value &from,
///                           const Place &place, T &value);
///   // Writes the members of its JSON Schema: "type", ...
///   static void describe(llvm::json::OStream &json, Definitions &all);
///
/// This one is for structures.
template <typename T, typename>
struct Codec {
  static_assert(std::is_class_v<T>);
  static void write(llvm::json::OStream &json, const T &value) {
    tc::schema::describe<T>().write(json, &value);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          T &value) {
    return tc::schema::describe<T>().read(from, place, &value);
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    all.refer(json, tc::schema::describe<T>());
  }
};

//===----------------------------------------------------------------------===//
// Numbers, text
//===----------------------------------------------------------------------===//

template <>
struct Codec<bool> {
  static void write(llvm::json::OStream &json, bool value) {
    json.value(value);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          bool &value);
  static void describe(llvm::json::OStream &json, Definitions &all);
};

llvm::Error readInteger(const llvm::json::Value &from, const Place &place,
                        int64_t least, int64_t most, int64_t &value);
llvm::Error readInteger(const llvm::json::Value &from, const Place &place,
                        uint64_t least, uint64_t most, uint64_t &value);
/// Those of 64 bits have no "maximum": readers of schemas may know no more than
/// a double holds.
void describeInteger(llvm::json::OStream &json, bool isSigned, unsigned bits);

/// Of any width. What does not fit is refused, and so is a fraction.
template <typename T>
struct Codec<T, std::enable_if_t<std::is_integral_v<T>>> {
  static void write(llvm::json::OStream &json, T value) { json.value(value); }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          T &value) {
    using Limits = std::numeric_limits<T>;
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> wide = 0;
    if (llvm::Error error =
            readInteger(from, place, decltype(wide)(Limits::min()),
                        decltype(wide)(Limits::max()), wide))
      return error;
    value = T(wide);
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &) {
    describeInteger(json, std::is_signed_v<T>, 8 * sizeof(T));
  }
};

/// An integer of 64 bits that is at least 0, for values that are signed for
/// other reasons: extents, bounds.
struct NonNegative {
  static void write(llvm::json::OStream &json, int64_t value) {
    json.value(value);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          int64_t &value) {
    return readInteger(from, place, int64_t(0), INT64_MAX, value);
  }
  static void describe(llvm::json::OStream &json, Definitions &) {
    describeInteger(json, /*isSigned=*/false, 64);
  }
};

/// With all its digits. JSON has no infinity: that and NaN are null.
template <>
struct Codec<double> {
  static void write(llvm::json::OStream &json, double value);
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          double &value);
  static void describe(llvm::json::OStream &json, Definitions &all);
};

/// A number with as many digits as it deserves, by a format of printf; null
/// where there is none, or no finite one. It is written only.
struct Rounded {
  Rounded(std::optional<double> value, const char *format = "%.6g")
      : value(value), format(format) {}
  std::optional<double> value;
  const char *format;
};
template <>
struct Codec<Rounded> {
  static void write(llvm::json::OStream &json, const Rounded &number);
  static void describe(llvm::json::OStream &json, Definitions &all);
};

/// Whatever it is. Nothing is said of it.
template <>
struct Codec<llvm::json::Value> {
  static void write(llvm::json::OStream &json, const llvm::json::Value &value) {
    json.value(value);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &,
                          llvm::json::Value &value) {
    value = from;
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &, Definitions &) {}
};

/// Bytes that are not UTF-8 are written as U+FFFD.
template <>
struct Codec<llvm::StringRef> {
  static void write(llvm::json::OStream &json, llvm::StringRef text);
  static void describe(llvm::json::OStream &json, Definitions &all);
};
template <>
struct Codec<std::string> : Codec<llvm::StringRef> {
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          std::string &text);
};

llvm::Error readName(const llvm::json::Value &from, const Place &place,
                     llvm::ArrayRef<llvm::StringLiteral> names, size_t &index);
void describeNames(llvm::json::OStream &json,
                   llvm::ArrayRef<llvm::StringLiteral> names);

/// By name.
template <typename E>
struct Codec<E, std::enable_if_t<std::is_enum_v<E>>> {
  static void write(llvm::json::OStream &json, E value) {
    json.value(getNames<E>()[size_t(value)]);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          E &value) {
    size_t index = 0;
    if (llvm::Error error = readName(from, place, getNames<E>(), index))
      return error;
    value = E(index);
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &) {
    describeNames(json, getNames<E>());
  }
};

//===----------------------------------------------------------------------===//
// What is made of other types
//===----------------------------------------------------------------------===//

/// Null, or a value.
template <typename T>
struct Codec<std::optional<T>> {
  static void write(llvm::json::OStream &json, const std::optional<T> &value) {
    if (value)
      Codec<T>::write(json, *value);
    else
      json.value(nullptr);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          std::optional<T> &value) {
    value.reset();
    if (from.kind() == llvm::json::Value::Null)
      return llvm::Error::success();
    return Codec<T>::read(from, place, value.emplace());
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Codec<T>::describe(json, all); });
      json.object([&] { json.attribute("type", "null"); });
    });
  }
};

/// The same, written only.
template <typename T>
struct Codec<const T *> {
  static void write(llvm::json::OStream &json, const T *value) {
    if (value)
      Codec<T>::write(json, *value);
    else
      json.value(nullptr);
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    Codec<std::optional<T>>::describe(json, all);
  }
};

template <typename Form, typename Range>
void writeArray(llvm::json::OStream &json, const Range &range) {
  json.array([&] {
    for (const auto &element : range)
      Form::write(json, element);
  });
}

template <typename Form>
void describeArray(llvm::json::OStream &json, Definitions &all) {
  json.attribute("type", "array");
  json.attributeObject("items", [&] { Form::describe(json, all); });
}

template <typename T>
struct Codec<llvm::ArrayRef<T>> {
  static void write(llvm::json::OStream &json, llvm::ArrayRef<T> list) {
    writeArray<Codec<T>>(json, list);
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    describeArray<Codec<T>>(json, all);
  }
};

/// An array of any length, its elements by `Form`, a codec.
template <typename List, typename Form = Codec<typename List::value_type>>
struct ListCodec {
  static void write(llvm::json::OStream &json, const List &list) {
    writeArray<Form>(json, list);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          List &list) {
    const llvm::json::Array *array = from.getAsArray();
    if (!array)
      return place.expected("an array", from);
    list.clear();
    for (size_t i = 0; i < array->size(); ++i)
      if (llvm::Error error =
              Form::read((*array)[i], Place(place, i), list.emplace_back()))
        return error;
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    describeArray<Form>(json, all);
  }
};
template <typename T>
struct Codec<std::vector<T>> : ListCodec<std::vector<T>> {};
template <typename T, unsigned N>
struct Codec<llvm::SmallVector<T, N>> : ListCodec<llvm::SmallVector<T, N>> {};

/// An array of `N` elements.
template <typename T, size_t N>
struct Codec<std::array<T, N>> {
  static void write(llvm::json::OStream &json, const std::array<T, N> &list) {
    writeArray<Codec<T>>(json, list);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          std::array<T, N> &list) {
    const llvm::json::Array *array = from.getAsArray();
    if (!array || array->size() != N)
      return place.expected("an array of " + llvm::Twine(N) + " elements",
                            from);
    for (size_t i = 0; i < N; ++i)
      if (llvm::Error error =
              Codec<T>::read((*array)[i], Place(place, i), list[i]))
        return error;
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    describeArray<Codec<T>>(json, all);
    json.attribute("minItems", N);
    json.attribute("maxItems", N);
  }
};

/// An object with one member per name, whatever the names are, and values by
/// `Form`, a codec: in the order of a list of pairs, or sorted.
template <typename Map, typename Form>
struct MapCodec {
  static void write(llvm::json::OStream &json, const Map &map) {
    json.object([&] {
      for (const auto &[name, value] : map) {
        json.attributeBegin(llvm::json::fixUTF8(name));
        Form::write(json, value);
        json.attributeEnd();
      }
    });
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          Map &map) {
    const llvm::json::Object *object = from.getAsObject();
    if (!object)
      return place.expected("an object", from);
    map.clear();
    for (const auto &[name, value] : *object)
      if (llvm::Error error =
              Form::read(value, Place(place, name), map[name.str()]))
        return error;
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    json.attribute("type", "object");
    json.attributeObject("additionalProperties",
                         [&] { Form::describe(json, all); });
  }
};
template <typename T>
struct Codec<std::vector<std::pair<std::string, T>>>
    : MapCodec<std::vector<std::pair<std::string, T>>, Codec<T>> {};
template <typename T>
struct Codec<std::map<std::string, T>>
    : MapCodec<std::map<std::string, T>, Codec<T>> {};

/// One or the other: `B` is read from text, and `A` from what is none.
template <typename A>
struct Codec<std::variant<A, std::string>> {
  using Either = std::variant<A, std::string>;
  static void write(llvm::json::OStream &json, const Either &value) {
    if (auto *text = std::get_if<std::string>(&value))
      return Codec<std::string>::write(json, *text);
    Codec<A>::write(json, std::get<A>(value));
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          Either &value) {
    if (from.getAsString())
      return Codec<std::string>::read(from, place,
                                      value.template emplace<std::string>());
    return Codec<A>::read(from, place, value.template emplace<A>());
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Codec<A>::describe(json, all); });
      json.object([&] { Codec<std::string>::describe(json, all); });
    });
  }
};

} // namespace mlir::tc::schema

#endif // TC_SCHEMA_CODEC_H
