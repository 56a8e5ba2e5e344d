// A fixed amount of work on N threads; prints the seconds it took. argv: THREADS ROUNDS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

__attribute__((noinline)) unsigned Leaf(unsigned seed) {
  for (int i = 0; i < 2000; ++i) seed = seed * 1664525u + 1013904223u;
  return seed;
}

__attribute__((noinline)) unsigned Dive(unsigned seed, int depth) {
  unsigned below = depth == 0 ? Leaf(seed) : Dive(seed + 1, depth - 1);
  return below ^ seed;
}

}  // namespace

int main(int, char** argv) {
  const int thread_count = std::atoi(argv[1]);
  const int rounds = std::atoi(argv[2]);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  std::vector<unsigned> results(static_cast<size_t>(thread_count));
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([t, rounds, &results] {
      unsigned sum = 0;
      for (int i = 0; i < rounds; ++i) sum += Dive(static_cast<unsigned>(i), 20);
      results[static_cast<size_t>(t)] = sum;
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%.6f\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
