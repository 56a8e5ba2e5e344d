#include "samplers/cuda/call_gate.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using gprofx::cuda::CallGate;
using std::chrono::milliseconds;

TEST_CASE("nobody is inside while the gate is closed, and everybody goes on afterwards") {
  CallGate gate;
  std::atomic<bool> stop{false};
  std::atomic<int> inside{0};
  std::atomic<uint64_t> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        gate.Enter();
        ++inside;
        gate.Enter();  // a call within a call
        gate.Leave();
        ++calls;
        --inside;
        gate.Leave();
      }
    });
  }
  int closed = 0;
  for (int i = 0; i < 200; ++i) {
    if (gate.Close(milliseconds(50))) {
      ++closed;
      for (int k = 0; k < 50; ++k) CHECK(inside.load() == 0);
      gate.Open();
    }
    const uint64_t before = calls.load();
    while (calls.load() == before) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(closed > 100);
}

TEST_CASE("who waits while listening ends is not taken for inside") {
  CallGate gate;
  REQUIRE(gate.Close(milliseconds(2)));
  std::atomic<int> heard{-1};
  std::thread waits([&] { heard = gate.Enter() ? 1 : 0; });
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(heard == -1);
  gate.Listen(false);
  gate.Open();
  waits.join();
  CHECK(heard == 0);
  REQUIRE(gate.Close(milliseconds(2)));
  gate.Listen(true);
  gate.Open();
  CHECK(gate.Enter());
  CHECK_FALSE(gate.Close(milliseconds(2)));
  gate.Leave();
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
