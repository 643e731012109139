//===- NumpyFile.cpp - Arrays in NumPy's file format ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Arrays/NumpyFile.h"

#include "tc/Files/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <numeric>
#include <optional>

using namespace llvm;

namespace mlir::tc {

static constexpr StringLiteral magic("\x93NUMPY");

namespace {
/// The dictionary that precedes the data.
struct Header {
  std::string descr;
  std::optional<bool> fortranOrder;
  std::optional<SmallVector<int64_t>> shape;
};

/// Reads the header: a Python dictionary of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  /// Nothing when the text is no such dictionary.
  std::optional<Header> parse() {
    Header header;
    if (!consume("{"))
      return std::nullopt;
    while (!consume("}")) {
      if (!parseEntry(header))
        return std::nullopt;
      consume(",");
    }
    if (header.descr.empty() || !header.fortranOrder || !header.shape)
      return std::nullopt;
    return header;
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim(" \t\n");
    return rest.consume_front(token);
  }

  std::optional<std::string> parseString() {
    rest = rest.ltrim(" \t\n");
    if (!rest.starts_with("'") && !rest.starts_with("\""))
      return std::nullopt;
    char quote = rest.front();
    size_t end = rest.find(quote, 1);
    if (end == StringRef::npos)
      return std::nullopt;
    std::string text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }

  std::optional<SmallVector<int64_t>> parseTuple() {
    SmallVector<int64_t> shape;
    if (!consume("("))
      return std::nullopt;
    while (!consume(")")) {
      rest = rest.ltrim(" \t\n");
      int64_t extent;
      if (rest.consumeInteger(10, extent) || extent < 0)
        return std::nullopt;
      rest.consume_front("L"); // Python 2 wrote long integers so
      shape.push_back(extent);
      consume(",");
    }
    return shape;
  }

  bool parseEntry(Header &header) {
    std::optional<std::string> key = parseString();
    if (!key || !consume(":"))
      return false;
    if (*key == "descr") {
      std::optional<std::string> descr = parseString();
      header.descr = descr.value_or("");
      return descr.has_value();
    }
    if (*key == "fortran_order") {
      if (consume("True"))
        header.fortranOrder = true;
      else if (consume("False"))
        header.fortranOrder = false;
      return header.fortranOrder.has_value();
    }
    if (*key == "shape") {
      header.shape = parseTuple();
      return header.shape.has_value();
    }
    return false;
  }

  StringRef rest;
};
} // namespace

std::optional<int64_t> countBytes(ElementType type, ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t bytes = bytesOf(type);
  for (int64_t extent : shape)
    if (MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

void forEachPlace(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                  function_ref<void(int64_t)> visit) {
  int64_t place = 0;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t count = llvm::product_of(shape); count != 0; --count) {
    visit(place);
    for (size_t dim = shape.size(); dim-- != 0;) {
      place += strides[dim];
      if (++index[dim] != shape[dim])
        break;
      place -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

/// `source` holds an array of `shape` in Fortran order (the first index
/// fastest); writes it to `target` with the last index fastest.
static void reorder(StringRef source, ArrayRef<int64_t> shape,
                    unsigned elementBytes, std::vector<char> &target) {
  SmallVector<int64_t> strides(shape.size());
  std::exclusive_scan(shape.begin(), shape.end(), strides.begin(),
                      int64_t(elementBytes), std::multiplies<>());
  char *to = target.data();
  forEachPlace(shape, strides, [&](int64_t place) {
    std::memcpy(to, source.data() + place, elementBytes);
    to += elementBytes;
  });
}

/// Splits the file into the text of the header and the data.
static std::optional<std::pair<StringRef, StringRef>>
splitFile(StringRef contents) {
  if (!contents.consume_front(magic) || contents.size() < 2)
    return std::nullopt;
  unsigned major = uint8_t(contents[0]);
  contents = contents.drop_front(2);
  if (major < 1 || major > 3)
    return std::nullopt;
  size_t field = major == 1 ? 2 : 4;
  if (contents.size() < field)
    return std::nullopt;
  size_t length = major == 1 ? support::endian::read16le(contents.data())
                             : support::endian::read32le(contents.data());
  contents = contents.drop_front(field);
  if (contents.size() < length)
    return std::nullopt;
  return std::make_pair(contents.take_front(length),
                        contents.drop_front(length));
}

/// The type of "<f4": byte order, kind, size. One byte has no order, and so,
/// to NumPy itself, has bf16. One byte of no meaning is the first of the types
/// that are written so.
static std::optional<ElementType> findNumpyType(StringRef descr) {
  if (descr == "<f1" || descr == "|f1")
    return ElementType::f8e5m2;
  for (ElementType type : kElementTypes) {
    StringRef name = numpyNameOf(type);
    bool hasOrder = bytesOf(type) > 1 && type != ElementType::bf16;
    if (descr == name ||
        (!hasOrder && descr.size() > 1 && StringRef("<|").contains(descr[0]) &&
         descr.drop_front() == name.drop_front()))
      return type;
  }
  return std::nullopt;
}

static Error fail(StringRef name, const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           "'" + name + "': " + message);
}

namespace {
/// A file whose header is read and whose data may be incomplete.
struct Preamble {
  NumpyArray array; ///< without its bytes
  bool isFortranOrder;
  StringRef data;   ///< what follows the header
  int64_t expected; ///< bytes of data
};
} // namespace

static Expected<Preamble> parsePreamble(StringRef contents, StringRef name) {
  auto parts = splitFile(contents);
  if (!parts)
    return fail(name, "expected a .npy file of version 1, 2 or 3");
  auto [text, data] = *parts;
  std::optional<Header> header = HeaderParser(text).parse();
  if (!header)
    return fail(name, "malformed .npy header, or one of a structured type");
  std::optional<ElementType> type = findNumpyType(header->descr);
  if (!type)
    return fail(name,
                "expected little-endian integers, floating-point or complex "
                "numbers, or truth values, got elements of type '" +
                    header->descr + "'");
  std::optional<int64_t> bytes = countBytes(*type, *header->shape);
  if (!bytes)
    return fail(name, "expected fewer than 2^63 bytes of data");
  return Preamble{
      {*type, *header->shape, {}}, *header->fortranOrder, data, *bytes};
}

Expected<NumpyArray> parseNumpy(StringRef contents, StringRef name) {
  Expected<Preamble> preamble = parsePreamble(contents, name);
  if (!preamble)
    return preamble.takeError();
  auto [array, isFortranOrder, data, expected] = *preamble;
  if (uint64_t(expected) != data.size())
    return fail(name, "expected " + Twine(expected) + " bytes of data, got " +
                          Twine(data.size()));
  array.bytes.assign(data.begin(), data.end());
  if (isFortranOrder)
    reorder(data, array.shape, bytesOf(array.type), array.bytes);
  return array;
}

Expected<NumpyArray> readNumpy(StringRef path) {
  // A device or a pipe has as much as its header says.
  auto buffer = readFile(path, [&](StringRef head) -> Expected<uint64_t> {
    Expected<Preamble> preamble = parsePreamble(head, path);
    if (!preamble)
      return preamble.takeError();
    return uint64_t(head.size() - preamble->data.size()) + preamble->expected;
  });
  if (!buffer)
    return buffer.takeError();
  return parseNumpy((*buffer)->getBuffer(), path);
}

static std::string formatShape(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Error checkNumpy(NumpyArray &array, StringRef path, ElementType type,
                 ArrayRef<int64_t> shape) {
  // What NumPy itself has for the bits of a float that it does not have.
  bool isF8 = kindOf(type) == ElementKind::real && bytesOf(type) == 1;
  if ((type == ElementType::bf16 && array.type == ElementType::u16) ||
      (isF8 && array.type == ElementType::u8) ||
      (isF8 && array.type == ElementType::f8e4m3))
    array.type = type;
  if (array.type != type)
    return fail(path, "expected elements of type " + nameOf(type) + ", got " +
                          nameOf(array.type));
  if (ArrayRef<int64_t>(array.shape) != shape)
    return fail(path, "expected shape " + formatShape(shape) + ", got " +
                          formatShape(array.shape));
  return Error::success();
}

std::string formatNumpy(const NumpyArray &array) {
  std::string header =
      "{'descr': '" + numpyNameOf(array.type).str() +
      "', 'fortran_order': False, 'shape': " + formatShape(array.shape) + ", }";
  // Data start at a multiple of 64; the header ends with a newline.
  size_t prefix = magic.size() + 2 + 2;
  header.resize(alignTo(prefix + header.size() + 1, 64) - prefix - 1, ' ');
  header += '\n';
  char length[2];
  support::endian::write16le(length, header.size());
  std::string file = magic.str() + std::string("\x01\x00", 2);
  file.append(length, 2);
  file += header;
  file.append(array.bytes.data(), array.bytes.size());
  return file;
}

} // namespace mlir::tc
