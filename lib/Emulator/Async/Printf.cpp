//===- Printf.cpp - Text that kernels print -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the format into conversions and gives each to the host's snprintf,
// with the argument's own size spelled out.
//
//===----------------------------------------------------------------------===//

#include "Async/Printf.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstdio>

using llvm::StringRef;

namespace tc::emulator {

namespace {

class Formatter {
public:
  Formatter(StringRef format, const PrintfReader &reader)
      : rest(format), reader(reader) {}

  bool run() {
    while (!rest.empty()) {
      size_t plain = rest.find('%');
      text += rest.take_front(plain).str();
      rest = rest.substr(plain);
      if (!rest.empty() && !convert())
        return false;
    }
    return true;
  }

  std::string text;
  unsigned taken = 0;

private:
  bool convert();
  bool takeNumber();
  bool append(char kind, StringRef size);
  bool take(unsigned bytes, uint64_t &value);
  template <typename T>
  void print(const char *size, char kind, T value);

  StringRef rest;
  const PrintfReader &reader;
  std::string spec; ///< "%-8.3" of the conversion at hand
  uint64_t offset = 0;
};

/// The next argument; false where there is none or it cannot be read.
bool Formatter::take(unsigned bytes, uint64_t &value) {
  offset = (offset + bytes - 1) / bytes * bytes;
  std::optional<uint64_t> read = reader.argument(offset, bytes);
  if (!read)
    return false;
  offset += bytes;
  ++taken;
  value = *read;
  return true;
}

template <typename T>
void Formatter::print(const char *size, char kind, T value) {
  std::string full = spec + size + kind;
  int length = std::snprintf(nullptr, 0, full.c_str(), value);
  if (length < 0)
    return;
  std::string out(length + 1, '\0');
  std::snprintf(out.data(), out.size(), full.c_str(), value);
  text.append(out, 0, length);
}

/// A width or a precision: digits, or `*` and an argument.
bool Formatter::takeNumber() {
  if (!rest.consume_front("*")) {
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    spec += digits.take_front(6).str();
    rest = rest.substr(digits.size());
    return true;
  }
  uint64_t value;
  if (!take(4, value))
    return false;
  int32_t number = value;
  bool isPrecision = spec.back() == '.';
  // A negative precision is none, a negative width a flag.
  if (isPrecision && number < 0)
    spec.pop_back();
  else
    spec += std::to_string(number);
  return true;
}

/// `rest` begins with a conversion. One that is not known, or that has no
/// argument left, is printed as it stands.
bool Formatter::convert() {
  StringRef whole = rest;
  rest = rest.drop_front();
  if (rest.consume_front("%")) {
    text += '%';
    return true;
  }
  StringRef flags =
      rest.take_while([](char c) { return StringRef("-+ #0").contains(c); });
  rest = rest.substr(flags.size());
  size_t stars = rest.take_while([](char c) {
                       return llvm::isDigit(c) || c == '*' || c == '.';
                     })
                     .count('*');
  bool isBeyond = taken + stars >= maxPrintfArguments;
  spec = "%" + flags.str();
  unsigned before = taken;
  uint64_t offsetBefore = offset;
  if (!isBeyond && !takeNumber())
    return false;
  if (!isBeyond && rest.consume_front(".")) {
    spec += '.';
    if (!takeNumber())
      return false;
  }
  if (isBeyond)
    rest = rest.drop_while(
        [](char c) { return llvm::isDigit(c) || c == '*' || c == '.'; });
  StringRef size =
      rest.take_while([](char c) { return StringRef("hlLjzt").contains(c); });
  rest = rest.substr(size.size());
  char kind = rest.empty() ? '\0' : rest.front();
  bool isKnown = kind && StringRef("diouxXpcsaAeEfFgG").contains(kind);
  rest = rest.drop_front(rest.empty() ? 0 : 1);
  if (isKnown && !isBeyond)
    return append(kind, size);
  taken = before;
  offset = offsetBefore;
  text += whole.drop_back(rest.size()).str();
  return true;
}

bool Formatter::append(char kind, StringRef size) {
  bool isLong = size.contains('l') || size.contains('j') ||
                size.contains('z') || size.contains('t');
  bool isReal = StringRef("aAeEfFgG").contains(kind);
  bool isPointer = kind == 'p' || kind == 's';
  uint64_t value;
  if (!take(isReal || isPointer || (isLong && kind != 'c') ? 8 : 4, value))
    return false;
  if (isReal) {
    print("", kind, llvm::bit_cast<double>(value));
  } else if (kind == 'p') {
    print("", kind, reinterpret_cast<void *>(value));
  } else if (kind == 's') {
    std::optional<std::string> string =
        value ? reader.string(value) : std::string("(null)");
    if (!string)
      return false;
    print("", kind, string->c_str());
  } else if (kind == 'c') {
    print("", kind, int(value));
  } else if (isLong) {
    print("ll", kind, static_cast<long long>(value));
  } else {
    print(size == "hh" ? "hh" : size == "h" ? "h" : "", kind, int(value));
  }
  return true;
}

} // namespace

std::optional<std::string>
formatPrintf(StringRef format, const PrintfReader &reader, unsigned &count) {
  Formatter formatter(format, reader);
  if (!formatter.run())
    return std::nullopt;
  count = formatter.taken;
  return std::move(formatter.text);
}

} // namespace tc::emulator
