//===- HostTarget.h - The machine that a package is for ------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_HOSTTARGET_H
#define TC_PACKAGE_HOSTTARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace mlir::tc {

/// The host that a package is for; empty: this one, any CPU of it.
struct HostTarget {
  std::string triple;
  std::string cpu;      ///< as LLVM knows it, or "native": this machine's
  std::string features; ///< beyond those of the CPU's name: "+avx2,-avx512f"
};

/// The triple that is meant, in its normal form.
std::string getTriple(const HostTarget &target);

/// The same host with all that is known of it: its triple in the normal form,
/// a CPU ("generic" where none was asked for), and for "native" the name and
/// the features of the CPU that this runs on. Refuses "native" for a machine of
/// another architecture.
llvm::Expected<HostTarget> resolveHost(const HostTarget &target);

/// LLVM's code generator for a host. Refuses machines and CPUs that LLVM does
/// not know, and those that are not of 64 bits with ELF objects.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(const HostTarget &target);

/// The vector registers of a CPU: their width, and how many there are; and the
/// width of those whose pairs of bf16, or of i16, an instruction multiplies and
/// adds up, 0 where there is none.
struct VectorUnit {
  int64_t bits, registers;
  int64_t bf16Dot = 0, i16Dot = 0;
};

/// The CPUs that one version of a package's CPU code is for.
struct HostLevel {
  unsigned number; ///< of x86-64, as 3 for x86-64-v3; 0: those of the target
  VectorUnit unit; ///< what LLVM uses on them
  std::string cpu; ///< LLVM's name of the least of them, as in tuning files
};

/// A package has a version of its CPU code for each of these, in ascending
/// order: levels 2 to 4 of x86-64 where `asked` names no CPU, else one.
/// `machine` is that of `asked`.
llvm::SmallVector<HostLevel> findLevels(const HostTarget &asked,
                                        llvm::TargetMachine &machine);

/// "x86-64-v3" for 3.
std::string getLevelName(unsigned level);

/// Has LLVM compile `function` for a level; for 0 as all of its module.
void setLevel(llvm::Function &function, unsigned level);

} // namespace mlir::tc

#endif // TC_PACKAGE_HOSTTARGET_H
