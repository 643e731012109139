//===- DriverTest.cpp - Opening a driver ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loader: what it opens, and what it says of what it cannot open.
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/Driver.h"

#include "../../../lib/Runtime/LibraryPath.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tc::runtime;

namespace {

/// Sets a variable of the environment, and puts it back.
class Environment {
public:
  Environment(const char *name, const char *value) : name(name) {
    if (const char *now = getenv(name))
      before = now;
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  ~Environment() {
    if (before)
      setenv(name, before->c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> before;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Driver, KindsHaveNames) {
  EXPECT_EQ(findDriverKind("auto"), DriverKind::Auto);
  EXPECT_EQ(findDriverKind("cuda"), DriverKind::Cuda);
  EXPECT_EQ(findDriverKind("emulator"), DriverKind::Emulator);
  EXPECT_FALSE(findDriverKind("rocm"));
  EXPECT_FALSE(findDriverKind(""));
}

TEST(Driver, OpensTheEmulatorWithEveryCall) {
  std::string error;
  const Driver *driver =
      openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
  ASSERT_NE(driver, nullptr) << error;
  EXPECT_TRUE(driver->isEmulator());
  EXPECT_EQ(driver->library, TC_EMULATOR_PATH);
#define TC_EXPECT(name, symbol, since, need, parameters)                       \
  EXPECT_NE(driver->symbol, nullptr) << #symbol;
  TC_DRIVER_CALLS(TC_EXPECT)
#undef TC_EXPECT
}

TEST(Driver, OneTableForOneLibrary) {
  std::string error;
  const Driver *first =
      openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
  const Driver *second =
      openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
  ASSERT_NE(first, nullptr) << error;
  EXPECT_EQ(first, second);
}

TEST(Driver, TheEmulatorIsLookedForInNoFolderAbove) {
  Environment unset("TC_EMULATOR_LIBRARY", nullptr);
  std::string name = "libtc-cuda-emulator.so";
  EXPECT_EQ(emulatorCandidates(),
            (std::vector<std::string>{getOwnDirectory() + "/" + name, name}));
}

TEST(Driver, TheEnvironmentNamesTheEmulator) {
  Environment set("TC_EMULATOR_LIBRARY", "/nowhere/libother.so");
  std::string error;
  EXPECT_EQ(openDriver(DriverKind::Emulator, "", error), nullptr);
  EXPECT_TRUE(contains(error, "/nowhere/libother.so")) << error;
  EXPECT_FALSE(contains(error, "libtc-cuda-emulator.so")) << error;
}

TEST(Driver, AMissingLibraryIsNamed) {
  std::string error;
  EXPECT_EQ(openDriver(DriverKind::Cuda, "/nowhere/libcuda.so", error),
            nullptr);
  EXPECT_TRUE(contains(error, "expected a CUDA driver")) << error;
  EXPECT_TRUE(contains(error, "/nowhere/libcuda.so")) << error;
}

TEST(Driver, MissingCallsAreNamed) {
  std::string error;
  EXPECT_EQ(openDriver(DriverKind::Cuda, "libm.so.6", error), nullptr);
  EXPECT_TRUE(contains(error, "without cuInit, ")) << error;
  EXPECT_TRUE(contains(error, "cuMemAlloc_v2")) << error;
  // An optional call is not missed.
  EXPECT_FALSE(contains(error, "cuMemAllocAsync")) << error;
}

TEST(Driver, DescribesAResult) {
  std::string error;
  const Driver *driver =
      openDriver(DriverKind::Emulator, TC_EMULATOR_PATH, error);
  ASSERT_NE(driver, nullptr) << error;
  CUresult result = driver->cuDeviceGet(nullptr, 0);
  EXPECT_EQ(result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->describe("cuDeviceGet", result),
            "cuDeviceGet: CUDA_ERROR_INVALID_VALUE (1): invalid argument\n"
            "cuDeviceGet: expected a place for the result, got null");
}
