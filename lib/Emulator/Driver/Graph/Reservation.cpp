//===- Reservation.cpp - Memory that nodes of graphs allocate -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node that allocates has its address when it is made, and memory there while
// a launch has allocated it and nothing has freed it: between, kernels find it
// released.
//
//===----------------------------------------------------------------------===//

#include "Graph/Graph.h"

#include "Device.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

struct driver::Reservation {
  State &state;
  CUdeviceptr address;
  size_t bytes;

  Reservation(State &state, CUdeviceptr address, size_t bytes)
      : state(state), address(address), bytes(bytes) {
    state.reservations[address] = this;
  }
  Reservation(const Reservation &) = delete;
  /// Memory that is still allocated stays so until it is freed.
  ~Reservation() {
    state.reservations.erase(address);
    auto range = state.ranges.find(address);
    if (range != state.ranges.end())
      range->second.isReserved = false;
    else
      llvm::consumeError(
          state.memory.release(reinterpret_cast<void *>(address)));
  }
};

CUresult driver::reserve(Call &call, AllocateStep &step) {
  State &state = call.state;
  if (step.asked.bytesize == 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected at least 1 byte, got 0");
  llvm::Expected<void *> memory = state.memory.allocate(step.asked.bytesize);
  if (!memory)
    return call.fail(CUDA_ERROR_OUT_OF_MEMORY,
                     llvm::toString(memory.takeError()));
  // It was allocated just now.
  llvm::cantFail(state.memory.suspend(*memory));
  step.asked.dptr = reinterpret_cast<CUdeviceptr>(*memory);
  step.asked.accessDescs = nullptr; // the one device may access it
  step.asked.accessDescCount = 0;
  step.memory = std::make_shared<Reservation>(state, step.asked.dptr,
                                              step.asked.bytesize);
  return CUDA_SUCCESS;
}

bool driver::isReserved(const State &state, CUdeviceptr address) {
  return state.reservations.count(address) != 0;
}

std::optional<size_t> driver::countReserved(const State &state,
                                            CUdeviceptr address) {
  auto above = state.reservations.upper_bound(address);
  if (above == state.reservations.begin())
    return std::nullopt;
  auto [start, memory] = *std::prev(above);
  if (address - start >= memory->bytes)
    return std::nullopt;
  return memory->bytes - (address - start);
}

std::string driver::allocateReserved(State &state, const AllocateStep &step,
                                     CUcontext context) {
  CUdeviceptr address = step.asked.dptr;
  if (state.ranges.count(address))
    return ("a node of a graph allocates 0x" + llvm::Twine::utohexstr(address) +
            ", which is allocated already")
        .str();
  if (llvm::Error error =
          state.memory.revive(reinterpret_cast<void *>(address)))
    return llvm::toString(std::move(error));
  Range range{step.asked.bytesize, Owner::Device, context};
  range.number = ++state.allocations;
  range.isReserved = true;
  state.ranges[address] = std::move(range);
  state.reservedUsed += step.asked.bytesize;
  state.reservedHigh = std::max(state.reservedHigh, state.reservedUsed);
  return "";
}

std::string driver::freeReserved(State &state, CUdeviceptr address) {
  auto range = state.ranges.find(address);
  if (range == state.ranges.end())
    return ("a node of a graph frees 0x" + llvm::Twine::utohexstr(address) +
            ", which is not allocated")
        .str();
  state.reservedUsed -= range->second.bytes;
  bool isReserved = range->second.isReserved;
  state.ranges.erase(range);
  auto *pointer = reinterpret_cast<void *>(address);
  // It was the driver's, so a refusal has nothing to tell.
  llvm::consumeError(isReserved ? state.memory.suspend(pointer)
                                : state.memory.release(pointer));
  return "";
}

namespace tc::runtime {
extern "C" {

/// Used and reserved bytes are the same, each with its highest value behind it
/// (CUgraphMem_attribute 0 to 3).
CUresult cuDeviceGetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  Call call("cuDeviceGetGraphMemAttribute", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if (attribute < 0 || attribute > 3)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected an attribute from 0 to 3, got " +
                         llvm::Twine(attribute));
  *static_cast<uint64_t *>(value) =
      attribute % 2 ? call.state.reservedHigh : call.state.reservedUsed;
  return CUDA_SUCCESS;
}

/// Only the highest values can be set, to 0.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  Call call("cuDeviceSetGraphMemAttribute", Needs::Driver);
  if (CUresult bad = checkDevice(call, device))
    return bad;
  if (CUresult bad = checkPlace(call, value))
    return bad;
  if ((attribute != 1 && attribute != 3) ||
      *static_cast<const uint64_t *>(value) != 0)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected 0 for attribute 1 or 3, got another");
  call.state.reservedHigh = call.state.reservedUsed;
  return CUDA_SUCCESS;
}

/// Freed memory is given back at once.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  Call call("cuDeviceGraphMemTrim", Needs::Driver);
  return checkDevice(call, device);
}
}
} // namespace tc::runtime
