//===- KernelArgument.cpp - Arguments of a described launch ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of scalars and buffers of every element type.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelLaunch.h"

#include "Run/HostArray.h"

#include "tc/Runner/Program.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <random>

using namespace llvm;

namespace mlir::tc {

static bool isFloat(ElementType type) {
  return kindOf(type) == ElementKind::real;
}

static std::optional<uint64_t> parseInteger(ElementType type, StringRef text) {
  unsigned bits = 8 * bytesOf(type);
  int64_t negative = 0;
  if (text.starts_with("-")) {
    bool isRead = kindOf(type) == ElementKind::integer &&
                  !text.getAsInteger(0, negative) && isIntN(bits, negative);
    return isRead ? std::optional<uint64_t>(negative) : std::nullopt;
  }
  uint64_t value = 0;
  bool isHex =
      text.starts_with("0x"); // a pattern of bits, for signed types too
  bool isRead =
      !text.getAsInteger(0, value) &&
      isUIntN(kindOf(type) == ElementKind::integer && !isHex ? bits - 1 : bits,
              value);
  return isRead ? std::optional<uint64_t>(value) : std::nullopt;
}

Expected<std::vector<char>> encodeValue(ElementType type, StringRef value) {
  std::vector<char> bytes(bytesOf(type));
  if (!isFloat(type)) {
    std::optional<uint64_t> bits = parseInteger(type, value);
    if (!bits)
      return createStringError("expected a value of " + nameOf(type) +
                               ", got '" + value + "'");
    writeBits(type, *bits, bytes.data());
    return bytes;
  }
  APFloat number(semanticsOf(type));
  auto status = number.convertFromString(value, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return createStringError("expected a value of " + nameOf(type) + ", got '" +
                             value + "'");
  }
  writeBits(type, number.bitcastToAPInt().getZExtValue(), bytes.data());
  return bytes;
}

/// Uniform: floating-point numbers from [-1, 1), integers of all bits. The
/// generator is the standard's, so a seed means the same on every machine.
static void fillRandomly(ElementType type, uint64_t seed,
                         std::vector<char> &bytes) {
  std::mt19937_64 generator(seed);
  for (size_t at = 0; at != bytes.size(); at += bytesOf(type)) {
    uint64_t random = generator();
    if (isFloat(type))
      writeNumber(type, randomReal(type, random), &bytes[at]);
    else
      writeBits(type, random, &bytes[at]);
  }
}

static Expected<std::vector<char>> readBuffer(const KernelArgument &argument) {
  Expected<NumpyArray> array = readNumpy(argument.fill);
  if (!array)
    return errorIn(argument.where, array.takeError());
  if (Error error =
          checkNumpy(*array, argument.fill, argument.type, argument.shape))
    return errorIn(argument.where, std::move(error));
  return std::move(array->bytes);
}

Expected<std::vector<char>> fillBuffer(const KernelArgument &argument) {
  StringRef fill = argument.fill;
  ElementType type = argument.type;
  if (fill.ends_with(".npy"))
    return readBuffer(argument);
  size_t count = 1;
  for (int64_t extent : argument.shape)
    count *= extent;
  std::vector<char> bytes(count * bytesOf(type));
  auto fillAll = [&](function_ref<double(size_t)> value) {
    for (size_t i = 0; i != count; ++i)
      writeNumber(type, value(i), &bytes[i * bytesOf(type)]);
    return bytes;
  };
  if (fill == "zeros")
    return bytes;
  if (fill == "ones")
    return fillAll([](size_t) { return 1; });
  if (fill == "arange")
    return fillAll([](size_t i) { return double(i); });
  if (fill.consume_front("full:")) {
    Expected<std::vector<char>> value = encodeValue(type, fill);
    if (!value)
      return errorIn(argument.where, value.takeError());
    for (size_t i = 0; i != count; ++i)
      std::memcpy(&bytes[i * bytesOf(type)], value->data(), bytesOf(type));
    return bytes;
  }
  uint64_t seed = 0;
  if (fill.consume_front("random:") && !fill.getAsInteger(10, seed)) {
    fillRandomly(type, seed, bytes);
    return bytes;
  }
  return createStringError(argument.where +
                           ": expected zeros, ones, arange, full:VALUE, "
                           "random:SEED or a .npy file, got '" +
                           argument.fill + "'");
}

} // namespace mlir::tc
