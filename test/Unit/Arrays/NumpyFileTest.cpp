//===- NumpyFileTest.cpp - NumPy's file format ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Arrays/NumpyFile.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace llvm;
using namespace mlir::tc;

namespace {

template <typename T>
NumpyArray arrayOf(SmallVector<int64_t> shape, std::vector<T> values) {
  NumpyArray array;
  array.type = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  array.shape = shape;
  array.bytes.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

template <typename T>
std::vector<T> valuesOf(const NumpyArray &array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

/// A file with the given header text, as format version `major` would have it.
std::string fileOf(unsigned char major, StringRef header, StringRef data) {
  std::string file("\x93NUMPY");
  file += char(major);
  file += '\0';
  file += char(header.size());
  file.append(major == 1 ? 1 : 3, '\0');
  return file + header.str() + data.str();
}

std::string errorOf(StringRef contents) {
  Expected<NumpyArray> array = parseNumpy(contents, "x.npy");
  return array ? "" : toString(array.takeError());
}

TEST(NumpyFileTest, RoundTripsBothTypes) {
  NumpyArray f32 = arrayOf<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  std::string file = formatNumpy(f32);
  EXPECT_EQ((file.size() - 24) % 64, 0u);
  Expected<NumpyArray> read = parseNumpy(file, "x.npy");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->shape, f32.shape);
  EXPECT_EQ(valuesOf<float>(*read), valuesOf<float>(f32));

  NumpyArray scalar = arrayOf<double>({}, {0.5});
  read = parseNumpy(formatNumpy(scalar), "x.npy");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->type, ElementType::f64);
  EXPECT_TRUE(read->shape.empty());
  EXPECT_EQ(valuesOf<double>(*read), std::vector<double>{0.5});

  read = parseNumpy(formatNumpy(arrayOf<float>({0, 7}, {})), "x.npy");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->shape, (SmallVector<int64_t>{0, 7}));
}

TEST(NumpyFileTest, KeepsEveryType) {
  for (unsigned i = 0; i <= unsigned(ElementType::c128); ++i) {
    NumpyArray array;
    array.type = ElementType(i);
    array.shape = {2};
    array.bytes.assign(2 * bytesOf(array.type), 1);
    std::string file = formatNumpy(array);
    EXPECT_NE(file.find("'descr': '" + numpyNameOf(array.type).str() + "'"),
              std::string::npos);
    Expected<NumpyArray> read = parseNumpy(file, "x.npy");
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    // Bytes of no meaning get one from checkNumpy.
    EXPECT_EQ(numpyNameOf(read->type), numpyNameOf(array.type))
        << nameOf(array.type).str();
    EXPECT_EQ(read->bytes, array.bytes);
    EXPECT_FALSE(errorToBool(checkNumpy(*read, "x.npy", array.type, {2})));
  }
}

TEST(NumpyFileTest, ReadsBf16InEverySpelling) {
  for (StringRef type : {"<V2", "|V2", "<u2"}) {
    Expected<NumpyArray> read =
        parseNumpy(fileOf(1,
                          ("{'descr': '" + type +
                           "', 'fortran_order': False, 'shape': (1,), }")
                              .str(),
                          "ab"),
                   "x.npy");
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_FALSE(
        errorToBool(checkNumpy(*read, "x.npy", ElementType::bf16, {1})));
    EXPECT_EQ(read->type, ElementType::bf16);
  }
}

/// As ml_dtypes writes them, as bytes of no meaning, and as bits.
TEST(NumpyFileTest, ReadsFloatsOf8BitsInEverySpelling) {
  const std::tuple<StringRef, ElementType, bool> cases[] = {
      {"<V1", ElementType::f8e4m3, true}, {"|V1", ElementType::f8e4m3, true},
      {"|u1", ElementType::f8e4m3, true}, {"<f1", ElementType::f8e5m2, true},
      {"|u1", ElementType::f8e5m2, true}, {"<f1", ElementType::f8e4m3, false},
      {"<V1", ElementType::f8e5m2, true}, {"|i1", ElementType::f8e5m2, false},
  };
  for (auto [descr, type, isTaken] : cases) {
    Expected<NumpyArray> read =
        parseNumpy(fileOf(1,
                          ("{'descr': '" + descr +
                           "', 'fortran_order': False, 'shape': (1,), }")
                              .str(),
                          "a"),
                   "x.npy");
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_EQ(errorToBool(checkNumpy(*read, "x.npy", type, {1})), !isTaken)
        << descr.str();
    if (isTaken)
      EXPECT_EQ(read->type, type);
  }
}

TEST(NumpyFileTest, ReadsEveryVersionAndSpelling) {
  float value = 2.5f;
  StringRef data(reinterpret_cast<char *>(&value), 4);
  for (unsigned char major : {1, 2, 3}) {
    Expected<NumpyArray> read = parseNumpy(
        fileOf(major,
               "{\"shape\":(1,),'fortran_order' : False,'descr':'<f4'}\n",
               data),
        "x.npy");
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_EQ(read->shape, SmallVector<int64_t>{1});
    EXPECT_EQ(valuesOf<float>(*read), std::vector<float>{2.5f});
  }
}

TEST(NumpyFileTest, TurnsFortranOrder) {
  float values[] = {0, 1, 2, 3, 4, 5};
  Expected<NumpyArray> read = parseNumpy(
      fileOf(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
             StringRef(reinterpret_cast<char *>(values), sizeof(values))),
      "x.npy");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(valuesOf<float>(*read), (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST(NumpyFileTest, RefusesOtherFilesAndTypes) {
  EXPECT_EQ(errorOf("not numpy"),
            "'x.npy': expected a .npy file of version 1, 2 or 3");
  EXPECT_EQ(errorOf(fileOf(4, "{}", "")),
            "'x.npy': expected a .npy file of version 1, 2 or 3");
  EXPECT_EQ(errorOf(fileOf(1, "{'descr': [('a', '<f4')]}", "")),
            "'x.npy': malformed .npy header, or one of a structured type");
  EXPECT_EQ(
      errorOf(fileOf(
          1, "{'descr': '>f4', 'fortran_order': False, 'shape': (), }", "")),
      "'x.npy': expected little-endian integers, floating-point or complex "
      "numbers, or truth values, got elements of type '>f4'");
  for (StringRef type : {"<c4", "<f3", "|V4", "<i3", "<i16", "i4", "|f4"})
    EXPECT_EQ(errorOf(fileOf(1,
                             ("{'descr': '" + type +
                              "', 'fortran_order': False, 'shape': (), }")
                                 .str(),
                             "")),
              ("'x.npy': expected little-endian integers, floating-point or "
               "complex numbers, or truth values, got elements of type '" +
               type + "'")
                  .str());
  EXPECT_EQ(errorOf(fileOf(
                1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
                "ab")),
            "'x.npy': expected 12 bytes of data, got 2");
}

TEST(NumpyFileTest, ChecksTypeAndShape) {
  NumpyArray array = arrayOf<float>({2}, {1, 2});
  EXPECT_FALSE(bool(checkNumpy(array, "x.npy", ElementType::f32, {2})));
  EXPECT_EQ(toString(checkNumpy(array, "x.npy", ElementType::f64, {2})),
            "'x.npy': expected elements of type f64, got f32");
  EXPECT_EQ(toString(checkNumpy(array, "x.npy", ElementType::f32, {3, 1})),
            "'x.npy': expected shape (3, 1), got (2,)");
}

TEST(NumpyFileTest, EveryTruncationIsRefused) {
  std::string file = formatNumpy(arrayOf<float>({2}, {1, 2}));
  for (size_t length = 0; length != file.size(); ++length)
    EXPECT_NE(errorOf(StringRef(file).take_front(length)), "") << length;
}

} // namespace
