//===- HostVectors.h - Code for the host at hand ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function marked so is compiled for several levels of the host's vector
// units; which one runs is decided when the program starts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_HOSTVECTORS_H
#define TC_LIB_EMULATOR_WARP_HOSTVECTORS_H

#if defined(__x86_64__) && defined(__gnu_linux__)
#define TC_HOST_VECTORS                                                        \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TC_HOST_VECTORS
#endif

/// Parts of such functions, which must be compiled along.
#define TC_INLINE __attribute__((always_inline)) inline

#endif // TC_LIB_EMULATOR_WARP_HOSTVECTORS_H
