// The whole handler in this process: samples by a real timer, with a trap on the allocator.
#include "samplers/agent/stacks/sampler.h"

#include <malloc.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "samplers/agent/process/threads.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/stacks/rows.h"
#include "samplers/agent/stacks/stack.h"
#include "test_session.h"

using namespace gprofx;
using namespace gprofx::agent;

namespace {

std::atomic<long> g_allocations{0};

__attribute__((noinline)) double Burn(double seconds) {
  timespec t;
  volatile double sum = 0;
  do {
    for (int i = 0; i < 10000; ++i) sum = sum + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9 < seconds);
  return sum;
}

}  // namespace

extern "C" void* __libc_malloc(size_t);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* malloc(size_t bytes) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
#endif

// What the clock says but for the time since the last tick, which may be tens of ms ago on a busy
// machine.
void CheckWeights(int64_t sum, const wire::ThreadRing& ring) {
  const int64_t used = ring.last_cpu_ns - ring.start_cpu_ns;
  CHECK(sum <= used);
  CHECK(sum > used - used / 50 - 100'000'000);
}

void BurnFor(double seconds) {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  Burn(static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 + seconds);
}

TEST_CASE("samples are taken, complete, weighted by the CPU clock, and allocate nothing") {
  static TestMemory memory;
  REQUIRE(g_session.Join(memory.Path().c_str()));
  g_modules.Start();
  g_rows.Start();
  g_codes.Start();
  InstallFrontHandlers(sigaction);
  ThreadState* state = ClaimThread();
  REQUIRE(state != nullptr);
  SetCurrentThread(state);
  BeginThread(state);
  const long before = g_allocations;
  BurnFor(0.6);
  const long allocated = g_allocations - before;
  EndThread(state);
  SetCurrentThread(nullptr);

  CHECK(allocated == 0);
  const wire::ThreadRing* ring = g_session.OpenRing(0);
  const uint64_t count = ring->head;
  REQUIRE(count > 10);  // a thread that others keep from running sees few ticks
  CHECK(g_session.header().counters[wire::kSamples] == count);
  CHECK(g_session.header().counters[wire::kTruncatedStacks] == 0);
  int64_t sum = 0, last = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const wire::SampleRecord& sample = ring->entries[i % wire::kRingEntries];
    CHECK(wire::WhenTime(sample.when) >= last);
    last = wire::WhenTime(sample.when);
    CHECK(sample.node != 0);
    sum += sample.weight;
  }
  CheckWeights(sum, *ring);
  uint64_t timed = 0;
  for (const auto& bucket : g_session.header().handler_ns) timed += bucket;
  CHECK(timed == count);
  CHECK(ring->state == wire::kThreadEnded);
}

TEST_CASE("a thread that was adopted before it began keeps one state") {
  static TestMemory memory;
  REQUIRE(g_session.Join(memory.Path().c_str()));
  InstallFrontHandlers(sigaction);
  std::thread([] {
    ThreadState* state = ClaimThread();
    REQUIRE(state != nullptr);
    REQUIRE(AdoptThread(static_cast<int32_t>(syscall(SYS_gettid))));
    ThreadState* begun = BeginThread(state);
    CHECK(begun != state);
    CHECK(begun->ring->state == wire::kThreadActive);
    CHECK(state->ring->state == wire::kThreadFree);
    EndThread(begun);
    CHECK(begun->ring->state == wire::kThreadEnded);
  }).join();
}

TEST_CASE("a ring that nobody drains drops and counts") {
  static TestMemory memory;
  REQUIRE(g_session.Join(memory.Path().c_str()));
  g_modules.Start();
  g_rows.Start();
  InstallFrontHandlers(sigaction);  // Catch2 has put its own in between
  ThreadState* state = ClaimThread();
  REQUIRE(state != nullptr);
  state->ring->head = wire::kRingEntries;  // full
  BeginThread(state);
  for (int i = 0; i < 50 && state->ring->dropped <= 5; ++i) BurnFor(0.1);
  EndThread(state);
  CHECK(state->ring->dropped > 5);
  CHECK(state->ring->dropped_ns > 5'000'000);
  CHECK(state->ring->head == wire::kRingEntries);
  CHECK(g_session.header().counters[wire::kDroppedSamples] == state->ring->dropped);
}

TEST_CASE("a ring gets larger with the first CUDA call, whatever samples are in it") {
  static TestMemory memory;
  REQUIRE(g_session.Join(memory.Path().c_str()));
  ThreadState* state = ClaimThread();
  REQUIRE(state != nullptr);
  wire::ThreadRing* ring = state->ring;
  ring->head = ring->tail = wire::kMaxRingEntries + 3 * wire::kRingEntries - 50;
  const uint64_t first = ring->head;
  for (uint32_t i = 0; i < 100; ++i) REQUIRE(AppendRecord(state, 1, 0, 7, i));  // samples
  CHECK(wire::RingCapacity(ring->grown) == wire::kRingEntries);                 // need no room
  uint32_t kept = 100;
  while (AppendRecord(state, 4, wire::kRecordLaunch, 7, kept)) ++kept;
  // Up to the end of the ring, as its begin has samples that nobody read yet.
  CHECK(first + kept == 2 * wire::kMaxRingEntries);
  ring->tail = first + 100;
  while (AppendRecord(state, 4, wire::kRecordLaunch, 7, kept)) ++kept;
  CHECK(ring->head - ring->tail == wire::kMaxRingEntries);  // half a second at 100,000 a second
  for (uint64_t at = ring->tail; at < ring->head; ++at) {
    REQUIRE(ring->entries[wire::RingIndex(at, ring->grown)].weight == at - first);
  }
  ReleaseUnused(state);
  ring->tail = ring->head.load();
  state = ClaimThread();  // the next thread in the slot begins with a small one
  CHECK(wire::RingCapacity(state->ring->grown) == wire::kRingEntries);
  ReleaseUnused(state);
}

TEST_CASE("a ring that is about to begin anew has no less room for growing") {
  for (uint64_t head : {wire::kMaxRingEntries - 6u, wire::kMaxRingEntries + 20u, 61'441u, 4'095u}) {
    uint64_t at = head, grown = 0;
    const uint64_t tail = head - 10;
    for (; wire::RingHasRoom(at, tail, grown); ++at) {
      if (grown == 0 && wire::RingMayGrow(at, tail)) grown = at + 1;
    }
    CHECK(at - tail >= wire::kRingEntries);
  }
}
