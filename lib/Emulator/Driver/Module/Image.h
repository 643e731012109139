//===- Image.h - Texts out of module images ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms in which launchers hand over a module.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_MODULE_IMAGE_H
#define TC_LIB_EMULATOR_DRIVER_MODULE_IMAGE_H

#include "llvm/Support/Error.h"

#include <string>

namespace tc::emulator::driver {

/// What an image has for the emulator.
struct Image {
  std::string ptx;
  /// Does it have machine code with the instructions of one chip alone
  /// (sm_90a), and no PTX with them?
  bool lacksFeatures = false;
};

/// The PTX text in an image: the text itself, which ends with a zero, or the
/// newest of a fatbin that compute capability 9.0 can run, for compute_90a
/// before compute_90. Fails for machine code and for a container that is
/// damaged.
llvm::Expected<Image> readImage(const void *image);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_MODULE_IMAGE_H
