//===- PackageRun.cpp - The calls of packaged kernels ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc_package.h: the context of a call, where its buffers lie, and launches.
//
//===----------------------------------------------------------------------===//

#include "CpuLevel.h"
#include "Kernels.h"
#include "Library/Products.h"
#include "Package/Package.h"
#include "Session.h"
#include "Stack.h"
#include "StreamMemory.h"
#include "StridedCopy.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

using namespace tc::runtime;

namespace {
/// What host code is given as its `call`.
struct Call {
  const Driver &driver;
  const LoadedVariant &loaded;
  CUstream
      stream; ///< that launches and copies go to: to begin with the caller's
  const char *name; ///< of the entry
  int status = TC_OK;
  bool overlaps = false; ///< the next launch, with the one before it
  CallStreams streams{driver, loaded.streams, stream};
};

/// The context that a call is for, current while this lives.
class CallContext {
public:
  explicit CallContext(const Driver &driver) : driver(driver) {}

  /// Enters that of the stream; else the current one, if it is of device
  /// `ordinal` or that is not given; else the primary one of this device, or of
  /// the one that `buffer` lies on. Finds the kernels of `entry` there.
  int load(const tcPackagedEntry &entry, CUstream stream, CUdeviceptr buffer,
           std::optional<int> ordinal = std::nullopt);

  const LoadedVariant *loaded = nullptr;

private:
  int enter(CUstream stream, CUdeviceptr buffer, std::optional<int> ordinal);
  bool isCurrentOn(int ordinal) const;
  int findDevice(CUdeviceptr buffer) const;

  CUcontext context = nullptr;
  const Driver &driver;
  std::optional<CurrentContext> pushed;
};

} // namespace

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// The legacy default stream and the thread's have the handles 1 and 2.
static bool isDefaultStream(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2;
}

/// The primary context of a device, held by this library from then on.
static CUresult findPrimaryContext(const Driver &driver, CUdevice device,
                                   CUcontext &context) {
  constexpr int kept = 64;
  static std::atomic<CUcontext> contexts[kept];
  if (device < 0 || device >= kept)
    return CUDA_ERROR_INVALID_DEVICE;
  context = contexts[device].load(std::memory_order_acquire);
  if (context)
    return CUDA_SUCCESS;
  CUresult result = driver.cuDevicePrimaryCtxRetain(&context, device);
  if (result == CUDA_SUCCESS)
    contexts[device].store(context, std::memory_order_release);
  return result;
}

/// Is the current context one of this device?
bool CallContext::isCurrentOn(int ordinal) const {
  CUdevice device = 0;
  return driver.cuCtxGetDevice &&
         driver.cuCtxGetDevice(&device) == CUDA_SUCCESS && device == ordinal;
}

/// The device that a buffer lies on. A pointer that no device knows is found
/// wrong later, on device 0.
int CallContext::findDevice(CUdeviceptr buffer) const {
  int device = 0;
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
  void *place = &device;
  if (!buffer || driver.cuPointerGetAttributes(1, &attribute, &place, buffer) !=
                     CUDA_SUCCESS)
    return 0;
  return std::max(device, 0);
}

int CallContext::enter(CUstream stream, CUdeviceptr buffer,
                       std::optional<int> ordinal) {
  CUcontext current = nullptr;
  if (!driver.cuCtxGetCurrent || !driver.cuPointerGetAttributes ||
      !driver.cuStreamGetCtx)
    return fail(TC_DRIVER_TOO_OLD,
                driver.library + ": expected a driver for CUDA 9.2 or later");
  CUresult result = driver.cuCtxGetCurrent(&current);
  if (result != CUDA_SUCCESS)
    return check(driver, "cuCtxGetCurrent", result);
  context = current;
  if (!isDefaultStream(stream)) {
    result = driver.cuStreamGetCtx(stream, &context);
    if (result != CUDA_SUCCESS)
      return check(driver, "cuStreamGetCtx", result);
  } else if (context && ordinal && !isCurrentOn(*ordinal)) {
    context = nullptr;
  }
  if (!context) {
    result = findPrimaryContext(driver, ordinal ? *ordinal : findDevice(buffer),
                                context);
    if (result != CUDA_SUCCESS)
      return check(driver, "cuDevicePrimaryCtxRetain", result);
  }
  if (context == current)
    return TC_OK;
  pushed.emplace(driver, context);
  return check(driver, "cuCtxPushCurrent", pushed->status());
}

int CallContext::load(const tcPackagedEntry &entry, CUstream stream,
                      CUdeviceptr buffer, std::optional<int> ordinal) {
  int status = enter(stream, buffer, ordinal);
  if (status == TC_OK)
    loaded = findLoaded(driver, entry, context, status);
  return status;
}

//===----------------------------------------------------------------------===//
// Where buffers lie
//===----------------------------------------------------------------------===//

namespace {
/// What a driver knows of an address; zeros where it knows nothing.
struct PointerFacts {
  unsigned memoryType = 0;
  int device = 0;
  bool isManaged = false;
  CUdeviceptr start = 0;
  size_t bytes = 0;

  uintptr_t end() const { return static_cast<uintptr_t>(start) + bytes; }
};
} // namespace

static CUresult askPointer(const Driver &driver, uintptr_t address,
                           PointerFacts &facts) {
  CUpointer_attribute attributes[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *places[] = {&facts.memoryType, &facts.device, &facts.isManaged,
                    &facts.start, &facts.bytes};
  return driver.cuPointerGetAttributes(5, attributes, places,
                                       static_cast<CUdeviceptr>(address));
}

/// Does the allocation of `first` end before `end`? Memory that was mapped in
/// pieces has an allocation in each, one after the other.
static bool endsBefore(const Driver &driver, PointerFacts facts,
                       uintptr_t end) {
  while (facts.end() < end) {
    uintptr_t piece = facts.end();
    facts = PointerFacts();
    if (askPointer(driver, piece, facts) != CUDA_SUCCESS || facts.bytes == 0)
      return true;
  }
  return false;
}

static int checkRange(const Call &call, const tcPackagedEntry &entry,
                      const char *argument, ByteRange range,
                      bool isOnHost = false) {
  const Driver &driver = call.driver;
  PointerFacts facts;
  CUresult result = askPointer(driver, range.begin, facts);
  if (result != CUDA_SUCCESS)
    return check(driver, "cuPointerGetAttributes", result);
  auto refuse = [&](tcStatus status, const std::string &why) {
    return failIn(entry, status, argument + (": expected " + why));
  };
  auto wrongDevice = [&](const std::string &got) {
    std::string place =
        isOnHost ? "the host" : "device " + std::to_string(call.loaded.device);
    return refuse(TC_WRONG_DEVICE, "memory of " + place + ", got " + got);
  };
  if (facts.memoryType == 0)
    return isOnHost || call.loaded.readsHostMemory
               ? static_cast<int>(TC_OK)
               : wrongDevice("an address that the driver does not know");
  if (facts.memoryType == CU_MEMORYTYPE_DEVICE && !facts.isManaged &&
      (isOnHost || facts.device != call.loaded.device))
    return wrongDevice("some of device " + std::to_string(facts.device));
  if (endsBefore(driver, facts, range.end))
    return refuse(TC_BUFFER_TOO_SMALL,
                  std::to_string(range.end - range.begin) +
                      " bytes, got an allocation that ends after " +
                      std::to_string(facts.end() - range.begin));
  return TC_OK;
}

static int checkPlaces(const Call &call, const Request &request,
                       ByteRange workspace) {
  const tcPackagedEntry &entry = request.entry;
  for (uint32_t i = 0; i != entry.numArguments; ++i) {
    if (request.range(i).isEmpty())
      continue;
    if (int status =
            checkRange(call, entry, entry.arguments[i].name, request.range(i),
                       entry.arguments[i].role & TC_HOST))
      return status;
  }
  if (workspace.isEmpty())
    return TC_OK;
  return checkRange(call, entry, "workspace", workspace);
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

/// The first buffer of the device that is not empty.
static CUdeviceptr anyBuffer(const Request &request) {
  for (uint32_t i = 0; i != request.entry.numArguments; ++i)
    if (!request.range(i).isEmpty() &&
        !(request.entry.arguments[i].role & TC_HOST))
      return static_cast<CUdeviceptr>(request.range(i).begin);
  return 0;
}

/// Checks what needs no driver.
static int checkRequest(Request &request) {
  if (int status = request.readShapes())
    return status;
  return request.checkBuffers();
}

/// Launches with the workspace of `request`, of which `needed` bytes are used,
/// in the context of the call.
static int launch(const Driver &driver, const Request &request,
                  const LoadedVariant &loaded, CUstream stream, void *workspace,
                  int64_t needed) {
  Call call{driver, loaded, stream, request.entry.name};
  auto begin = reinterpret_cast<uintptr_t>(workspace);
  ByteRange used{begin, begin + static_cast<uintptr_t>(needed)};
  if (int status = checkPlaces(call, request, used))
    return status;
  loaded.variant->launch(&call, request.words());
  if (call.status != TC_OK)
    call.streams.join();
  return call.status;
}

int tcPackageRun(const tcPackagedEntry *entry, const int64_t *values,
                 void *workspace, size_t workspaceBytes, void *stream) {
  if (int status = checkAbi(entry))
    return status;
  Request request(*entry, values);
  if (int status = checkRequest(request))
    return status;
  const Driver *driver = findDriver();
  if (!driver)
    return TC_NO_DEVICE;
  auto *onStream = static_cast<CUstream>(stream);
  CallContext context(*driver);
  if (int status = context.load(*entry, onStream, anyBuffer(request)))
    return status;
  lastRemark().clear();
  int64_t needed = context.loaded->variant->workspace(request.words());
  if (int status = request.setWorkspace(needed, workspace, workspaceBytes))
    return status;
  return launch(*driver, request, *context.loaded, onStream, workspace, needed);
}

int tc::runtime::runWithOwnWorkspace(const tcPackagedEntry &entry,
                                     const int64_t *values, CUstream stream,
                                     int ordinal) {
  Request request(entry, values);
  if (int status = checkRequest(request))
    return status;
  const Driver *driver = findDriver();
  if (!driver)
    return TC_NO_DEVICE;
  CallContext context(*driver);
  if (int status = context.load(entry, stream, anyBuffer(request), ordinal))
    return status;
  lastRemark().clear();
  int64_t needed = context.loaded->variant->workspace(request.words());
  CUdeviceptr address = 0;
  if (needed > 0)
    if (int status =
            allocateOn(*driver, static_cast<size_t>(needed), stream, address))
      return status;
  auto *workspace = reinterpret_cast<void *>(address);
  int status = request.setWorkspace(
      needed, workspace, static_cast<size_t>(std::max<int64_t>(needed, 0)));
  if (status == TC_OK)
    status =
        launch(*driver, request, *context.loaded, stream, workspace, needed);
  if (!address)
    return status;
  int freed = freeOn(*driver, address, stream);
  return status != TC_OK ? status : freed;
}

static size_t roundUp(int64_t bytes) {
  constexpr size_t alignment = TC_WORKSPACE_ALIGNMENT;
  return (static_cast<size_t>(bytes) + alignment - 1) / alignment * alignment;
}

/// Gives the version of `entry` for the highest level that this process has.
static int chooseCpu(const tcPackagedEntry &entry,
                     const tcPackagedCpu *&chosen) {
  chosen = &entry.cpus[0];
  if (chosen->level == 0)
    return TC_OK;
  const CpuLevel &level = cpuLevel();
  if (!level.error.empty())
    return failIn(entry, TC_NO_CPU_VERSION, level.error);
  if (level.number < chosen->level)
    return failIn(entry, TC_NO_CPU_VERSION,
                  "expected a CPU of " + nameOfLevel(chosen->level) +
                      " or higher, got one of " + nameOfLevel(level.number));
  for (uint64_t i = 1; i != entry.numCpus; ++i)
    if (entry.cpus[i].level <= level.number)
      chosen = &entry.cpus[i];
  return TC_OK;
}

int tcPackageRunCpu(const tcPackagedEntry *entry, const int64_t *values,
                    void *workspace, size_t workspaceBytes) {
  if (int status = checkAbi(entry))
    return status;
  if (entry->numCpus == 0)
    return failIn(*entry, TC_NO_CPU_VERSION, "expected a version for the CPU");
  const tcPackagedCpu *cpu = nullptr;
  if (int status = chooseCpu(*entry, cpu))
    return status;
  Request request(*entry, values);
  if (int status = checkRequest(request))
    return status;
  int64_t needed = cpu->workspace(request.words());
  std::unique_ptr<void, void (*)(void *)> own(nullptr, std::free);
  if (!workspace && needed > 0) {
    own.reset(std::aligned_alloc(TC_WORKSPACE_ALIGNMENT, roundUp(needed)));
    if (!own)
      return failIn(*entry, TC_OUT_OF_MEMORY,
                    "expected " + std::to_string(needed) +
                        " bytes of memory for workspace");
    workspace = own.get();
    workspaceBytes = static_cast<size_t>(needed);
  }
  if (int status = request.setWorkspace(needed, workspace, workspaceBytes))
    return status;
  if (!callWithStack(cpu->launch, request.words()))
    return failIn(*entry, TC_OUT_OF_MEMORY,
                  "expected 2 MiB of stack, or a thread that has them");
  return TC_OK;
}

/// Writes what `measure` says of a call of these parameters.
template <typename Measure>
static int askWorkspace(const tcPackagedEntry *entry, const int64_t *parameters,
                        size_t *bytes, Measure measure) {
  if (!bytes)
    return failIn(*entry, TC_INVALID_ARGUMENT,
                  "expected a place for the bytes of workspace, got null");
  // No buffers: only extents and strides matter.
  std::vector<int64_t> values(entry->numArguments + entry->numParameters);
  std::copy(parameters, parameters + entry->numParameters,
            values.begin() + entry->numArguments);
  Request request(*entry, values.data());
  if (int status = request.readShapes())
    return status;
  *bytes = static_cast<size_t>(measure(request.words()));
  return TC_OK;
}

int tcPackageWorkspace(const tcPackagedEntry *entry, const int64_t *parameters,
                       size_t *bytes) {
  if (int status = checkAbi(entry))
    return status;
  return askWorkspace(entry, parameters, bytes, [&](const int64_t *words) {
    int64_t most = 0;
    for (uint32_t i = 0; i != entry->numVariants; ++i)
      most = std::max(most, entry->variants[i].workspace(words));
    return most;
  });
}

int tcPackageWorkspaceCpu(const tcPackagedEntry *entry,
                          const int64_t *parameters, size_t *bytes) {
  if (int status = checkAbi(entry))
    return status;
  const tcPackagedCpu *cpu = nullptr;
  if (entry->numCpus != 0)
    if (int status = chooseCpu(*entry, cpu))
      return status;
  return askWorkspace(entry, parameters, bytes, [&](const int64_t *words) {
    return cpu ? cpu->workspace(words) : 0;
  });
}

int tcPackagePrepare(const tcPackagedEntry *entry, void *stream) {
  if (int status = checkAbi(entry))
    return status;
  const Driver *driver = findDriver();
  if (!driver)
    return TC_NO_DEVICE;
  lastRemark().clear();
  CallContext context(*driver);
  int status =
      context.load(*entry, static_cast<CUstream>(stream), /*buffer=*/0);
  if (status != TC_OK || context.loaded->variant->numProducts == 0)
    return status;
  if (std::string why = prepareProducts(*driver); !why.empty())
    lastRemark() = entry->name + (": no library computes products: " + why);
  return TC_OK;
}

//===----------------------------------------------------------------------===//
// What host code calls
//===----------------------------------------------------------------------===//

/// Allows the kernel as much dynamic shared memory as it is launched with.
static int allowShared(const Call &call, LoadedKernel &kernel, int64_t bytes) {
  if (bytes <= kernel.allowedShared.load(std::memory_order_relaxed))
    return TC_OK;
  std::string error;
  CUresult result = allowDynamicShared(call.driver, kernel.function,
                                       static_cast<unsigned>(bytes), error);
  if (result != CUDA_SUCCESS)
    return fail(classify(result), error);
  kernel.allowedShared.store(bytes, std::memory_order_relaxed);
  return TC_OK;
}

void tcPackageLaunch(void *opaque, int64_t number, const int64_t *shape,
                     int64_t dynamicShared, void **parameters) {
  auto &call = *static_cast<Call *>(opaque);
  if (call.status != TC_OK)
    return;
  LoadedKernel &kernel = call.loaded.kernels[number];
  call.status = allowShared(call, kernel, dynamicShared);
  if (call.status != TC_OK)
    return;
  LaunchShape extents;
  std::copy_n(shape, extents.size(), extents.begin());
  std::string error;
  CUresult result = launchKernel(
      call.driver, kernel.function, extents,
      static_cast<unsigned>(dynamicShared), call.stream, parameters, error,
      /*extra=*/nullptr, std::exchange(call.overlaps, false));
  if (result != CUDA_SUCCESS)
    call.status = fail(result == CUDA_ERROR_INVALID_VALUE ? TC_INVALID_LAUNCH
                                                          : classify(result),
                       error);
}

void tcPackageOverlap(void *opaque) {
  static_cast<Call *>(opaque)->overlaps = true;
}

int64_t tcPackageProduct(void *opaque, int64_t number, void *a, void *b,
                         void *c, void *d, void *workspace,
                         int64_t workspaceBytes) {
  auto &call = *static_cast<Call *>(opaque);
  if (call.status != TC_OK)
    return 1;
  CUstream stream = nullptr;
  call.streams.find(0, stream);
  std::string why = computeProduct(call.driver,
                                   {call.loaded.variant->products[number],
                                    {a, b, c, d},
                                    workspace,
                                    static_cast<size_t>(workspaceBytes)},
                                   stream);
  if (why.empty())
    return 1;
  lastRemark() = call.name + (": no library computes a product: " + why);
  return 0;
}

void tcPackageCopy(void *opaque, void *to, const void *from,
                   int64_t elementBytes, int64_t rank, const int64_t *shape) {
  auto &call = *static_cast<Call *>(opaque);
  if (call.status == TC_OK)
    call.status =
        check(call.driver, "cuMemcpyAsync",
              copyStrided(call.driver, {to, from, elementBytes, rank, shape},
                          call.stream));
}

/// Unless there was a failure, makes a call of the driver for streams.
template <typename Body>
static void runOnStreams(void *opaque, const char *name, Body body) {
  auto &call = *static_cast<Call *>(opaque);
  if (call.status == TC_OK)
    call.status = check(call.driver, name, body(call));
}

void tcPackageSelect(void *opaque, int64_t stream) {
  runOnStreams(opaque, "cuStreamCreate", [&](Call &call) {
    return call.streams.find(stream, call.stream);
  });
}

void tcPackageRecord(void *opaque, int64_t stream, int64_t event) {
  runOnStreams(opaque, "cuEventRecord",
               [&](Call &call) { return call.streams.record(stream, event); });
}

void tcPackageWait(void *opaque, int64_t stream, int64_t event) {
  runOnStreams(opaque, "cuStreamWaitEvent",
               [&](Call &call) { return call.streams.wait(stream, event); });
}
