#include "samplers/cuda/hooks/call_gate.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <barrier>
#include <catch2/catch.hpp>
#include <set>
#include <thread>
#include <vector>

#include "samplers/cuda/hooks/asymmetric_fence.h"

using gprofx::cuda::CallGate;
using std::chrono::milliseconds;

namespace {

std::atomic<int> g_inside{0}, g_done{0}, g_beside{0};
std::atomic<uint64_t> g_calls{0};
std::thread::id g_by;

// Threads that make calls, one after the other.
class Callers {
 public:
  Callers(CallGate& gate, int threads, std::chrono::microseconds pause) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([&gate, pause, this] {
        while (!stop_.load()) {
          gate.Enter();
          ++g_inside;
          gate.Enter();  // a call within a call
          gate.Leave();
          ++g_calls;
          --g_inside;
          gate.Leave();
          if (pause.count() > 0) std::this_thread::sleep_for(pause);
        }
      });
    }
  }
  ~Callers() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

// For a while, in which others may come.
void LookAround() {
  for (int i = 0; i < 2000; ++i) g_beside += g_inside.load();
  g_by = std::this_thread::get_id();
  ++g_done;
}

void Membarrier() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

// One comes and looks whether it may; the other forbids it and looks whether somebody is there. How
// often in many tries neither sees the other.
int TimesThatBothMiss() {
  gprofx::cuda::ShardedCount count;
  struct alignas(64) Word : std::atomic<int> {
  } turn{}, answered{}, forbidden{}, saw{};
  constexpr int kTries = 200'000;
  const auto wait = [](const std::atomic<int>& word, int until) {
    while (word.load() < until) {
    }
  };
  std::thread comes([&] {
    for (int i = 1; i < 2 * kTries; i += 2) {
      wait(turn, i);
      count.Enter();
      saw.store(forbidden.load(std::memory_order_relaxed), std::memory_order_relaxed);
      wait(turn, i + 1);
      count.Leave();
      answered.store(i + 1);
    }
  });
  int missed = 0;
  for (int i = 1; i < 2 * kTries; i += 2) {
    forbidden.store(0, std::memory_order_relaxed);
    turn.store(i);
    for (int pause = i % 101; pause > 0; --pause)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    forbidden.store(1, std::memory_order_relaxed);
    gprofx::cuda::HeavyFence();
    const bool seen = count.Sum() != 0;
    turn.store(i + 1);
    wait(answered, i + 1);
    if (!seen && saw.load() == 0) ++missed;
  }
  comes.join();
  return missed;
}

void CheckThatItCloses() {
  CallGate gate;
  const Callers callers(gate, 6, {});
  int closed = 0;
  for (int i = 0; i < 200; ++i) {
    if (gate.Close(milliseconds(50))) {
      ++closed;
      for (int k = 0; k < 50; ++k) CHECK(g_inside.load() == 0);
      gate.Open();
    }
    const uint64_t before = g_calls.load();
    while (g_calls.load() == before) std::this_thread::yield();
  }
  CHECK(closed > 100);
}

}  // namespace

TEST_CASE("nobody is inside while the gate is closed, and everybody goes on afterwards") {
  CheckThatItCloses();
}

TEST_CASE("calls that begin while nobody listens do not count") {
  CallGate gate;
  gate.Listen(false);
  CHECK_FALSE(gate.Enter());
  CHECK_FALSE(gate.Inside());
  CHECK(gate.Close(milliseconds(2)));
  gate.Open();
  CHECK(gate.Enter(true));
  CHECK(gate.Inside());
  CHECK_FALSE(gate.Close(milliseconds(2)));
  gate.Listen(true);
  gate.Leave();
  gate.Leave();  // of a call that began unheard
  CHECK(gate.Enter());
  CHECK_FALSE(gate.Close(milliseconds(2)));
  gate.Leave();
  CHECK(gate.Close(milliseconds(2)));
  gate.Open();
}

TEST_CASE("what is asked for is done at the end of somebody's call, while nobody else is inside") {
  CallGate gate;
  g_done = g_beside = 0;
  int done = 0;
  {
    const Callers callers(gate, 3, std::chrono::microseconds(300));
    for (int i = 0; i < 100; ++i) done += gate.AtAnEnd(LookAround, milliseconds(200)) ? 1 : 0;
  }
  CHECK(done > 90);
  CHECK(g_done == done);
  CHECK(g_beside == 0);
  CHECK(g_by != std::this_thread::get_id());
}

TEST_CASE("without calls our own thread does it, and beside a call that lasts nobody does") {
  CallGate gate;
  g_done = 0;
  CHECK(gate.AtAnEnd(LookAround, milliseconds(2)));
  CHECK(g_done == 1);
  CHECK(g_by == std::this_thread::get_id());
  gate.Enter();
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) {
      gate.Enter();
      gate.Leave();
    }
  });
  CHECK_FALSE(gate.AtAnEnd(LookAround, milliseconds(20)));
  other.join();
  gate.Leave();  // nobody asks any more
  CHECK(g_done == 1);
}

TEST_CASE("who waits at a gate that stays closed goes on in the end, and opens it") {
  CallGate gate;
  REQUIRE(gate.Close(milliseconds(2)));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(gate.Enter());
  CHECK(std::chrono::steady_clock::now() - begin >= CallGate::kLongestClosed);
  gate.Leave();
  std::thread([&] {
    CHECK(gate.Enter());
    gate.Leave();
  }).join();
  CHECK(gate.Close(milliseconds(2)));
  gate.Open();
}

TEST_CASE("a call that lasts keeps the gate open") {
  CallGate gate;
  gate.Enter();
  CHECK_FALSE(gate.Close(milliseconds(2)));
  std::thread other([&] {
    gate.Enter();
    gate.Leave();
  });
  other.join();
  gate.Leave();
  CHECK(gate.Close(milliseconds(2)));
  gate.Open();
}

// Once for all of the process: this case is the last.
TEST_CASE("the gate closes for threads without fences, too, and lines go back with their threads") {
  REQUIRE(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
  gprofx::cuda::UseHeavyFence(Membarrier);
  CheckThatItCloses();
  CHECK(TimesThatBothMiss() == 0);
  using gprofx::cuda::OwnLine;
  std::set<int32_t> seen;
  for (int i = 0; i < 200; ++i) {
    std::thread([&seen] { seen.insert(OwnLine::Index()); }).join();
  }
  CHECK(*seen.begin() >= 0);
  CHECK(seen.size() == 1);
  std::atomic<int> lines{0}, none{0};
  std::barrier all(OwnLine::kLines + 6);
  std::vector<std::thread> threads;
  for (int i = 0; i < OwnLine::kLines + 6; ++i) {
    threads.emplace_back([&] {
      ++(OwnLine::Index() < 0 ? none : lines);
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(lines == OwnLine::kLines);
  CHECK(none == 6);
}
