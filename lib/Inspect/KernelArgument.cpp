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

#include "KernelLaunch.h"

#include "tc/Arrays/Numbers.h"
#include "tc/Files/Files.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

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

static std::optional<uint64_t> parseReal(ElementType type, StringRef text) {
  APFloat number(semanticsOf(type));
  auto status = number.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (status)
    return number.bitcastToAPInt().getZExtValue();
  consumeError(status.takeError());
  return std::nullopt;
}

Expected<std::vector<char>> encodeValue(ElementType type, StringRef value) {
  std::optional<uint64_t> bits =
      isFloat(type) ? parseReal(type, value) : parseInteger(type, value);
  if (!bits)
    return createStringError("expected a value of " + nameOf(type) + ", got '" +
                             value + "'");
  std::vector<char> bytes(bytesOf(type));
  writeBits(type, *bits, bytes.data());
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

static Error readBuffer(KernelArgument &argument) {
  NumpyArray array;
  if (Error error = readNumpy(argument.fill).moveInto(array))
    return error;
  if (Error error = checkNumpy(array, argument.fill, argument.data.type,
                               argument.data.shape))
    return error;
  argument.data = std::move(array);
  return Error::success();
}

Error fillBuffer(KernelArgument &argument) {
  StringRef fill = argument.fill;
  if (fill.ends_with(".npy")) {
    Error error = readBuffer(argument);
    return error ? errorIn(argument.where, std::move(error)) : Error::success();
  }
  ElementType type = argument.data.type;
  std::vector<char> &bytes = argument.data.bytes;
  bytes.resize(*countBytes(type, argument.data.shape));
  auto fillAll = [&](function_ref<void(size_t, char *)> write) {
    for (size_t i = 0; i != bytes.size() / bytesOf(type); ++i)
      write(i, &bytes[i * bytesOf(type)]);
    return Error::success();
  };
  if (fill == "zeros")
    return Error::success();
  if (fill == "ones")
    return fillAll([&](size_t, char *to) { writeNumber(type, 1, to); });
  if (fill == "arange")
    return fillAll([&](size_t i, char *to) { writeNumber(type, i, to); });
  if (fill.consume_front("full:")) {
    Expected<std::vector<char>> value = encodeValue(type, fill);
    if (!value)
      return errorIn(argument.where, value.takeError());
    return fillAll([&](size_t, char *to) { llvm::copy(*value, to); });
  }
  uint64_t seed = 0;
  if (fill.consume_front("random:") && !fill.getAsInteger(10, seed)) {
    fillRandomly(type, seed, bytes);
    return Error::success();
  }
  return createStringError(argument.where +
                           ": expected zeros, ones, arange, full:VALUE, "
                           "random:SEED or a .npy file, got '" +
                           argument.fill + "'");
}

} // namespace mlir::tc
