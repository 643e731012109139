//===- Image.cpp - Texts out of module images -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX, cubin, and the containers that nvcc's fatbinary makes, whose layout is
// as observed in files of CUDA 11 to 13: a header, then entries of a header and
// an image each, compressed or not.
//
//===----------------------------------------------------------------------===//

#include "Module/Image.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using llvm::Expected;
using llvm::StringRef;
using namespace llvm::support::endian;

namespace tc::emulator::driver {

namespace {

constexpr uint32_t wrapperMagic = 0x466243b1, fatbinMagic = 0xba55ed50,
                   elfMagic = 0x464c457f;

/// One image of a fatbin, as the containers of CUDA 11 to 13 have it.
struct Entry {
  explicit Entry(const char *at)
      : kind(read16le(at)), headerBytes(read32le(at + 4)),
        bytes(read64le(at + 8)), compressedBytes(read32le(at + 16)),
        chip(read32le(at + 28)), flags(read64le(at + 40)),
        textBytes(read64le(at + 56)) {}

  static constexpr size_t least = 64; ///< bytes of a header
  uint16_t kind;                      ///< 1: PTX, 2: machine code
  uint32_t headerBytes;
  uint64_t bytes; ///< of the image with padding
  uint32_t compressedBytes;
  uint32_t chip; ///< 90 for compute_90
  uint64_t flags;
  uint64_t textBytes; ///< after decompression

  bool isPtx() const { return kind == 1; }
  /// For compute_90a or sm_90a.
  bool hasFeatures() const { return flags & 0x100000; }
  std::pair<uint32_t, bool> rank() const { return {chip, hasFeatures()}; }
  bool isLz4() const { return flags & 0x2000; }
  bool isZstd() const { return flags & 0x8000; }
};

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// A length in LZ4: what four bits cannot hold goes on in bytes.
bool readLength(StringRef &in, size_t &length) {
  if (length != 15)
    return true;
  unsigned char next = 255;
  while (next == 255) {
    if (in.empty())
      return false;
    next = in.front();
    in = in.drop_front();
    length += next;
  }
  return true;
}

/// One LZ4 block (LZ4 Block Format Description, version 1.6.3); empty where it
/// is damaged or not of `bytes`.
std::string decompressLz4(StringRef in, size_t bytes) {
  std::string out;
  while (!in.empty()) {
    unsigned char token = in.front();
    in = in.drop_front();
    size_t literals = token >> 4, match = token & 15;
    if (!readLength(in, literals) || literals > in.size())
      return "";
    out += in.take_front(literals);
    in = in.drop_front(literals);
    if (in.empty())
      break; // the last sequence has no match
    if (in.size() < 2)
      return "";
    size_t distance = read16le(in.data());
    in = in.drop_front(2);
    if (!readLength(in, match) || distance == 0 || distance > out.size())
      return "";
    for (size_t left = match + 4; left != 0 && out.size() <= bytes; --left)
      out += out[out.size() - distance];
    if (out.size() > bytes)
      return "";
  }
  return out.size() == bytes ? out : "";
}

Expected<std::string> readEntry(const Entry &entry, StringRef image) {
  constexpr uint64_t most = uint64_t(1) << 30;
  if (!entry.isLz4() && !entry.isZstd())
    return image.take_until([](char c) { return c == 0; }).str();
  if (entry.compressedBytes > image.size() || entry.textBytes > most)
    return makeError("the fatbin is damaged: an image longer than its entry");
  StringRef packed = image.take_front(entry.compressedBytes);
  std::string text;
  if (entry.isLz4()) {
    text = decompressLz4(packed, entry.textBytes);
  } else {
    llvm::SmallVector<uint8_t> bytes;
    if (!llvm::compression::zstd::isAvailable())
      return makeError("expected PTX that is not compressed, or by LZ4: this "
                       "LLVM is without zstd");
    if (llvm::Error error = llvm::compression::zstd::decompress(
            llvm::arrayRefFromStringRef(packed), bytes, entry.textBytes))
      return std::move(error);
    text = llvm::toStringRef(bytes).str();
  }
  if (text.empty())
    return makeError("the fatbin is damaged: its PTX cannot be decompressed");
  return StringRef(text).take_until([](char c) { return c == 0; }).str();
}

Expected<Image> readFatbin(const char *image) {
  uint64_t at = read16le(image + 6), end = at + read64le(image + 8);
  std::optional<Entry> best;
  StringRef text;
  bool needsFeatures = false;
  while (at + Entry::least <= end) {
    Entry entry(image + at);
    uint64_t left = end - at;
    if (entry.headerBytes < Entry::least || entry.headerBytes > left ||
        entry.bytes > left - entry.headerBytes)
      return makeError("the fatbin is damaged: an entry longer than the whole");
    if (entry.isPtx() && entry.chip <= 90 &&
        (!best || entry.rank() > best->rank())) {
      best = entry;
      text = StringRef(image + at + entry.headerBytes, entry.bytes);
    }
    needsFeatures |= !entry.isPtx() && entry.chip == 90 && entry.hasFeatures();
    at += entry.headerBytes + entry.bytes;
  }
  if (!best)
    return makeError("expected PTX text, got a fatbin without PTX for compute "
                     "capability 9.0 or below, which only a GPU can run");
  Expected<std::string> ptx = readEntry(*best, text);
  if (!ptx)
    return ptx.takeError();
  return Image{std::move(*ptx), needsFeatures && !best->hasFeatures()};
}

} // namespace

Expected<Image> readImage(const void *image) {
  const char *bytes = static_cast<const char *>(image);
  // A shorter text ends with a zero, which ends the comparison.
  auto starts = [&](uint32_t magic) {
    char expected[4];
    write32le(expected, magic);
    return strncmp(bytes, expected, 4) == 0;
  };
  if (starts(elfMagic))
    return makeError("expected PTX text, got a cubin, which only a GPU can "
                     "run");
  if (starts(wrapperMagic)) // the third word of it points at the fatbin
    memcpy(&bytes, bytes + 8, sizeof(bytes));
  if (starts(fatbinMagic))
    return readFatbin(bytes);
  return Image{bytes};
}

} // namespace tc::emulator::driver
