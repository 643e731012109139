// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whether its kernel was compiled for sm_90a or for sm_90.

#include <cstdio>

__global__ void tell(bool *hasFeatures) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *hasFeatures = true;
#else
  *hasFeatures = false;
#endif
}

int main() {
  bool *device = nullptr, host = false;
  cudaMalloc(&device, sizeof(host));
  tell<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::puts(host ? "for sm_90a" : "for sm_90");
}
