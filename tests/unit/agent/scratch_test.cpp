// Who takes a stack, and who waits for that.
#include "samplers/agent/stacks/scratch.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "samplers/agent/confinement/heavy_fence.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/stacks/sampler.h"
#include "test_session.h"

using namespace gprofx::agent;

namespace {

void WaitUntil(const std::atomic<int>& word, int value) {
  while (word.load() < value) {
  }
}

// A thread takes its room and looks whether it may read; another one forbids it and waits for those
// that are at work. How often somebody who was not forbidden is still at work behind the wait.
int TimesThatAWaitMissesATaker() {
  static TestMemory memory;
  if (!g_session.Join(memory.Path().c_str()) || !MakeFencesLight()) return -1;
  ThreadState* state = ClaimThread();
  if (state == nullptr) return -2;
  state->active.store(true);
  constexpr int kTries = 200'000;
  struct alignas(64) Word : std::atomic<int> {
  } turn{}, answered{}, forbidden{}, saw{}, done{};
  std::thread taker([&] {
    for (int i = 1; i <= kTries; ++i) {
      WaitUntil(turn, i);
      {
        const Scratch scratch(state, __builtin_frame_address(0), Scratch::Of::kLaunch);
        saw.store(forbidden.load(std::memory_order_relaxed), std::memory_order_relaxed);
        for (int work = 200; work > 0; --work) std::atomic_signal_fence(std::memory_order_seq_cst);
        done.store(i, std::memory_order_relaxed);
      }
      answered.store(i);
    }
  });
  int missed = 0;
  for (int i = 1; i <= kTries; ++i) {
    forbidden.store(0);
    turn.store(i);
    for (int pause = i % 101; pause > 0; --pause)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    forbidden.store(1);
    WaitForHandlers();
    const bool at_work = done.load() != i;
    WaitUntil(answered, i);
    if (at_work && saw.load() == 0) ++missed;
  }
  taker.join();
  state->active.store(false);
  return missed == 0 ? 0 : 1;
}

// The taker sleeps, as one does that gets no core on a busy machine.
int WaitIsOverBeforeASlowTaker() {
  static TestMemory memory;
  if (!g_session.Join(memory.Path().c_str())) return 9;
  ThreadState* state = ClaimThread();
  if (state == nullptr) return 8;
  state->active.store(true);
  int early = 0;
  constexpr int kTries = 5;  // on a busy machine the taker may also wake up late
  for (int i = 0; i < kTries; ++i) {
    std::atomic<bool> taken{false}, done{false};
    std::thread taker([&] {
      const Scratch scratch(state, __builtin_frame_address(0), Scratch::Of::kLaunch);
      taken.store(true);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done.store(true);
    });
    while (!taken.load()) std::this_thread::yield();
    WaitForHandlers();
    if (!done.load()) ++early;
    taker.join();
  }
  return early == kTries ? 1 : 0;
}

// A left taker is a handler's, or a launch's, which takes part in no InAgent.
int InAgentsLeftByAnEnd() {
  static TestMemory memory;
  if (!g_session.Join(memory.Path().c_str())) return 9;
  ThreadState* state = ClaimThread();
  if (state == nullptr) return 8;
  SetCurrentThread(state);
  BeginThread(state);
  alignas(Scratch) char room[sizeof(Scratch)];
  new (room) Scratch(state, __builtin_frame_address(0), Scratch::Of::kLaunch);  // never ends
  EndThread(state);
  return InAgent::Anybody() ? 1 : 0;
}

}  // namespace

TEST_CASE("who waits for handlers misses nobody, though takers make no fence") {
  CHECK(StatusInChild(TimesThatAWaitMissesATaker) == 0);
}

TEST_CASE("who waits for handlers waits for one that gets no core for a while") {
  CHECK(StatusInChild(WaitIsOverBeforeASlowTaker) == 0);
}

TEST_CASE("a thread that ends within a launch gives back no stay that it had not") {
  CHECK(StatusInChild(InAgentsLeftByAnEnd) == 0);
}
