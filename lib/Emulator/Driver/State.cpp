//===- State.cpp - What the emulated driver keeps -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the emulated driver, and the start of every call.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "Graph/Capture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace tc::emulator;
using namespace tc::emulator::driver;

void driver::printLine(const llvm::Twine &text) {
  // What a driver finds goes where a GPU's tools put it, at the end of the
  // process, too, when llvm::errs() is no more. lint: allow prints
  std::fputs((text + "\n").str().c_str(), stderr);
}

/// Null until the first call.
static State *made = nullptr;

/// Never destroyed: host programs unload modules from their destructors.
static State &getState() {
  static auto *state = made = new State;
  return *state;
}

/// When the host program ends: after its own destructors, which may free.
__attribute__((destructor)) static void endProcess() {
  if (!made)
    return;
  // A thread that is still at work keeps the lock for good.
  std::unique_lock<std::mutex> lock(made->mutex, std::try_to_lock);
  if (!lock || !made->initialised)
    return;
  made->queue.wait(*made, lock, [](uint64_t, const Lane &) { return true; });
  made->reportLeaks(/*context=*/nullptr);
  made->publish(/*always=*/true);
  made->printSuppressed();
  made->printLines();
  made->writeHtml();
  made->writeSummary();
}

/// What is of one thread is never destroyed either: it would be before those
/// destructors.
template <typename T>
static T &getOfThread() {
  static thread_local T *object = new T;
  return *object;
}

static std::string &lastReport() { return getOfThread<std::string>(); }

const char *tcEmulatorLastReport(void) { return lastReport().c_str(); }

std::vector<CUcontext> &driver::getContextStack() {
  return getOfThread<std::vector<CUcontext>>();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Settings driver::getDefaultSettings() {
  Settings settings;
  settings.launch.print = [](llvm::StringRef text) {
    // A kernel's printf goes where the host's goes.
    fwrite(text.data(), 1, text.size(), stdout);
  };
  return settings;
}

State::State() : settings(getDefaultSettings()) {
  if (llvm::Error error = settings.readEnvironment())
    misconfigured = llvm::toString(std::move(error));
  const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
  isBlocking = blocking && strcmp(blocking, "1") == 0;
}

std::map<uintptr_t, Range>::iterator State::findRange(uintptr_t address) {
  auto above = ranges.upper_bound(address);
  if (above == ranges.begin())
    return ranges.end();
  auto range = std::prev(above);
  return address - range->first < range->second.bytes ? range : ranges.end();
}

/// Gives the memory of a range back to the emulator. It came from there, so a
/// refusal has nothing to tell the caller.
static void giveBack(Memory &memory, uintptr_t address, const Range &range) {
  auto *pointer = reinterpret_cast<void *>(address);
  if (range.owner == Owner::RegisteredHost)
    llvm::consumeError(memory.unregisterHost(pointer));
  else if (range.owner != Owner::Variable)
    llvm::consumeError(memory.release(pointer));
}

void State::unload(CUmodule module) {
  kernels.eraseIf([&](const Kernel &k) { return k.module == module; });
  for (auto it = ranges.begin(); it != ranges.end();)
    it = it->second.module == module ? ranges.erase(it) : std::next(it);
  modules.erase(module);
}

void State::reportLeaks(CUcontext context) {
  std::map<uint64_t, uintptr_t> leaked; // in the order of allocation
  for (const auto &[address, range] : ranges)
    if (range.owner != Owner::Variable &&
        range.owner != Owner::RegisteredHost &&
        (!context || range.context == context))
      leaked[range.number] = address;
  for (auto [number, address] : leaked) {
    const Range &range = ranges[address];
    Finding leak;
    leak.what = FindingClass::Leak;
    leak.address = address;
    leak.text =
        ("leak: allocation " + llvm::Twine(range.number) + ", " +
         llvm::Twine(range.bytes) + " bytes at 0x" +
         llvm::utohexstr(address, /*LowerCase=*/true) + ", was never freed")
            .str();
    leak.backtrace = describe(range.backtrace);
    add(std::move(leak));
  }
  reportGraphs(context);
}

void State::reportGraphs(CUcontext context) {
  auto report = [&](const char *what, const auto &object) {
    if (context && object.context != context)
      return;
    Finding leak;
    leak.what = FindingClass::Leak;
    leak.text = ("leak: " + llvm::Twine(what) + " " +
                 llvm::Twine(object.number) + " was never destroyed")
                    .str();
    leak.backtrace = describe(object.backtrace);
    add(std::move(leak));
  };
  graphs.forEach([&](const Graph &graph) {
    if (!graph.isOwned)
      report("graph", graph);
  });
  execs.forEach(
      [&](const GraphExec &exec) { report("executable of graph", exec); });
}

/// A line for each call; "" where there is none.
static std::string listCalls(llvm::StringRef what,
                             llvm::ArrayRef<std::string> calls) {
  if (calls.empty())
    return "";
  std::string text = what.str();
  for (const std::string &call : calls)
    text += "\n  " + call;
  return text;
}

void State::add(Finding finding) {
  if (settings.launch.suppressions &&
      settings.launch.suppressions->suppress(finding))
    return;
  bool isChosen = finding.what != FindingClass::Leak ||
                  settings.launch.checks.has(Checks::Leaks);
  if (settings.log != Settings::Log::None && isChosen)
    printLine(finding.text + listCalls(finding.address ? "; it was allocated by"
                                                       : "; it was made by",
                                       finding.backtrace));
  journal.add(std::move(finding));
}

void State::print(const LaunchRecord &launch) const {
  if (settings.log == Settings::Log::None)
    return;
  for (const Finding &finding : launch.report.findings)
    printLine(finding.text + describeCount(finding));
  if (launch.report.sitesLeftOut)
    printLine(llvm::StringRef(describeRest(launch.report)).rtrim());
  if (!launch.backtrace.empty())
    printLine("kernel '" + launch.kernel + "'" +
              listCalls(" was launched by", launch.backtrace));
}

void State::printSuppressed() const {
  if (!settings.launch.suppressions || settings.log == Settings::Log::None)
    return;
  std::string text = settings.launch.suppressions->summarize(
      /*withUnused=*/settings.log == Settings::Log::Calls);
  if (!text.empty())
    printLine(llvm::StringRef(text).rtrim());
}

/// The journal may forget what it was told.
void State::writeSuppressions() {
  suppressions.merge(journal.getSuppressions());
  llvm::Error error = llvm::writeToOutput(
      settings.writeSuppressions, [&](llvm::raw_ostream &os) {
        for (const std::string &line : suppressions)
          os << line << '\n';
        return llvm::Error::success();
      });
  if (error)
    printLine("TC_EMU_WRITE_SUPPRESSIONS: cannot write '" +
              settings.writeSuppressions +
              "': " + llvm::toString(std::move(error)));
}

void State::writeSummary() const {
  if (settings.summary.empty())
    return;
  // In one piece: other processes add theirs.
  std::error_code failed;
  llvm::raw_fd_ostream os(settings.summary, failed, llvm::sys::fs::OF_Append);
  if (failed)
    return printLine("TC_EMU_SUMMARY: cannot write '" + settings.summary +
                     "': " + failed.message());
  os << (llvm::Twine(getpid()) + " " + llvm::Twine(journal.countLaunches()) +
         " " + llvm::Twine(journal.countErrors()) + "\n")
            .str();
  os.close();
  os.clear_error();
}

void State::writeHtml() const {
  if (settings.html.empty())
    return;
  std::string page = mlir::tc::formatHtml(journal.getLines().makePage());
  llvm::Error error =
      llvm::writeToOutput(settings.html, [&](llvm::raw_ostream &os) {
        os << page;
        return llvm::Error::success();
      });
  if (error)
    printLine("TC_EMU_HTML: cannot write '" + settings.html +
              "': " + llvm::toString(std::move(error)));
}

void State::printLines() const {
  if (!settings.lines || settings.log == Settings::Log::None)
    return;
  std::string text = mlir::tc::formatText(journal.getLines().makePage());
  if (!text.empty())
    printLine(llvm::StringRef(text).rtrim());
}

void State::publish(bool always) {
  using namespace std::chrono;
  if (always && !settings.writeSuppressions.empty())
    writeSuppressions();
  if (settings.report.empty())
    return;
  auto now = steady_clock::now();
  bool isNew = journal.countFindings() != published;
  if (!always && !isNew && now - publishedAt < seconds(1))
    return;
  published = journal.countFindings();
  publishedAt = now;
  if (llvm::Error error = journal.write(settings, settings.report))
    printLine("TC_EMU_REPORT: cannot write '" + settings.report +
              "': " + llvm::toString(std::move(error)));
}

void State::clear(CUcontext context) {
  reportLeaks(context);
  publish(/*always=*/false);
  auto isOf = [&](const auto &object) { return object.context == context; };
  links.eraseIf(isOf);
  for (auto it = captures.begin(); it != captures.end();)
    it = isOf(it->second) ? captures.erase(it) : std::next(it);
  execs.eraseIf(isOf);
  nodes.eraseIf(
      [&](const Node &node) { return isOf(*graphs.find(node.graph)); });
  graphs.eraseIf(isOf);
  kernels.eraseIf(isOf);
  modules.eraseIf(isOf);
  streams.eraseIf(isOf);
  events.eraseIf(isOf);
  for (auto it = ranges.begin(); it != ranges.end();) {
    if (!isOf(it->second)) {
      ++it;
      continue;
    }
    giveBack(memory, it->first, it->second);
    it = ranges.erase(it);
  }
}

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

Call::Call(const char *name, Needs needs)
    : state(getState()), name(name), result(CUDA_SUCCESS),
      lock(state.mutex, std::defer_lock) {
  ++state.callers;
  lock.lock();
  --state.callers;
  if (needs == Needs::Nothing)
    return;
  if (!state.initialised)
    result = fail(CUDA_ERROR_NOT_INITIALIZED, "expected cuInit before");
  else if (needs != Needs::Driver)
    result = findCurrent(needs != Needs::Context);
  if (result == CUDA_SUCCESS && needs == Needs::Quiet)
    result = checkMayWait(*this);
}

/// Destructors of user objects are the program's: they run without the lock.
Call::~Call() {
  auto due = std::exchange(state.destructors, {});
  lock.unlock();
  for (auto [destroy, data] : due)
    destroy(data);
}

CUresult Call::fail(CUresult code, const llvm::Twine &message) const {
  lastReport() = (llvm::Twine(name) + ": " + message).str();
  if (state.settings.log == Settings::Log::Calls)
    printLine(lastReport());
  return code;
}

CUresult Call::findCurrent(bool healthy) {
  if (getContextStack().empty() || !getContextStack().back())
    return fail(CUDA_ERROR_INVALID_CONTEXT,
                "expected a current context, got none");
  handle = getContextStack().back();
  context = state.contexts.find(handle);
  if (!context)
    return fail(CUDA_ERROR_CONTEXT_IS_DESTROYED,
                "expected a living context, got a destroyed one");
  return healthy ? checkHealth(handle) : CUDA_SUCCESS;
}

CUresult Call::checkHealth(CUcontext of) const {
  Context *owner = state.contexts.find(of);
  if (!owner || owner->fault == CUDA_SUCCESS)
    return CUDA_SUCCESS;
  return fail(owner->fault,
              "a kernel failed before in this context: " + owner->report);
}

CUresult Call::enter(CUstream stream) {
  // 1 and 2 stand for the legacy and the per-thread default stream.
  static thread_local char ofThread;
  auto number = reinterpret_cast<uintptr_t>(stream);
  if (number <= 2) {
    if (CUresult bad = findCurrent(/*healthy=*/true))
      return bad;
    lane = {1, Lane::Legacy, handle};
    if (number == 2) {
      lane = {reinterpret_cast<uintptr_t>(&ofThread), Lane::Blocking, handle};
      state.races.begin();
    }
    return CUDA_SUCCESS;
  }
  Stream *found = state.streams.find(stream);
  if (!found)
    return fail(CUDA_ERROR_INVALID_HANDLE, "expected a stream, got another "
                                           "handle or a destroyed stream");
  handle = found->context;
  context = state.contexts.find(handle);
  bool isBlocking = !(found->flags & CU_STREAM_NON_BLOCKING);
  lane = {number, isBlocking ? Lane::Blocking : Lane::NonBlocking, handle};
  return checkHealth(handle);
}

bool Call::isIdle() {
  state.queue.drive(state, lock);
  if (!state.queue.getBefore(lane).empty())
    return false;
  state.races.awaitLane(lane, state.queue);
  return true;
}

bool Call::isDone(uint64_t ticket) {
  state.queue.drive(state, lock);
  if (state.queue.isPending(ticket))
    return false;
  state.races.await(ticket, state.queue);
  return true;
}

CUresult Call::wait(uint64_t awaited, CUcontext of) {
  CUresult result = waitUnnoticed(awaited, of);
  state.races.await(awaited, state.queue);
  return result;
}

CUresult Call::waitUnnoticed(uint64_t awaited, CUcontext of) {
  state.queue.wait(state, lock, [&](uint64_t ticket, const Lane &) {
    return ticket == awaited;
  });
  return checkHealth(of);
}

CUresult Call::waitForStream() {
  std::vector<uint64_t> before = state.queue.getBefore(lane);
  state.queue.wait(state, lock, [&](uint64_t ticket, const Lane &) {
    return llvm::is_contained(before, ticket);
  });
  state.races.awaitLane(lane, state.queue);
  return checkHealth(handle);
}

CUresult Call::waitForAll(CUcontext of) {
  state.queue.wait(state, lock, [&](uint64_t, const Lane &lane) {
    return lane.context == of;
  });
  state.races.awaitContext(of, state.queue);
  return checkHealth(of);
}
