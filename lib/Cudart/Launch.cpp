//===- Launch.cpp - Launches of the runtime -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `<<<>>>` pushes a configuration, and the kernel's stub pops it and launches.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

#include <vector>

using namespace tc::cudart;

namespace {

struct Configuration {
  Dim3 grid, block;
  size_t shared;
  CUstream stream;
};

/// cudaLaunchConfig_t; attributes are as the driver has them.
struct LaunchConfig {
  Dim3 grid, block;
  size_t shared;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned count;
};

/// cudaFuncAttributes.
struct Attributes {
  size_t shared, constant, local;
  int maxThreads, registers, ptx, binary, cache, maxDynamicShared, carveout,
      clusterMustBeSet, clusterWidth, clusterHeight, clusterDepth, policy,
      nonPortable, reserved[16];
};

thread_local std::vector<Configuration> configurations;

/// What the runtime itself refuses, by an error of its own.
bool isConfigured(const CUlaunchConfig &config) {
  auto threads =
      uint64_t(config.blockDimX) * config.blockDimY * config.blockDimZ;
  auto blocks = uint64_t(config.gridDimX) * config.gridDimY * config.gridDimZ;
  return blocks && threads && threads <= 1024;
}

Error launch(const void *stub, const CUlaunchConfig &config,
             void **parameters) {
  return call([&](const Driver &d) -> Error {
    if (!isConfigured(config))
      return 9; // cudaErrorInvalidConfiguration
    CUfunction function = nullptr;
    if (Error error = findFunction(stub, function))
      return error;
    return d.cuLaunchKernelEx(&config, function, parameters, nullptr);
  });
}

Error launch(const void *stub, Dim3 grid, Dim3 block, void **parameters,
             size_t shared, CUstream stream) {
  // More would be cut off on its way to the driver.
  if (shared > UINT32_MAX)
    return keep(CUDA_ERROR_INVALID_VALUE);
  CUlaunchConfig config = {grid.x,  grid.y,           grid.z, block.x, block.y,
                           block.z, unsigned(shared), stream, nullptr, 0};
  return launch(stub, config, parameters);
}

template <typename F>
Error withFunction(const void *stub, F run) {
  return call([&](const Driver &d) -> Error {
    CUfunction function = nullptr;
    if (Error error = findFunction(stub, function))
      return error;
    return run(d, function);
  });
}

} // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared,
                                     CUstream stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

Error __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared,
                                 void *stream) {
  if (configurations.empty())
    return keep(9); // cudaErrorInvalidConfiguration
  Configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<CUstream *>(stream) = top.stream;
  return 0;
}

Error cudaLaunchKernel(const void *stub, Dim3 grid, Dim3 block,
                       void **parameters, size_t shared, CUstream stream) {
  return launch(stub, grid, block, parameters, shared, stream);
}

Error __cudaLaunchKernel(void *kernel, Dim3 grid, Dim3 block, void **parameters,
                         size_t shared, CUstream stream) {
  return launch(kernel, grid, block, parameters, shared, stream);
}

Error cudaLaunchCooperativeKernel(const void *stub, Dim3 grid, Dim3 block,
                                  void **parameters, size_t shared,
                                  CUstream stream) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z,
                                       block.x, block.y, block.z,
                                       unsigned(shared), stream, parameters);
  });
}

Error cudaLaunchKernelExC(const void *given, const void *stub,
                          void **parameters) {
  const auto *from = static_cast<const LaunchConfig *>(given);
  if (!from || from->shared > UINT32_MAX)
    return keep(CUDA_ERROR_INVALID_VALUE);
  CUlaunchConfig config = {
      from->grid.x,     from->grid.y,  from->grid.z,           from->block.x,
      from->block.y,    from->block.z, unsigned(from->shared), from->stream,
      from->attributes, from->count};
  return launch(stub, config, parameters);
}

Error cudaFuncGetAttributes(void *place, const void *stub) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) -> Error {
    if (!place)
      return CUDA_ERROR_INVALID_VALUE;
    auto *attributes = static_cast<Attributes *>(place);
    *attributes = {};
    int shared = 0, constant = 0, local = 0;
    const std::pair<int, int *> places[] = {
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attributes->maxThreads},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &attributes->registers},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &attributes->ptx},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &attributes->binary},
        {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attributes->cache},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
         &attributes->maxDynamicShared},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
         &attributes->carveout},
        {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
         &attributes->clusterMustBeSet},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &attributes->clusterWidth},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &attributes->clusterHeight},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &attributes->clusterDepth},
        {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
         &attributes->nonPortable}};
    for (auto [attribute, value] : places)
      if (CUresult bad = d.cuFuncGetAttribute(value, attribute, function))
        return bad;
    attributes->shared = shared;
    attributes->constant = constant;
    attributes->local = local;
    return 0;
  });
}

Error cudaFuncSetAttribute(const void *stub, int attribute, int value) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuFuncSetAttribute(function, attribute, value);
  });
}

Error cudaFuncSetCacheConfig(const void *stub, int config) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuFuncSetCacheConfig(function, config);
  });
}

Error cudaFuncSetSharedMemConfig(const void *, int) { return 0; }

Error cudaFuncGetName(const char **name, const void *stub) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuFuncGetName(name, function);
  });
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                    const void *stub,
                                                    int threads,
                                                    size_t shared) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function,
                                                         threads, shared);
  });
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *stub, int threads, size_t shared, unsigned flags) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, threads, shared, flags);
  });
}

/// As many as all multiprocessors together have room for blocks of: that those
/// of a cluster must be neighbours is left out.
Error cudaOccupancyMaxActiveClusters(int *clusters, const void *stub,
                                     const void *given) {
  const auto *from = static_cast<const LaunchConfig *>(given);
  return withFunction(stub, [=](const Driver &d, CUfunction function) -> Error {
    if (!clusters || !from)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned size = 1;
    for (unsigned i = 0; i < from->count; ++i)
      if (from->attributes[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        const auto &extents = from->attributes[i].value.clusterDim;
        size = extents.x * extents.y * extents.z;
      }
    int blocks = 0, processors = 0;
    int threads = from->block.x * from->block.y * from->block.z;
    Error error = d.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function, threads, from->shared);
    if (!error)
      error = d.cuDeviceGetAttribute(
          &processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, /*device=*/0);
    *clusters = error || !size ? 0 : blocks * processors / int(size);
    return error;
  });
}

Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub,
                                                int blocks, int threads) {
  return withFunction(stub, [=](const Driver &d, CUfunction function) {
    return d.cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks,
                                                     threads);
  });
}
}
