//===- curand_mtgp32_kernel.h - Of a CUDA without cuRAND --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang includes a header of this name before every CUDA program.
//
//===----------------------------------------------------------------------===//
