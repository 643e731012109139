/*===- launcher.c - A program written for NVIDIA's driver
------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Knows nothing of the emulator: NVIDIA's header and libcuda.so.1, with two  *|
|* streams, a pool, events, a callback, rows and both ways of launching.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000

static void check(CUresult result, const char *call) {
  const char *name = NULL;
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", call, name ? name : "?");
  exit(1);
}
#define CHECK(call) check(call, #call)

static void CUDA_CB onHost(void *data) { ++*(int *)data; }

/* y = 2 x + y, through cuLaunchKernel or cuLaunchKernelEx. */
static void launch(CUfunction axpy, CUdeviceptr x, CUdeviceptr y, CUstream s,
                   int isEx) {
  unsigned n = COUNT;
  float a = 2;
  void *arguments[] = {&n, &a, &x, &y};
  int grid = 0, block = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, axpy, NULL, 0, 128));
  grid = (COUNT + block - 1) / block;
  if (isEx) {
    CUlaunchConfig config = {0};
    config.gridDimX = grid;
    config.blockDimX = block;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = s;
    CHECK(cuLaunchKernelEx(&config, axpy, arguments, NULL));
  } else {
    CHECK(cuLaunchKernel(axpy, grid, 1, 1, block, 1, 1, 0, s, arguments, NULL));
  }
}

/* Rows of 100 bytes from `from`, and what they sum to. */
static unsigned sumRows(CUdeviceptr from) {
  static unsigned char rows[4][100];
  unsigned sum = 0;
  CUDA_MEMCPY2D copy = {0};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.srcPitch = 1000;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = rows;
  copy.dstPitch = 100;
  copy.WidthInBytes = 100;
  copy.Height = 4;
  CHECK(cuMemcpy2D(&copy));
  for (int i = 0; i != 400; ++i)
    sum += rows[i / 100][i % 100];
  return sum;
}

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction axpy;
  CUdeviceptr x, y;
  CUstream stream;
  CUevent start, end;
  CUmemoryPool pool;
  static float host[COUNT];
  float milliseconds = -1, sum = 0;
  int calls = 0, version = 0;
  void *looked = NULL;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDriverGetVersion(&version));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[argc - 1]));
  CHECK(cuModuleGetFunction(&axpy, module, "axpy"));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuDeviceGetDefaultMemPool(&pool, device));
  CHECK(cuMemAllocFromPoolAsync(&x, sizeof(host), pool, stream));
  CHECK(cuMemAlloc(&y, sizeof(host)));
  for (int i = 0; i != COUNT; ++i)
    host[i] = (float)i;
  CHECK(cuMemcpyHtoDAsync(x, host, sizeof(host), stream));
  CHECK(cuMemsetD32Async(y, 0, COUNT, stream));
  CHECK(cuEventRecord(start, stream));
  launch(axpy, x, y, stream, 0);
  CHECK(cuEventRecord(end, stream));
  CHECK(cuStreamWaitEvent(NULL, end, 0));
  launch(axpy, x, y, NULL, 1);
  CHECK(cuLaunchHostFunc(stream, onHost, &calls));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(cuMemcpyDtoH(host, y, sizeof(host)));
  for (int i = 0; i != COUNT; ++i)
    sum += host[i];
  printf("sum %.0f, %d calls of the host, time %s\n", sum, calls,
         milliseconds >= 0 ? "passed" : "went back");
  CHECK(cuMemsetD8(y, 3, sizeof(host)));
  printf("rows %u\n", sumRows(y));
  CHECK(cuGetProcAddress("cuMemAlloc", &looked, version, 0, NULL));
  printf("cuMemAlloc %s\n", looked ? "found" : "not found");
  CHECK(cuMemFreeAsync(x, stream));
  CHECK(cuMemFree(y));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  return 0;
}
