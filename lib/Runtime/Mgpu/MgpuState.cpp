//===- MgpuState.cpp - Driver and error of the mgpu library ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state behind the mgpu* functions and the calls of tc_mgpu.h.
//
//===----------------------------------------------------------------------===//

#include "Mgpu/MgpuState.h"

#include "tc-runtime/tc_mgpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

using namespace tc::runtime;

namespace {

struct State {
  std::mutex mutex;
  const Driver *driver = nullptr;
  std::map<int, Session> sessions; ///< by device; entries never move
  std::string error;
  bool isBroken = false; ///< there was an error since `open`
  std::set<void *> substitutes;
  std::map<const void *, int> streams;        ///< in use, with their devices
  std::map<int, std::vector<CUstream>> spare; ///< by device
  int64_t launches = 0; ///< since tcMgpuLeaveOutLaunch was called
  int64_t leftOut = -1; ///< the one of these that is not made

  void fail(const std::string &message);
  bool open(const char *kind, const char *library);
  const Session *find(int ordinal);
};

} // namespace

/// Never destroyed: modules are unloaded by destructors of the host program.
static State &getState() {
  static auto *state = new State;
  return *state;
}

namespace {
/// The state, which nobody else has as long as this lives.
class Locked {
public:
  State *operator->() { return &state; }

private:
  State &state = getState();
  std::lock_guard<std::mutex> lock{state.mutex};
};
} // namespace

static thread_local int device = 0;

void State::fail(const std::string &message) {
  isBroken = true;
  if (!error.empty())
    return;
  error = message;
  const char *where = getenv("TC_MGPU_REPORT");
  if (where && strcmp(where, "stderr") == 0)
    // Asked for by the user. lint: allow prints
    fprintf(stderr, "mgpu: %s\n", error.c_str());
}

bool State::open(const char *kind, const char *library) {
  std::string reason;
  std::optional<DriverKind> chosen = chooseDriverKind(kind, reason);
  const Driver *opened =
      chosen ? openDriver(*chosen, library ? library : "", reason) : nullptr;
  if (!opened) {
    fail(reason);
    return false;
  }
  if (opened == driver && !isBroken)
    return true;
  for (auto &[ordinal, session] : sessions)
    driver->cuDevicePrimaryCtxRelease_v2(session.device);
  sessions.clear();
  streams.clear();
  spare.clear();
  driver = opened;
  isBroken = false;
  return true;
}

const Session *State::find(int ordinal) {
  if (!driver && !open(nullptr, nullptr))
    return nullptr;
  auto known = sessions.find(ordinal);
  if (known != sessions.end())
    return &known->second;
  Session session;
  session.driver = driver;
  std::string reason;
  if (!session.retain(ordinal, reason)) {
    fail(reason);
    return nullptr;
  }
  return &sessions.emplace(ordinal, session).first->second;
}

void mgpu::setDevice(int ordinal) { device = ordinal; }

const Session *mgpu::findSession(bool evenAfterError) {
  Locked state;
  if (!state->error.empty() && (!evenAfterError || !state->driver))
    return nullptr;
  return state->find(device);
}

void mgpu::report(const std::string &message) {
  Locked state;
  state->fail(message);
}

bool mgpu::startLaunch() {
  Locked state;
  return state->launches++ != state->leftOut;
}

void *mgpu::allocateSubstitute(size_t bytes) {
  void *address = calloc(1, bytes);
  Locked state;
  if (address)
    state->substitutes.insert(address);
  return address;
}

bool mgpu::freeSubstitute(void *address) {
  Locked state;
  if (state->substitutes.erase(address) == 0)
    return false;
  free(address);
  return true;
}

CUstream mgpu::takeStream() {
  Locked state;
  std::vector<CUstream> &spare = state->spare[device];
  if (state->isBroken || spare.empty())
    return nullptr;
  CUstream stream = spare.back();
  spare.pop_back();
  return stream;
}

void mgpu::addStream(CUstream stream) {
  Locked state;
  if (stream)
    state->streams.emplace(stream, device);
}

bool mgpu::giveBackStream(CUstream stream) {
  Locked state;
  auto known = state->streams.find(stream);
  if (known == state->streams.end())
    return false;
  int ofDevice = known->second;
  state->streams.erase(known);
  if (state->isBroken)
    return false;
  state->spare[ofDevice].push_back(stream);
  return true;
}

bool mgpu::isStream(const void *token) {
  Locked state;
  return state->streams.count(token) != 0;
}

//===----------------------------------------------------------------------===//
// tc_mgpu.h
//===----------------------------------------------------------------------===//

int tcMgpuOpen(const char *kind, const char *library) {
  Locked state;
  return state->open(kind, library) ? 0 : 1;
}

const char *tcMgpuKind(void) {
  Locked state;
  if (!state->driver)
    return nullptr;
  return state->driver->isEmulator() ? "emulator" : "cuda";
}

const char *tcMgpuLastError(void) {
  // Never destroyed: the destructors of the host program may still ask.
  static thread_local auto &copy = *new std::string;
  Locked state;
  copy = state->error;
  return copy.c_str();
}

int64_t tcMgpuLeaveOutLaunch(int64_t number) {
  Locked state;
  state->leftOut = number;
  return std::exchange(state->launches, 0);
}

void tcMgpuClearError(void) {
  Locked state;
  state->error.clear();
}
