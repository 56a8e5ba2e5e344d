// Where the recorder's own time goes: one clock for each pass of a recording.
//
// Times are ns of CLOCK_MONOTONIC that passed, waiting included, and no pass holds another; the
// file is written by a thread of its own, so kWrite passes beside the others. Values; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>

#include "core/model/ids.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {

enum class Pass {
  kLaunch,          // until the program runs
  kDrain,           // looks at rings, processes and threads
  kIngest,          // what was in the rings, into the profile
  kCommit,          // taking what changed, for the writer
  kWrite,           // commits, in the writer's thread
  kStop,            // from the program's end to the last drain, without the drains
  kSymbolize,       // names of addresses
  kResolve,         // the tree with names
  kGpuAttribution,  // samples of GPU instructions to lines
  kFinalWrite,      // the complete file
};
inline constexpr size_t kPasses = 10;
inline constexpr std::array<const char*, kPasses> kPassNames = {
    "launch", "drain",     "ingest",  "commit",          "write",
    "stop",   "symbolize", "resolve", "gpu_attribution", "final_write"};

class PassTimers {
 public:
  HostNs& operator[](Pass pass) { return ns_[static_cast<size_t>(pass)]; }
  HostNs operator[](Pass pass) const { return ns_[static_cast<size_t>(pass)]; }

  // recorder_ns_NAME for each pass but kFinalWrite, which the file's writer knows.
  void Describe(std::map<std::string, std::string>& meta) const;

  // Adds what `work` takes, and returns what it returns.
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
