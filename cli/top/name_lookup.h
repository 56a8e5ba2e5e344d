// Looks up names of native code for a running display, in a forked copy of this process, while the
// display continues.
//
// Samples seldom hit the same address twice, so looking up single addresses would never finish.
// Instead, all points of a grid of addresses (FrameKeyTable::kGrid) are looked up in each memory
// page that has a frame, once for each page.
//
// Bounded in CPU time: a lookup starts only if all lookups together took less than kFree plus
// 1/kShare of the time since the start. The process must have one thread.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cli/top/frame_keys.h"
#include "core/model/profile.h"
#include "samplers/recorder/file_readers.h"
#include "samplers/recorder/forked_work.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

class NameLookup {
 public:
  static constexpr int64_t kFree = 300'000'000;  // ns
  static constexpr int64_t kShare = 200;         // denominator of the share

  explicit NameLookup(SymbolizeOptions options) : options_(std::move(options)) {
    options_.lines = false;
  }

  // Starts looking up the names of native frames, unless a lookup is running or the CPU time limit
  // is reached.
  void Ask(const Profile& profile, const std::vector<FrameId>& frames,
           const recorder::FileReaders& readers, int64_t now_ns);
  int fd() const { return work_.fd(); }
  // Takes the names that have arrived. Returns true if a lookup ended.
  bool Take(const Profile& profile, FrameKeyTable& keys);
  int64_t cpu_ns() const { return work_.cpu_ns(); }

 private:
  void AddPage(ModuleId module, uint64_t address, std::vector<uint64_t>& addresses);

  SymbolizeOptions options_;
  recorder::ForkedWork work_;
  std::vector<FrameId> asked_;
  std::set<std::pair<uint32_t, uint64_t>> pages_;  // module, begin of page
};

}  // namespace gprofx
