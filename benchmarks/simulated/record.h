//===- record.h - What host code of COGENT launches, without a GPU --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for CUDA's runtime API when g++ compiles the host code of a source
// that COGENT generated, each launch rewritten as a call of `record`. A launch
// is printed to stderr as one line of JSON, in the words of gpu/README.md.
// Arrays are not touched: the caller passes N + 1 as the address of argument N.
// Other memory that a launch needs is written to files of the working directory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCHMARKS_SIMULATED_RECORD_H
#define TC_BENCHMARKS_SIMULATED_RECORD_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#define __constant__

struct dim3 {
  unsigned x, y, z;
  explicit dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

namespace recorder {

/// What was copied to an address of the device.
struct Content {
  const void *from = nullptr;
  std::size_t bytes = 0;
};
inline std::map<const void *, Content> contents;
inline std::string temporaries, variables;
inline int temporaryCount = 0;

inline std::string quote(const std::string &text) { return '"' + text + '"'; }

inline void append(std::string &list, const std::string &part) {
  list += (list.empty() ? "" : ", ") + part;
}

inline std::string writeFile(const std::string &name, Content content) {
  std::FILE *file = std::fopen(name.c_str(), "wb");
  if (!file || std::fwrite(content.from, 1, content.bytes, file) != content.bytes)
    std::exit(2);
  std::fclose(file);
  return quote(name);
}

inline std::string describe(int value) {
  return "{\"i32\": " + std::to_string(value) + "}";
}

inline std::string describe(const void *address) {
  const Content content = contents.at(address);
  const auto argument = reinterpret_cast<std::uintptr_t>(content.from);
  if (argument <= 3)
    return "{\"argument\": " + std::to_string(argument - 1) + "}";
  const std::string number = std::to_string(temporaryCount++);
  append(temporaries, writeFile("temporary-" + number + ".bin", content));
  return "{\"temporary\": " + number + "}";
}

inline std::string describe(dim3 shape) {
  return "[" + std::to_string(shape.x) + ", " + std::to_string(shape.y) + ", " +
         std::to_string(shape.z) + "]";
}

template <typename... Arguments>
void record(const char *kernel, dim3 grid, dim3 block, Arguments... arguments) {
  std::string list;
  (append(list, describe(arguments)), ...);
  std::fprintf(stderr,
               "\n{\"kernel\": \"%s\", \"grid\": %s, \"block\": %s, "
               "\"arguments\": [%s], \"temporaries\": [%s], \"variables\": {%s}}\n",
               kernel, describe(grid).c_str(), describe(block).c_str(),
               list.c_str(), temporaries.c_str(), variables.c_str());
}

inline void setVariable(const char *name, std::size_t size, const void *from,
                        std::size_t bytes) {
  // COGENT's host code tries to copy more than there is, and ignores the error:
  // it then launches a kernel that reads the same numbers elsewhere.
  if (bytes <= size)
    append(variables, quote(name) + ": " +
                          writeFile(std::string(name) + ".bin", {from, bytes}));
}

} // namespace recorder

inline void cudaMalloc(void **address, std::size_t) {
  static std::uintptr_t next = 0;
  *address = reinterpret_cast<void *>(next += 256);
}

inline void cudaMemcpy(void *to, const void *from, std::size_t bytes,
                       cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice)
    recorder::contents[to] = {from, bytes};
}

inline void cudaFree(void *) {}

#define cudaMemcpyToSymbol(symbol, from, bytes)                                \
  recorder::setVariable(#symbol, sizeof(symbol), from, bytes)

#endif // TC_BENCHMARKS_SIMULATED_RECORD_H
