//===- Launch.cpp - Launches of the emulated driver -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything a device would refuse of a launch is refused here, so that what
// the emulator reports is the kernel's own doing.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Module/Kernel.h"

#include "llvm/ADT/SmallVector.h"

#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

using Packed = llvm::SmallVector<char, 256>;

/// Packs parameters that are given by the place of each.
static CUresult packValues(const Call &call, const Kernel &kernel,
                           void **values, Packed &packed) {
  packed.assign(kernel.info.parameterBytes, 0);
  for (auto [i, place] : llvm::enumerate(kernel.info.parameters)) {
    if (!values || !values[i])
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "kernel '" + kernel.name +
                           "': expected a value for "
                           "each of " +
                           llvm::Twine(kernel.info.parameters.size()) +
                           " parameters, got null for parameter " +
                           llvm::Twine(i));
    memcpy(packed.data() + place.first, values[i], place.second);
  }
  return CUDA_SUCCESS;
}

/// Takes parameters that the caller has packed: pairs of a key and a value, and
/// an end.
static CUresult takePacked(const Call &call, const Kernel &kernel, void **extra,
                           Packed &packed) {
  const void *buffer = nullptr;
  const size_t *size = nullptr;
  for (void **pair = extra;; pair += 2) {
    auto key = static_cast<LaunchExtra>(reinterpret_cast<uintptr_t>(pair[0]));
    if (key == LaunchExtra::End)
      break;
    if (key == LaunchExtra::BufferPointer)
      buffer = pair[1];
    else if (key == LaunchExtra::BufferSize)
      size = static_cast<const size_t *>(pair[1]);
    else
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected a buffer, its size or an end in extra, got "
                       "another key");
  }
  size_t expected = kernel.info.parameterBytes;
  if (!size || *size < expected || (!buffer && expected != 0))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "kernel '" + kernel.name + "': expected a buffer of " +
                         llvm::Twine(expected) + " bytes of parameters, got " +
                         llvm::Twine(buffer && size ? *size : 0));
  const char *bytes = static_cast<const char *>(buffer);
  packed.assign(bytes, bytes + expected);
  return CUDA_SUCCESS;
}

static CUresult pack(const Call &call, const Kernel &kernel, void **values,
                     void **extra, Packed &packed) {
  if (values && extra)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected parameters either by place or packed, got both");
  return extra ? takePacked(call, kernel, extra, packed)
               : packValues(call, kernel, values, packed);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static CUresult checkExtents(const Call &call, const CUlaunchConfig &launch) {
  const struct {
    const char *what;
    unsigned extent;
    int limit;
  } rows[] = {
      {"grid x", launch.gridDimX, limits::gridX},
      {"grid y", launch.gridDimY, limits::gridYZ},
      {"grid z", launch.gridDimZ, limits::gridYZ},
      {"block x", launch.blockDimX, limits::blockX},
      {"block y", launch.blockDimY, limits::blockY},
      {"block z", launch.blockDimZ, limits::blockZ},
  };
  for (const auto &row : rows)
    if (CUresult bad = checkExtent(call, row.what, row.extent, row.limit))
      return bad;
  return CUDA_SUCCESS;
}

static CUresult checkLimits(const Call &call, const Kernel &kernel,
                            const CUlaunchConfig &launch) {
  if (CUresult bad = checkExtents(call, launch))
    return bad;
  uint64_t threads =
      uint64_t(launch.blockDimX) * launch.blockDimY * launch.blockDimZ;
  auto expected = "kernel '" + kernel.name + "': expected at most ";
  if (threads > limits::threadsPerBlock)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     expected + llvm::Twine(limits::threadsPerBlock) +
                         " threads in a block, got " + llvm::Twine(threads));
  if (threads > kernel.info.maxThreads)
    return call.fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                     expected + llvm::Twine(kernel.info.maxThreads) +
                         " threads in a block, as it is declared, got " +
                         llvm::Twine(threads));
  if (launch.sharedMemBytes > kernel.maxDynamicShared)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     expected + llvm::Twine(kernel.maxDynamicShared) +
                         " bytes of dynamic shared memory (its attribute "
                         "MAX_DYNAMIC_SHARED_SIZE_BYTES), got " +
                         llvm::Twine(launch.sharedMemBytes));
  return CUDA_SUCCESS;
}

static CUresult checkAttributes(const Call &call,
                                const CUlaunchConfig &launch) {
  if (launch.numAttrs != 0 && !launch.attrs)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected launch attributes, got null");
  return CUDA_SUCCESS;
}

static bool isCooperative(const CUlaunchConfig &launch) {
  for (unsigned i = 0; i < launch.numAttrs; ++i)
    if (launch.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
        launch.attrs[i].value.cooperative)
      return true;
  return false;
}

static bool mayBeginEarly(const CUlaunchConfig &launch) {
  for (unsigned i = 0; i < launch.numAttrs; ++i)
    if (launch.attrs[i].id ==
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
        launch.attrs[i].value.programmaticStreamSerializationAllowed)
      return true;
  return false;
}

/// All blocks of a cooperative launch are to be resident at once.
static CUresult checkResident(const Call &call, const Kernel &kernel,
                              const CUlaunchConfig &launch) {
  if (!isCooperative(launch))
    return CUDA_SUCCESS;
  uint64_t threads =
      uint64_t(launch.blockDimX) * launch.blockDimY * launch.blockDimZ;
  uint64_t blocks =
      uint64_t(launch.gridDimX) * launch.gridDimY * launch.gridDimZ;
  uint64_t most = uint64_t(multiprocessors) *
                  countResident(kernel, threads, launch.sharedMemBytes);
  if (blocks <= most)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                   "kernel '" + kernel.name +
                       "': expected a cooperative launch of at most " +
                       llvm::Twine(most) + " blocks, got " +
                       llvm::Twine(blocks));
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static CUresult getCode(FindingClass what) {
  switch (what) {
#define TC_CASE(name, text, status)                                            \
  case FindingClass::name:                                                     \
    return CUDA_ERROR_##status;
    TC_FINDING_CLASSES(TC_CASE)
#undef TC_CASE
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

/// One turn of a launch. A fault stays with the context of the kernel, and is
/// what the next call returns, as it is on a GPU.
static bool runLaunch(const Turn &turn, JournalLaunch &launch, CUcontext owner,
                      const Backtrace &callers) {
  if (turn.fault)
    return true;
  if (turn.isFresh)
    launch.running->forgive();
  State &state = turn.state;
  const LaunchRecord *record = state.journal.run(
      launch, turn.patience, [&] { return describe(callers); });
  if (!record)
    return false;
  state.races.tell(turn, launch.running->takeUsage());
  if (const Finding *fault = record->getFault()) {
    Context &context = *state.contexts.find(owner);
    context.fault = getCode(fault->what);
    context.report = fault->text;
  }
  if (!record->report.findings.empty()) {
    state.print(*record);
    state.publish(/*always=*/true);
  }
  if (state.settings.report.empty())
    state.journal.clear(); // nobody will read it
  return true;
}

/// What the launch asks for; the kernel may say it, too.
static ::tc::emulator::Cluster getCluster(const Kernel &kernel,
                                          const CUlaunchConfig &launch) {
  ::tc::emulator::Cluster cluster;
  cluster.mayBeNonPortable = kernel.mayBeNonPortable;
  cluster.isCooperative = isCooperative(launch);
  for (unsigned i = 0; i < launch.numAttrs; ++i)
    if (launch.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = launch.attrs[i].value.clusterDim;
      cluster.blocks = {dim.x, dim.y, dim.z};
    }
  return cluster;
}

CUresult driver::makeKernelStep(Call &call, const CUlaunchConfig &launch,
                                CUfunction function, void **values,
                                void **extra, KernelStep &step) {
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  if (CUresult bad = checkAttributes(call, launch))
    return bad;
  if (CUresult bad = checkLimits(call, *kernel, launch))
    return bad;
  if (CUresult bad = checkResident(call, *kernel, launch))
    return bad;
  Packed packed;
  if (CUresult bad = pack(call, *kernel, values, extra, packed))
    return bad;
  ::tc::emulator::Cluster cluster = getCluster(*kernel, launch);
  Module &module = *call.state.modules.find(kernel->module)->module;
  Dim3 grid = {launch.gridDimX, launch.gridDimY, launch.gridDimZ};
  if (llvm::Error bad = module.checkCluster(kernel->name, grid, cluster))
    return call.fail(cluster.isCooperative ? CUDA_ERROR_NOT_SUPPORTED
                                           : CUDA_ERROR_INVALID_CLUSTER_SIZE,
                     llvm::toString(std::move(bad)));
  step.function = function;
  step.shape = launch;
  step.shape.attrs = nullptr;
  step.shape.numAttrs = 0;
  step.attributes.assign(launch.attrs, launch.attrs + launch.numAttrs);
  step.parameters.assign(packed.begin(), packed.end());
  return CUDA_SUCCESS;
}

llvm::Expected<Work> driver::beginKernel(State &state, KernelStep step,
                                         bool isProgrammatic,
                                         Backtrace callers) {
  Kernel *kernel = state.kernels.find(step.function);
  if (!kernel)
    return llvm::createStringError(
        "expected a kernel, got one of a module unloaded");
  CUlaunchConfig launch = step.getConfig();
  Module &module = *state.modules.find(kernel->module)->module;
  LaunchOptions options = state.settings.chooseOptions(kernel->name);
  options.keepUsage = state.races.isOn() && options.checks.has(Checks::Streams);
  options.isProgrammatic = isProgrammatic;
  module.setOptions(options);
  llvm::Expected<JournalLaunch> begun = state.journal.begin(
      module, kernel->name, {launch.gridDimX, launch.gridDimY, launch.gridDimZ},
      {launch.blockDimX, launch.blockDimY, launch.blockDimZ},
      launch.sharedMemBytes, step.parameters, state.memory,
      getCluster(*kernel, launch));
  if (!begun)
    return begun.takeError();
  return Work([launch = std::move(*begun), owner = kernel->context,
               callers = std::move(callers)](const Turn &turn) mutable {
    return runLaunch(turn, launch, owner, callers);
  });
}

static CUresult failToBegin(Call &call, llvm::Error error) {
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  std::string reason;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (info.convertToErrorCode() == std::errc::not_enough_memory)
      result = CUDA_ERROR_OUT_OF_MEMORY;
    reason = info.message();
  });
  return call.fail(result, reason);
}

static CUresult launchKernel(const char *name, const CUlaunchConfig &launch,
                             CUfunction function, void **values, void **extra) {
  Call call(name, launch.hStream);
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  if (call.handle != kernel->context)
    return call.fail(CUDA_ERROR_INVALID_HANDLE,
                     "expected a kernel of the context of the stream, got one "
                     "of another context");
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  KernelStep step;
  if (CUresult bad =
          makeKernelStep(call, launch, function, values, extra, step))
    return bad;
  if (capture)
    return captureKernel(call, *capture, std::move(step),
                         mayBeginEarly(launch));
  Dependencies dependencies;
  dependencies.kind = Dependencies::Launch;
  StreamRaces &races = call.state.races;
  if (mayBeginEarly(launch))
    races.begin();
  uint64_t before = races.getLaunchBefore(call.getLane());
  if (mayBeginEarly(launch) && before)
    dependencies.launches = before;
  llvm::Expected<Work> work =
      beginKernel(call.state, std::move(step), !dependencies.launches.empty(),
                  call.state.noteCaller());
  if (!work)
    return failToBegin(call, work.takeError());
  uint64_t ticket = call.submit(std::move(*work), dependencies);
  return call.state.isBlocking ? call.wait(ticket, call.handle) : CUDA_SUCCESS;
}

/// Records what the attributes of a launch that was given ask for: events of
/// its blocks or of its beginning come at its end, at the latest moment that is
/// allowed.
static CUresult recordEvents(const CUlaunchConfig &launch) {
  for (unsigned i = 0; i < launch.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = launch.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
        attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
      if (CUresult bad = cuEventRecord(attribute.value.programmaticEvent.event,
                                       launch.hStream))
        return bad;
  }
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned dynamicShared,
                        CUstream stream, void **parameters, void **extra) {
  CUlaunchConfig launch = {gridX,  gridY,         gridZ,  blockX,  blockY,
                           blockZ, dynamicShared, stream, nullptr, 0};
  return launchKernel("cuLaunchKernel", launch, function, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned dynamicShared,
                                   CUstream stream, void **parameters) {
  CUlaunchAttribute cooperative = {};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig launch = {gridX,  gridY,         gridZ,  blockX,       blockY,
                           blockZ, dynamicShared, stream, &cooperative, 1};
  return launchKernel("cuLaunchCooperativeKernel", launch, function, parameters,
                      nullptr);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  if (!config) {
    Call call("cuLaunchKernelEx", Needs::Driver);
    return checkPlace(call, config);
  }
  if (CUresult bad = launchKernel("cuLaunchKernelEx", *config, function,
                                  parameters, extra))
    return bad;
  return recordEvents(*config);
}
}
} // namespace tc::runtime
