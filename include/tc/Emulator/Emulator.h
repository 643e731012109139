//===- Emulator.h - A CUDA device for CPUs ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator executes PTX text on the CPU. It knows PTX and LLVM, and nothing
// of MLIR or of this project's dialect: it judges every producer's kernels by
// the same rules.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EMULATOR_H
#define TC_EMULATOR_EMULATOR_H

#include "tc/Emulator/Blocks.h"
#include "tc/Emulator/Report.h"
#include "tc/Emulator/Suppressions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tc::emulator {

class Usage;

/// The global memory of one device. Addresses are host addresses, so a launcher
/// may copy with memcpy; an address outside every live allocation is an error
/// in a kernel.
class Memory {
public:
  Memory();
  ~Memory();

  /// Whether the checks may take what fresh memory holds for granted.
  enum class Contents {
    Known, ///< yes: the host writes it through the pointer it gets
    Fresh, ///< no: a kernel may read what a kernel or `markInitialized` wrote
  };
  /// An allocation that was not released.
  struct Live {
    void *address;
    size_t bytes;
    uint64_t order; ///< the how manieth allocation it was, from 1
  };

  /// Reserves `bytes` (0 allowed) aligned to 256. Memory of the host is used as
  /// it is touched, so more than it has may be allocated. Fails when there are
  /// no addresses left.
  llvm::Expected<void *> allocate(size_t bytes,
                                  Contents contents = Contents::Known);
  /// Gives back an address that `allocate` returned, suspended or not. Fails
  /// for any other.
  llvm::Error release(void *address);
  /// Takes an address that `allocate` returned from kernels, for which it is as
  /// good as released, until `revive` makes it fresh memory again.
  llvm::Error suspend(void *address);
  llvm::Error revive(void *address);
  /// Makes `bytes` (>= 1) of the caller's own memory at `address`, of any
  /// alignment, legal for kernels to access. Fails where the range touches a
  /// live one.
  llvm::Error registerHost(void *address, size_t bytes);
  /// Ends what `registerHost` began. Fails for any other address.
  llvm::Error unregisterHost(void *address);
  /// Says that the host has written `bytes` at `address`, for memory allocated
  /// as Fresh. Addresses outside every allocation are ignored.
  void markInitialized(const void *address, size_t bytes);
  /// What was allocated and not released, in order: leaks, at the end.
  std::vector<Live> getLive() const;
  /// True when all `bytes` at `address` lie inside one live allocation.
  bool contains(const void *address, size_t bytes) const;
  /// Bytes now allocated.
  size_t used() const;

  struct Impl;
  Impl &impl() { return *state; }

private:
  std::unique_ptr<Impl> state;
};

/// What a running kernel did that ends it.
enum class FaultKind {
  Address,   ///< an access outside of every live allocation
  Alignment, ///< an access that is not aligned to its size
  Timeout,   ///< threads that wait for each other for ever
  Assertion, ///< an assertion of the kernel failed
  Failure,   ///< a trap, a race, and any other end
};

/// The error of Module::launch when the kernel itself failed. Any other error
/// of it came before the kernel ran.
class Fault : public llvm::ErrorInfo<Fault> {
public:
  Fault(FaultKind kind, std::string report)
      : kind(kind), report(std::move(report)) {}
  FaultKind getKind() const { return kind; }
  const std::string &getReport() const { return report; }
  void log(llvm::raw_ostream &os) const override { os << report; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  static inline char ID = 0;

private:
  FaultKind kind;
  std::string report;
};

/// What a host may ask about a kernel before it launches it.
struct KernelInfo {
  uint32_t sharedBytes = 0;    ///< static shared memory, in bytes
  uint32_t parameterBytes = 0; ///< size of the packed parameter buffer
  uint32_t maxThreads = 1024;  ///< from .maxntid or .reqntid, else 1024
  /// From .reqnctapercluster, else zeros; .explicitcluster asks for clusters.
  Dim3 cluster = {0, 0, 0};
  bool needsCluster = false;
  /// Offset and size, in bytes, of each parameter in the packed buffer.
  llvm::SmallVector<std::pair<uint32_t, uint32_t>> parameters;
};

/// How kernels are compiled for the host.
enum class Effort {
  Adaptive,  ///< quickly; for speed once a kernel has run for long enough
  Quick,     ///< least time to compile
  Optimized, ///< least time to run
};

/// Which faults are looked for. Traps, assertions, and barriers that cannot be
/// met are always found.
struct Checks {
  enum Check : uint32_t {
    Addresses = 1, ///< within bounds, and not freed
    Misaligned = 2,
    Uninitialised = 4,
    Races = 8,
    Async = 16,
    Leaks = 32,
    Streams = 64, ///< races between launches, copies and fills
  };
  uint32_t chosen = 0; ///< some of Check

  bool has(uint32_t checks) const { return chosen & checks; }
  /// Those that every access is watched for.
  bool areWatching() const {
    return has(Uninitialised | Races | Async | Streams);
  }
  bool operator==(const Checks &other) const { return chosen == other.chosen; }
  bool operator!=(const Checks &other) const { return chosen != other.chosen; }

  static const Checks None;   ///< a wrong access is the host's own fault
  static const Checks Bounds; ///< bounds and alignment
  static const Checks All;
};
inline constexpr Checks Checks::None{0}, Checks::Bounds{3}, Checks::All{127};

/// Blocks that run together, at most 8 of them, or 16 where the launch may be
/// one that not every GPU can run (CUDA C++ Programming Guide, thread block
/// clusters). The grid is a multiple of it.
struct Cluster {
  Dim3 blocks = {0, 0, 0}; ///< zeros: what the kernel says, or none
  bool mayBeNonPortable = false;
  /// The blocks of the grid run together, whatever clusters they make, and may
  /// wait for each other. There are none in such a launch.
  bool isCooperative = false;

  bool isAskedFor() const { return blocks.x != 0; }
};

/// In which order threads run, and when stores are seen.
struct Schedule {
  enum Kind {
    Deterministic, ///< always the same
    Random,        ///< warps in an order that `seed` gives
    Adversarial,   ///< Random, and all that the memory model allows
  };
  Kind kind = Deterministic;
  uint64_t seed = 0;
};

/// How kernels are run.
struct LaunchOptions {
  Checks checks = Checks::Bounds;
  /// Whether a launch ends with its first error. Otherwise it goes on where
  /// that makes sense: what a wrong access would read is zero, and what it
  /// would write is dropped. By its checks: it goes on unless they are those of
  /// bounds alone, whose code would be up to a fifth slower.
  enum class Stop { First, Never, ByChecks } stop = Stop::ByChecks;
  bool stopsAtFirst() const {
    return stop == Stop::First ||
           (stop == Stop::ByChecks && !checks.areWatching());
  }
  uint32_t findingLimit = 100; ///< sites that are told of
  /// Findings that are known: neither do they stop a launch, nor let it fail.
  /// What leaves nothing to go on with cannot be suppressed.
  std::shared_ptr<Suppressions> suppressions = nullptr;
  Schedule schedule = {};
  uint32_t sampleBlocks = 0; ///< run so many blocks of a grid; 0: all
  uint64_t sampleSeed = 0;   ///< chooses them
  /// How the producer of the kernel numbers its blocks. Where it has another
  /// number of blocks than the grid, the grid's axes are taken.
  std::optional<BlockBox> box = std::nullopt;
  bool count = false; ///< whether LaunchReport::counters is filled
  bool trace = false; ///< and, when it is, LaunchReport::trace
  /// Whether RunningLaunch::takeUsage tells what was done to memory, where
  /// accesses are watched.
  bool keepUsage = false;
  /// The launch may begin before those before it have ended: it tells apart
  /// what was done before griddepcontrol.wait.
  bool isProgrammatic = false;
  /// Counted loads from global memory go by L1, as they do unless ptxas is told
  /// `-dlcm=cg`.
  bool cachesLoads = true;
  enum class Execution {
    Warps,  ///< a warp as vectors, masked where it diverges
    Masked, ///< masked throughout
    Threads ///< one thread after another: the slow reference
  } execution = Execution::Warps;
  /// How matrix instructions add products of narrow floating point: exactly,
  /// rounded once, or as the tensor unit of the PTX's target does.
  enum class Arithmetic { Exact, Hardware } arithmetic = Arithmetic::Exact;
  unsigned workers = 0; ///< host threads; 0: as many as there are cores
  /// Takes what kernels print; without it, it is dropped.
  std::function<void(llvm::StringRef)> print = nullptr;
};

/// A launch that may be run bit by bit, so that its kernel can wait for what
/// the host or another kernel does later. Module and memory outlive it;
/// dropping it ends the kernel where it is.
class RunningLaunch {
public:
  virtual ~RunningLaunch() = default;

  /// Goes on until the kernel ends: true, or the error of Module::launch, and
  /// it is not to be run again. False: a block has made `patience` strong
  /// accesses while none of its threads ended and no barrier completed, as
  /// threads do that wait. Too many of them in all are a deadlock.
  virtual llvm::Expected<bool> run(uint64_t patience) = 0;
  /// Of a launch that `run` left waiting: something happened elsewhere, so what
  /// it has waited until now is not counted any more.
  virtual void forgive() = 0;
  /// What it did to global memory, once it has ended; null where that was not
  /// asked for.
  virtual std::shared_ptr<Usage> takeUsage() = 0;

  static constexpr uint64_t unlimited = UINT64_MAX;
};

/// A PTX module: parsed, verified and ready to be launched. An instruction,
/// directive or modifier that is not covered is refused here by its name and
/// line, before anything runs.
class Module {
public:
  static llvm::Expected<std::unique_ptr<Module>> load(llvm::StringRef ptx);
  ~Module();

  /// The kernel of that name, or null.
  const KernelInfo *find(llvm::StringRef kernel) const;
  /// Whether any kernel waits for launches before it, or lets later ones begin
  /// before it has ended (griddepcontrol).
  bool controlsGrids() const;
  /// Address and size in bytes of a module-level .global or .const variable.
  llvm::Expected<std::pair<void *, size_t>> variable(llvm::StringRef name);

  /// Runs `kernel` to its end on every thread of every block. `parameters`
  /// holds the packed parameter buffer (KernelInfo::parameterBytes). A fault of
  /// the kernel (an access out of bounds or misaligned, a trap) is an error
  /// that names kernel, block, thread and address. It comes once the kernel has
  /// ended, and is that of the first finding (LaunchOptions::stop); limits of
  /// the launch (block of more than 1024 threads, grid y or z above 65535,
  /// shared memory above what a block may have) are errors before anything
  /// runs.
  llvm::Error launch(llvm::StringRef kernel, Dim3 grid, Dim3 block,
                     uint32_t dynamicSharedBytes,
                     llvm::ArrayRef<char> parameters, Memory &memory,
                     const Cluster &cluster = {});

  /// The same for a launch that is run by the caller.
  llvm::Expected<std::unique_ptr<RunningLaunch>>
  begin(llvm::StringRef kernel, Dim3 grid, Dim3 block,
        uint32_t dynamicSharedBytes, llvm::ArrayRef<char> parameters,
        Memory &memory, const Cluster &cluster = {});

  /// What is wrong with the clusters of a launch of `kernel`, if anything is.
  llvm::Error checkCluster(llvm::StringRef kernel, Dim3 grid,
                           const Cluster &cluster) const;

  /// Chooses how kernels are compiled from now on; Adaptive at first. Results
  /// do not depend on it.
  void setEffort(Effort effort);

  /// How kernels are run from now on.
  void setOptions(const LaunchOptions &options);
  const LaunchOptions &getOptions() const;
  /// What was found and counted in the last launch that ran.
  const LaunchReport &getReport() const;

  struct Impl;

private:
  Module();
  std::unique_ptr<Impl> state;
};

} // namespace tc::emulator

#endif // TC_EMULATOR_EMULATOR_H
