//===- FilesTest.cpp - Whole files in and out -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Files/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <string>
#include <unistd.h>

using namespace llvm;
using namespace mlir::tc;

namespace {

class FilesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("tc-files", directory));
  }
  void TearDown() override { sys::fs::remove_directories(directory); }

  std::string path(StringRef name) {
    SmallString<128> result(directory);
    sys::path::append(result, name);
    return result.str().str();
  }
  unsigned countFiles() {
    std::error_code code;
    unsigned count = 0;
    for (sys::fs::directory_iterator it(directory, code), end;
         !code && it != end; it.increment(code))
      ++count;
    return count;
  }

  SmallString<128> directory;
};

TEST_F(FilesTest, WritesAndReplacesWholeFiles) {
  ASSERT_FALSE(bool(writeFile(path("a"), "first, and longer")));
  ASSERT_FALSE(bool(writeFile(path("a"), "second")));
  auto buffer = readFile(path("a"));
  ASSERT_TRUE(bool(buffer));
  EXPECT_EQ((*buffer)->getBuffer(), "second");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(FilesTest, WritesWhereALinkLeads) {
  ASSERT_FALSE(bool(writeFile(path("a"), "first")));
  ASSERT_FALSE(sys::fs::create_link(path("a"), path("link")));
  ASSERT_FALSE(bool(writeFile(path("link"), "second")));
  EXPECT_TRUE(sys::fs::is_symlink_file(path("link")));
  auto buffer = readFile(path("a"));
  ASSERT_TRUE(bool(buffer));
  EXPECT_EQ((*buffer)->getBuffer(), "second");
}

TEST_F(FilesTest, LeavesNothingBehindWhenItFails) {
  std::string missing = toString(writeFile(path("no/such/place"), "x"));
  EXPECT_EQ(missing.find("cannot write '" + path("no/such/place") + "': "), 0u);
  ASSERT_FALSE(sys::fs::create_directory(path("folder")));
  EXPECT_EQ(toString(writeFile(path("folder"), "x")),
            "cannot write '" + path("folder") + "': it is a directory");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(FilesTest, ReportsFullDevices) {
  if (!sys::fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  std::string error = toString(writeFile("/dev/full", "x"));
  EXPECT_EQ(error.find("cannot write '/dev/full': "), 0u);
}

TEST_F(FilesTest, ReportsUnreadableFiles) {
  std::string error = toString(readFile(path("absent")).takeError());
  EXPECT_EQ(error.find("cannot read '" + path("absent") + "': "), 0u);
  error = toString(readFile(directory).takeError());
  EXPECT_EQ(error.find("cannot read '" + directory.str().str() + "': "), 0u);
}

TEST_F(FilesTest, ReadsStreamsToTheirEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "some text", 9), 9);
  close(ends[1]);
  auto buffer = readFile("/dev/fd/" + std::to_string(ends[0]));
  close(ends[0]);
  ASSERT_TRUE(bool(buffer)) << toString(buffer.takeError());
  EXPECT_EQ((*buffer)->getBuffer(), "some text");
  EXPECT_EQ(*(*buffer)->getBufferEnd(), 0);
}

TEST_F(FilesTest, ReadsNoStreamBeyondItsBound) {
  size_t head = 0;
  auto bound = [&](StringRef text) -> Expected<uint64_t> {
    head = text.size();
    return 100000;
  };
  EXPECT_EQ(toString(readFile("/dev/zero", bound).takeError()),
            "cannot read '/dev/zero': expected at most 100000 bytes of what is "
            "not a regular file");
  EXPECT_EQ(head, streamHeadBytes);
  auto refuse = [](StringRef) -> Expected<uint64_t> {
    return createStringError("no");
  };
  EXPECT_EQ(toString(readFile("/dev/zero", refuse).takeError()), "no");
}

} // namespace
