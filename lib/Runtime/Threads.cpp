//===- Threads.cpp - Tasks of CPU kernels ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers that live as long as the process and share out the range of one job
// at a time. A caller that finds them busy, be it another thread or a task
// itself, does its job alone. A forked child starts without workers.
//
//===----------------------------------------------------------------------===//

#include "Stack.h"
#include "Status.h"

#include "tc-runtime/tc_package.h"
#include "tc-runtime/tc_runtime.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sched.h>

using namespace tc::runtime;

namespace {
using Task = void (*)(void *context, int64_t begin, int64_t end);

/// The range [0, count), of which `chunk` at a time is taken.
struct Job {
  int64_t count, chunk;
  Task task;
  void *context;
  std::atomic<int64_t> next{0};

  void work() {
    for (;;) {
      int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count)
        return;
      task(context, begin, std::min(begin + chunk, count));
    }
  }
};

class Pool {
public:
  void run(Job &job, int threads);

private:
  static void *enter(void *pool);
  bool startWorker();
  void serve();
  void awaitJob(uint64_t seen);

  std::mutex busy; ///< held by the caller whose job it is
  std::mutex lock; ///< for all that follows
  std::condition_variable wake, done;
  Job *job = nullptr;
  int workers = 0, places = 0; ///< there are; may still join
  std::atomic<int> inside{0};
  std::atomic<uint64_t> jobs{0};
};
} // namespace

/// How often a thread looks before it sleeps: blocks of one product follow each
/// other faster than a sleeper wakes.
static constexpr int kLooks = 4000;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void Pool::awaitJob(uint64_t seen) {
  for (int look = 0; look != kLooks; ++look) {
    if (jobs.load(std::memory_order_acquire) != seen)
      return;
    relax();
  }
  std::unique_lock<std::mutex> guard(lock);
  wake.wait(guard, [&] { return jobs.load() != seen; });
}

void Pool::serve() {
  uint64_t seen = 0;
  for (;;) {
    awaitJob(seen);
    Job *mine = nullptr;
    {
      std::lock_guard<std::mutex> guard(lock);
      seen = jobs.load();
      if (places > 0) {
        --places;
        inside.fetch_add(1);
        mine = job;
      }
    }
    if (!mine)
      continue;
    mine->work();
    std::lock_guard<std::mutex> guard(lock);
    if (inside.fetch_sub(1) == 1)
      done.notify_one();
  }
}

void *Pool::enter(void *pool) {
  static_cast<Pool *>(pool)->serve();
  return nullptr;
}

bool Pool::startWorker() {
  pthread_t thread;
  if (startThread(thread, enter, this) != 0)
    return false;
  pthread_detach(thread);
  return true;
}

void Pool::run(Job &mine, int threads) {
  std::unique_lock<std::mutex> turn(busy, std::try_to_lock);
  if (!turn.owns_lock())
    return mine.work();
  {
    std::lock_guard<std::mutex> guard(lock);
    while (workers < threads - 1 && startWorker())
      ++workers;
    job = &mine;
    places = std::min(workers, threads - 1);
    jobs.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  mine.work();
  {
    std::lock_guard<std::mutex> guard(lock);
    places = 0;
  }
  for (int look = 0; look != kLooks && inside.load() != 0; ++look)
    relax();
  std::unique_lock<std::mutex> guard(lock);
  done.wait(guard, [&] { return inside.load() == 0; });
}

//===----------------------------------------------------------------------===//
// The process's workers
//===----------------------------------------------------------------------===//

/// Never destroyed: workers use it until the process ends.
static std::atomic<Pool *> &currentPool() {
  static std::atomic<Pool *> pool{[] {
    pthread_atfork(nullptr, nullptr, [] { currentPool().store(new Pool); });
    return new Pool;
  }()};
  return pool;
}

static int countProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

static int initialThreads() {
  const char *text = std::getenv("TC_NUM_THREADS");
  if (!text || !*text)
    return countProcessors();
  char *end = nullptr;
  errno = 0;
  long number = std::strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || number < 1 || number > INT_MAX)
    return countProcessors();
  return static_cast<int>(number);
}

static std::atomic<int> &mostThreads() {
  static std::atomic<int> threads{initialThreads()};
  return threads;
}

int tcThreads(void) { return mostThreads().load(std::memory_order_relaxed); }

int tcSetThreads(int threads) {
  if (threads < 0)
    return fail(TC_INVALID_ARGUMENT,
                "tcSetThreads: expected 0 or more threads, got " +
                    std::to_string(threads));
  mostThreads().store(threads == 0 ? initialThreads() : threads);
  return TC_OK;
}

void tcPackageParallel(int64_t count, Task task, void *context) {
  if (count <= 0)
    return;
  auto threads = static_cast<int>(std::min<int64_t>(count, tcThreads()));
  if (threads == 1)
    return task(context, 0, count);
  constexpr int64_t chunksOfThread = 8;
  Job job;
  job.count = count;
  job.chunk = std::max<int64_t>(1, count / (threads * chunksOfThread));
  job.task = task;
  job.context = context;
  currentPool().load(std::memory_order_acquire)->run(job, threads);
}
