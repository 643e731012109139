//===- Strategies.h - Choosing a mapping to the axes of a GPU ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What to do where nobody wrote a mapping: the three strategies of Janssen and
// Scholz (IFL 2021, section 7), and this project's own, which obeys every limit
// for any rank and any extent.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_STRATEGIES_H
#define TC_ALGEBRA_STRATEGIES_H

#include "tc/Algebra/Mapping.h"
#include "tc/Target/Limits.h"

namespace mlir::tc {

/// Threads of a block that has more iterations than threads.
inline constexpr int64_t kUsualThreads = 256;

/// Who chooses the mapping of an index space to the threads of a device.
enum class Strategy { Auto, Jing, JingExt, FoldAll };

/// Succeeds when no constant extent of the launch exceeds its limit; else names
/// the axis. A symbolic extent is not judged. Fails without a grid_block.
llvm::Error checkLimits(const Mapping &mapping, const LaunchLimits &limits);

/// The original SaC back end, paper section 7.1: ranks 1 to 5, blocks of 32 or
/// 32 x 32 for ranks 1 and 2, else the innermost two dimensions as the block,
/// whatever they are. It does not look at limits. Steps and widths are masked.
llvm::Expected<Mapping> jing(const IndexSpace &space);

/// Paper section 7.2: above rank 5 folds neighbours in pairs until rank 5 is
/// reached, then as `jing`. It does not look at limits.
llvm::Expected<Mapping> jingExt(const IndexSpace &space);

/// Threads of a block for `foldAll`, which by the paper depend on the device
/// and the size: the most, in whole warps and no more than kUsualThreads, of
/// which each of `multiprocessors` gets a block; a warp where none do.
int64_t chooseFoldedBlock(int64_t points, int64_t multiprocessors);

/// Paper section 7.3: compresses, folds everything to one dimension, and cuts
/// it into blocks of `threads`. Obeys `limits`, or fails when it cannot.
llvm::Expected<Mapping> foldAll(const IndexSpace &space,
                                const LaunchLimits &limits = {},
                                int64_t threads = 256);

/// The default. Compresses steps and widths away and stays as close to the
/// space as the limits allow: the innermost dimension on x in whole warps
/// (folded with its neighbours when it is shorter than a warp or would waste
/// more than an eighth of the threads), the next one beside it while the block
/// has less than `threads`, the others on the grid when they fit its axes, else
/// folded. With symbolic extents, as `foldAll`. Obeys `limits` for every rank
/// and extent; fails only when the space has more points than the device can
/// start at once, or than 2^63-1.
llvm::Expected<Mapping> fitDevice(const IndexSpace &space,
                                  const LaunchLimits &limits = {},
                                  int64_t threads = 256);

/// A zero-based dense space on the axes of a grid: one linear axis while that
/// fits x (always tried first), else two or three axes and a guard. See
/// Mapping::axes and Mapping::threadAt. Fails for a space that is not zero
/// based, not dense, or larger than any grid.
llvm::Expected<Mapping> mapToGrid(const IndexSpace &space,
                                  const LaunchLimits &limits = {});

/// A zero-based dense tile on one linear thread axis, last dimension fastest.
llvm::Expected<Mapping> mapToThreads(const IndexSpace &space);

} // namespace mlir::tc

#endif // TC_ALGEBRA_STRATEGIES_H
