// Measures how much time the recorder itself uses in each pass of a recording.
//
// Times are wall time in ns of CLOCK_MONOTONIC and include waiting. Passes do not nest. A separate
// thread writes the file, so kWrite overlaps the others. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>

#include "core/model/ids.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {

enum class Pass {
  kLaunch,          // the preparations, until the program runs
  kDrain,           // reading rings, processes and threads
  kIngest,          // adding ring contents to the profile
  kCommit,          // collecting changes for the writer
  kWrite,           // commits, in the writer's thread
  kStop,            // from the program's end to the last drain, without the drains
  kSymbolize,       // symbolizing addresses
  kResolve,         // resolving the tree with names
  kGpuAttribution,  // mapping GPU instruction samples to lines
  kFinalWrite,      // writing the complete file
};
inline constexpr size_t kPasses = 10;
inline constexpr std::array<const char*, kPasses> kPassNames = {
    "launch", "drain",     "ingest",  "commit",          "write",
    "stop",   "symbolize", "resolve", "gpu_attribution", "final_write"};

class PassTimers {
 public:
  HostNs& operator[](Pass pass) { return ns_[static_cast<size_t>(pass)]; }
  HostNs operator[](Pass pass) const { return ns_[static_cast<size_t>(pass)]; }

  // Writes an entry recorder_ns_NAME for each pass except kFinalWrite, which the writer of the file
  // adds.
  void Describe(std::map<std::string, std::string>& meta) const;

  // Adds the duration of `work` to `pass` and returns its result.
  template <class Work>
  auto Measure(Pass pass, const Work& work) {
    const Stopwatch watch{(*this)[pass]};
    return work();
  }

 private:
  struct Stopwatch {
    HostNs& sum;
    const HostNs began = MonotonicNs();
    ~Stopwatch() { sum += MonotonicNs() - began; }
  };

  std::array<HostNs, kPasses> ns_{};
};

}  // namespace gprofx::recorder
