// Threads that live for about a millisecond: argv[1] of them a second for argv[2] seconds. Prints
// how many ran.
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int, char** argv) {
  using Clock = std::chrono::steady_clock;
  const int rate = std::atoi(argv[1]);
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
  std::atomic<long> ran{0};
  auto next = Clock::now();
  while (Clock::now() < end) {
    std::vector<std::thread> batch;
    for (int i = 0; i < rate / 50; ++i) {
      batch.emplace_back([&ran] {
        volatile double sum = 0;
        for (int k = 0; k < 20000; ++k) sum = sum + k;
        ran.fetch_add(1);
      });
    }
    for (auto& t : batch) t.join();
    next += std::chrono::milliseconds(20);
    std::this_thread::sleep_until(next);
  }
  std::printf("%ld\n", ran.load());
}
