// Counts kernel launches that hooks hear, so that only some of them take their call path.
//
// A call path costs a launch about a microsecond, and as much again because it displaces the
// program's data from the caches. A program that launches tens of thousands of kernels per second
// repeats the same launches. Each thread therefore has a table by a key that costs nothing to get:
// the kernel's handle and the stack pointer. A launch whose key is known is counted there, and only
// one in some launches of a key takes its path, which stands for the launches counted since.
// Kernels are thus counted exactly; if launches of one key have several paths, their shares are a
// random sample. The distances are random (a loop may have any period) and grow with the number of
// launches of the key, so that a rare launch always has its path.
#pragma once

#include <cstdint>

namespace gprofx::cuda {

class LaunchCounts {
 public:
  static constexpr uint32_t kMaxMean = 16;
  // A key has its path taken for every launch at first. The mean distance is at most one
  // kRareShare-th of its launches.
  static constexpr uint32_t kRareShare = 8;

  // One key in the table of one thread.
  struct Key;
  // What to do at a launch. told: the number of launches that its path stands for, itself included;
  // 0 = it is only counted. key: where to note the path; null = the launch is in no table.
  struct Turn {
    uint32_t told = 1;
    Key* key = nullptr;
  };

  // Counts a launch of the calling thread. The thread owns `line` (own_line.h); negative: it owns
  // none, and each launch takes its path. Runs on the program's threads; allocates one mapping per
  // line.
  static Turn Count(int32_t line, uint64_t kernel, uint64_t sp);
  // Notes the path of a launch, for what is counted from now on. `node`: 0 = it has none.
  static void Note(int32_t line, Key* key, uint32_t node, uint32_t slot, uint32_t generation);

  // Sets the mean number of launches from one path to the next: 1 = each launch takes its own. Any
  // thread.
  static void SetMean(uint32_t launches);
  static uint32_t Mean();
  // Writes what was counted since the latest path of each key to the stream. Our own thread, while
  // hooks hear no launch, or at the end of a recording. TellLine: that of one line whose thread has
  // ended.
  static void TellAll();
  static void TellLine(int32_t line);
};

}  // namespace gprofx::cuda
