//===- PackageCheck.cpp - What a packaged kernel is given -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents, pointers and workspace of one call, before any driver is asked.
//
//===----------------------------------------------------------------------===//

#include "Package/Package.h"

using namespace tc::runtime;

int tc::runtime::checkAbi(const tcPackagedEntry *entry) {
  if (entry && entry->abi == TC_PACKAGE_ABI)
    return TC_OK;
  return fail(TC_INVALID_PACKAGE,
              "expected a package of interface " +
                  std::to_string(TC_PACKAGE_ABI) + ", got " +
                  (entry ? std::to_string(entry->abi) : std::string("none")));
}

Request::Request(const tcPackagedEntry &entry, const int64_t *values)
    : entry(entry), values(values) {
  size_t words = 5;
  for (uint32_t i = 0; i != entry.numArguments; ++i)
    words += 3 + 2 * size_t(entry.arguments[i].rank);
  if (words > smallWords) {
    manyWords.resize(words);
    storage = manyWords.data();
  }
  if (entry.numArguments > smallArguments) {
    manyRanges.resize(entry.numArguments);
    ranges = manyRanges.data();
  }
}

std::string Request::describe(unsigned number) const {
  return std::string(entry.name) + ": " + entry.arguments[number].name;
}

//===----------------------------------------------------------------------===//
// Extents and strides
//===----------------------------------------------------------------------===//

bool Request::evaluate(tcQuantity quantity, int64_t rowMajor,
                       int64_t &value) const {
  switch (static_cast<tcQuantityKind>(quantity.kind)) {
  case TC_CONSTANT:
    value = quantity.value;
    return true;
  case TC_PARAMETER:
    value = values[entry.numArguments + quantity.value];
    return true;
  case TC_ROW_MAJOR:
    value = rowMajor;
    return true;
  }
  return false;
}

int Request::wrongExtent(const tcPackagedArgument &argument) const {
  return failIn(entry, TC_WRONG_EXTENT,
                argument.name +
                    std::string(": expected a buffer that 63 bits can count "
                                "the bytes of, got larger extents or strides"));
}

/// Adds the span of one dimension to the first and last element.
static bool extendSpan(int64_t extent, int64_t stride, int64_t &first,
                       int64_t &last) {
  int64_t reach = 0;
  if (__builtin_mul_overflow(extent - 1, stride, &reach))
    return false;
  int64_t &end = reach < 0 ? first : last;
  return !__builtin_add_overflow(end, reach, &end);
}

int Request::readBuffer(unsigned number, int64_t *&word) {
  const tcPackagedArgument &argument = entry.arguments[number];
  int64_t *extents = word + 3, *strides = extents + argument.rank;
  word[0] = word[1] = values[number];
  if (!evaluate(argument.offset, 0, word[2]))
    return checkAbi(nullptr);
  int64_t first = word[2], last = word[2], elements = 1;
  for (uint32_t dim = argument.rank; dim-- != 0;) {
    if (!evaluate(argument.extents[dim], 0, extents[dim]) ||
        !evaluate(argument.strides[dim], elements, strides[dim]))
      return checkAbi(nullptr);
    if (__builtin_mul_overflow(elements, extents[dim], &elements) ||
        (extents[dim] > 0 &&
         !extendSpan(extents[dim], strides[dim], first, last)))
      return wrongExtent(argument);
  }
  word = strides + argument.rank;
  ranges[number] = ByteRange();
  if (elements == 0)
    return TC_OK;
  int64_t size = argument.elementBytes, begin = 0, end = 0;
  if (__builtin_mul_overflow(first, size, &begin) ||
      __builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, size, &end))
    return wrongExtent(argument);
  auto base = static_cast<uintptr_t>(values[number]);
  ranges[number] = {base + static_cast<uintptr_t>(begin),
                    base + static_cast<uintptr_t>(end)};
  return TC_OK;
}

int Request::readShapes() {
  for (uint32_t i = 0; i != entry.numParameters; ++i) {
    int64_t value = values[entry.numArguments + i];
    if (entry.parameters[i].isExtent && value < 0)
      return failIn(entry, TC_WRONG_EXTENT,
                    entry.parameters[i].name +
                        (": expected an extent of at least 0, got " +
                         std::to_string(value)));
  }
  int64_t *word = storage;
  for (uint32_t i = 0; i != entry.numArguments; ++i) {
    if (entry.arguments[i].role & TC_SCALAR)
      *word++ = values[i];
    else if (int status = readBuffer(i, word))
      return status;
  }
  workspaceWords = word;
  for (int64_t fixed : {0, 0, 0, 0, 1})
    *word++ = fixed;
  return TC_OK;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

int Request::checkBuffers() {
  for (uint32_t i = 0; i != entry.numArguments; ++i) {
    const tcPackagedArgument &argument = entry.arguments[i];
    if ((argument.role & TC_SCALAR) || ranges[i].isEmpty())
      continue;
    auto address = static_cast<uint64_t>(values[i]);
    if (address == 0)
      return fail(TC_NULL_POINTER,
                  describe(i) + ": expected a buffer, got a null pointer");
    if (address % argument.elementBytes != 0)
      return fail(TC_MISALIGNED, describe(i) + ": expected a multiple of " +
                                     std::to_string(argument.elementBytes) +
                                     ", got " + hexOf(address));
    if (ranges[i].begin > ranges[i].end)
      return wrongExtent(argument);
  }
  for (uint32_t i = 0; i != entry.numArguments; ++i)
    for (uint32_t j = 0; j != entry.numArguments; ++j)
      if (i != j && (entry.arguments[i].role & TC_WRITTEN) &&
          ranges[i].begin < ranges[j].end && ranges[j].begin < ranges[i].end)
        return fail(TC_OVERLAP, describe(i) +
                                    ": expected a buffer that shares no bytes "
                                    "with " +
                                    entry.arguments[j].name + ", got " +
                                    hexOf(ranges[i].begin) + " to " +
                                    hexOf(ranges[i].end) + " and " +
                                    hexOf(ranges[j].begin) + " to " +
                                    hexOf(ranges[j].end));
  return TC_OK;
}

int Request::setWorkspace(int64_t needed, void *workspace, size_t bytes) {
  if (needed == 0)
    return TC_OK;
  auto refuse = [&](tcStatus status, const std::string &why) {
    return failIn(entry, status, "workspace: expected " + why);
  };
  auto address = reinterpret_cast<uintptr_t>(workspace);
  if (needed < 0 || bytes < static_cast<uint64_t>(needed))
    return refuse(TC_WORKSPACE, std::to_string(needed) + " bytes, got " +
                                    std::to_string(bytes));
  if (address == 0 || address % TC_WORKSPACE_ALIGNMENT != 0)
    return refuse(TC_WORKSPACE, "a multiple of " +
                                    std::to_string(TC_WORKSPACE_ALIGNMENT) +
                                    ", got " + hexOf(address));
  uintptr_t end = address + static_cast<uintptr_t>(needed);
  for (uint32_t i = 0; i != entry.numArguments; ++i)
    if (address < ranges[i].end && ranges[i].begin < end)
      return refuse(TC_OVERLAP, std::string("memory of its own, got some of ") +
                                    entry.arguments[i].name);
  workspaceWords[0] = workspaceWords[1] = static_cast<int64_t>(address);
  workspaceWords[3] = needed;
  return TC_OK;
}
