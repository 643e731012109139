//===- Structure.h - A structure described once -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of fields: what is written, read, and documented of a structure.
//
//   struct Loop {
//     unsigned line = 0;
//     std::vector<std::string> notes;
//   };
//
//   template <> const Structure<Loop> &schema::describe<Loop>() {
//     static const auto structure =
//         Structure<Loop>("loop", "A loop of a kernel.")
//             .member("line", &Loop::line, "where it begins in the PTX")
//             .optional("notes", &Loop::notes, "what is to be said of it");
//     return structure;
//   }
//
// Document.h has what is made of that.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEMA_STRUCTURE_H
#define TC_SCHEMA_STRUCTURE_H

#include "tc/Schema/Codec.h"

#include <functional>

namespace mlir::tc::schema {

/// The order in which members are written: that of the description, or sorted,
/// as llvm::json prints objects.
enum class Order { Sorted, AsDescribed };

/// A description without its C++ type. Copies are the same description. It is
/// never freed: the driver of the emulator writes a report when the process
/// exits, after destructors of static variables may have run.
class AnyStructure {
public:
  AnyStructure(llvm::StringRef name, llvm::StringRef about, Order order)
      : data(*new Data{name.str(), about.str(), order, {}, {}}) {}

  llvm::StringRef getName() const { return data.name; } ///< "loop"

  void write(llvm::json::OStream &json, const void *value) const;
  /// Fails at a member that is missing, is not of its type, or is not known.
  /// Members that are computed are not read.
  llvm::Error read(const llvm::json::Value &from, const Place &place,
                   void *value) const;
  /// Writes the members of its JSON Schema: "type", "properties", ...
  void describeMembers(llvm::json::OStream &json, Definitions &all) const;

protected:
  using Writer = std::function<void(llvm::json::OStream &)>;
  struct Field {
    std::string name, meaning, unit;
    bool isRequired;
    /// Null: never.
    std::function<bool(const void *)> isAbsent;
    std::function<void(llvm::json::OStream &, const void *)> write;
    /// Null: computed.
    std::function<llvm::Error(const llvm::json::Value &, const Place &, void *)>
        read;
    void (*describe)(llvm::json::OStream &, Definitions &);
  };
  /// Members whose names are data.
  struct Others {
    std::string meaning;
    std::function<void(const void *,
                       std::vector<std::pair<std::string, Writer>> &)>
        list;
    void (*describe)(llvm::json::OStream &, Definitions &);
  };

  struct Data {
    std::string name, about;
    Order order;
    std::vector<Field> fields;
    std::optional<Others> others;
    bool isOpen = false;
  };
  Data &data;

private:
  llvm::Error refuseOthers(const llvm::json::Object &object,
                           const Place &place) const;

  template <typename>
  friend class Structure;
};

/// Is a member that may be left out to be left out?
template <typename T>
bool isAbsent(const T &value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value == T();
  else
    return value.empty();
}
template <typename T>
bool isAbsent(const std::optional<T> &value) {
  return !value;
}

template <typename T>
bool isAbsent(const T *value) {
  return !value;
}

/// What is not left out.
template <typename T>
const T &getPresent(const T &value) {
  return value;
}
template <typename T>
const T &getPresent(const std::optional<T> &value) {
  return *value;
}
template <typename T>
const T &getPresent(const T *value) {
  return *value;
}

/// Can a T be read? Not what refers to other values, such as a StringRef or a
/// structure of references.
template <typename T, typename Form = Codec<T>, typename = void>
struct IsRead : std::false_type {};
template <typename T, typename Form>
struct IsRead<T, Form, std::void_t<decltype(&Form::read)>>
    : std::is_default_constructible<T> {};
template <typename T>
struct IsRead<std::optional<T>> : IsRead<T> {};
template <typename T>
struct IsRead<std::vector<T>> : IsRead<T> {};
template <typename T, unsigned N>
struct IsRead<llvm::SmallVector<T, N>> : IsRead<T> {};
template <typename T>
struct IsRead<std::vector<std::pair<std::string, T>>> : std::false_type {};

/// The description of `T`. A field's value is a member of `T`, or what a
/// function of `const T &` returns, which is written only. `Form` is the
/// codec of the value where that of its type will not do. `unit` is that of a
/// number, or of numbers: "bytes", "seconds"; empty: a count, or none.
template <typename T>
class Structure : public AnyStructure {
  template <typename Get>
  using Got = std::decay_t<std::invoke_result_t<Get, const T &>>;
  template <typename Get>
  using Present = std::decay_t<decltype(getPresent(std::declval<Got<Get>>()))>;
  template <typename Form, typename Value>
  using CodecOf = std::conditional_t<std::is_void_v<Form>, Codec<Value>, Form>;

public:
  Structure(llvm::StringRef name, llvm::StringRef about,
            Order order = Order::Sorted)
      : AnyStructure(name, about, order) {}

  /// A member that is always there; null for a std::optional without value.
  template <typename Form = void, typename Get>
  Structure &member(llvm::StringRef name, Get get, llvm::StringRef meaning,
                    llvm::StringRef unit = "") {
    using Value = Got<Get>;
    Field &field = add<CodecOf<Form, Value>, Value>(name, get, meaning, unit);
    field.isRequired = true;
    field.write = [get](llvm::json::OStream &json, const void *object) {
      CodecOf<Form, Value>::write(
          json, std::invoke(get, *static_cast<const T *>(object)));
    };
    return *this;
  }

  /// A member that is left out where there is no value: of a std::optional, or
  /// what is empty, 0 or false. Where it is left out, reading changes nothing.
  template <typename Form = void, typename Get>
  Structure &optional(llvm::StringRef name, Get get, llvm::StringRef meaning,
                      llvm::StringRef unit = "") {
    using Value = Present<Get>;
    Field &field = add<CodecOf<Form, Value>, Value>(name, get, meaning, unit);
    field.isRequired = false;
    field.isAbsent = [get](const void *object) {
      return schema::isAbsent(
          std::invoke(get, *static_cast<const T *>(object)));
    };
    field.write = [get](llvm::json::OStream &json, const void *object) {
      const auto &value = std::invoke(get, *static_cast<const T *>(object));
      CodecOf<Form, Value>::write(json, getPresent(value));
    };
    return *this;
  }

  /// The fields of a part of `T`, a member or a base (`getBase`), as its own.
  /// `get` returns a reference.
  template <typename Get>
  Structure &include(Get get) {
    using Part = std::decay_t<std::invoke_result_t<Get, const T &>>;
    auto of = [get](const void *object) -> const void * {
      return &std::invoke(get, *static_cast<const T *>(object));
    };
    for (const Field &field : schema::describe<Part>().data.fields) {
      Field &own = data.fields.emplace_back(field);
      if (field.isAbsent)
        own.isAbsent = [of, absent = field.isAbsent](const void *object) {
          return absent(of(object));
        };
      own.write = [of, write = field.write](llvm::json::OStream &json,
                                            const void *object) {
        write(json, of(object));
      };
      if (field.read)
        // What `of` points to is as mutable as the object that is read.
        own.read = [of, read = field.read](const llvm::json::Value &from,
                                           const Place &place, void *object) {
          return read(from, place, const_cast<void *>(of(object)));
        };
    }
    return *this;
  }
  template <typename Base>
  Structure &includeBase() {
    return include([](const T &value) -> const Base & { return value; });
  }

  /// Members whose names are data: pairs of names and values, which a function
  /// of `const T &` returns.
  template <typename Get>
  Structure &rest(Get get, llvm::StringRef meaning) {
    using Pairs = std::invoke_result_t<Get, const T &>;
    using Value = typename Pairs::value_type::second_type;
    auto list = [get](const void *object,
                      std::vector<std::pair<std::string, Writer>> &members) {
      for (const auto &member : get(*static_cast<const T *>(object)))
        members.emplace_back(
            member.first, [value = member.second](llvm::json::OStream &json) {
              Codec<Value>::write(json, value);
            });
    };
    data.others = {meaning.str(), list, Codec<Value>::describe};
    return *this;
  }

  /// Reading passes over members that are not described.
  Structure &open() {
    data.isOpen = true;
    return *this;
  }

private:
  template <typename Form, typename Value, typename Get>
  Field &add(llvm::StringRef name, Get get, llvm::StringRef meaning,
             llvm::StringRef unit) {
    Field &field = data.fields.emplace_back();
    field.name = name.str();
    field.meaning = meaning.str();
    field.unit = unit.str();
    field.describe = Form::describe;
    if constexpr (std::is_member_object_pointer_v<Get> &&
                  IsRead<Value, Form>::value)
      field.read = [get](const llvm::json::Value &from, const Place &place,
                         void *object) -> llvm::Error {
        Value value{};
        if (llvm::Error error = Form::read(from, place, value))
          return error;
        std::invoke(get, *static_cast<T *>(object)) = std::move(value);
        return llvm::Error::success();
      };
    return field;
  }
};

} // namespace mlir::tc::schema

#endif // TC_SCHEMA_STRUCTURE_H
