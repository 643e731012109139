//===- Requests.h - What one access of a warp costs -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is one load or store by the lanes of a warp. These functions are
// told the address of each lane, in bytes, and count what the memory does, by
// the rules that docs/Emulator.md counts by. So a prediction differs from what
// is counted only where it is wrong about the addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_REQUESTS_H
#define TC_ANALYSIS_REQUESTS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlir::tc {

/// Bytes that global memory moves at least.
inline constexpr int64_t kSectorBytes = 32, kLineBytes = 128;
/// Banks of shared memory, and the bytes each gives in a wavefront.
inline constexpr int64_t kBanks = 32, kBankBytes = 4;

/// Accesses of one kind, of the whole launch.
struct Requests {
  double requests = 0;
  double sectors = 0;    ///< of global memory
  double lines = 0;      ///< of global memory, of each request by itself
  double wavefronts = 0; ///< of shared memory
  double ideal = 0;      ///< the fewest wavefronts for what is asked for

  Requests &operator+=(const Requests &other) {
    requests += other.requests;
    sectors += other.sectors;
    lines += other.lines;
    wavefronts += other.wavefronts;
    ideal += other.ideal;
    return *this;
  }
  Requests &operator*=(double factor) {
    for (double *amount : {&requests, &sectors, &lines, &wavefronts, &ideal})
      *amount *= factor;
    return *this;
  }
};

/// Sectors of global memory that hold `bytes` from each of the addresses: at
/// most 32 of them, in any order.
int64_t countSectors(llvm::ArrayRef<int64_t> addresses, int64_t bytes);
/// The same of lines of 128 bytes.
int64_t countLines(llvm::ArrayRef<int64_t> addresses, int64_t bytes);

/// Wavefronts in which shared memory gives or takes `bytes` (up to 16) at each
/// address: at most 32 of them, of the first lanes of a warp. Lanes that ask
/// for one word share it. Of 8 and 16 bytes half and a quarter of a warp go
/// together, and twice as many where reads agree in pairs.
int64_t countWavefronts(llvm::ArrayRef<int64_t> addresses, int64_t bytes,
                        bool isRead);

/// The same if no lanes collided in a bank: groups of lanes that go together.
int64_t countTogether(llvm::ArrayRef<int64_t> addresses, int64_t bytes,
                      bool isRead);

/// The fewest that the distinct words could take at any addresses and in any
/// order of the lanes.
int64_t countIdealWavefronts(llvm::ArrayRef<int64_t> addresses, int64_t bytes,
                             bool isRead);

} // namespace mlir::tc

#endif // TC_ANALYSIS_REQUESTS_H
