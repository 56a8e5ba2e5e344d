// Looks up names of native code for the display, in a forked copy of this process. The display
// continues meanwhile.
//
// Samples rarely have the same address twice, so the lookup of single addresses would never end.
// Instead, all addresses of a grid (FrameKeyTable::kGrid) are looked up in each memory page that
// has a frame, once for each page. CPU time is limited: a lookup starts only if all lookups so far
// took less than kFree plus 1/kShare of the time since the start. The process must have only one
// thread.
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
  static constexpr int64_t kFree = 300'000'000;  // ns of CPU time
  // A lookup starts only if all so far took less than kFree plus 1/kShare of the time since the
  // start.
  static constexpr int64_t kShare = 200;

  explicit NameLookup(SymbolizeOptions options) : options_(std::move(options)) {
    options_.lines = false;
  }

  // Starts to look up the names of native frames. Does nothing if a lookup is running or the limit
  // on CPU time is reached. `now_ns` is the time since the start.
  void Ask(const Profile& profile, const std::vector<FrameId>& frames,
           const recorder::FileReaders& readers, int64_t now_ns);
  int fd() const { return work_.fd(); }
  // Adds the names that have arrived to `keys`. Returns true if a lookup has ended.
  bool Take(const Profile& profile, FrameKeyTable& keys);
  int64_t cpu_ns() const { return work_.cpu_ns(); }

 private:
  void AddPage(ModuleId module, uint64_t address, std::vector<uint64_t>& addresses);

  SymbolizeOptions options_;
  recorder::ForkedWork work_;
  std::vector<FrameId> asked_;
  // Pages that were looked up, by module and begin of the page.
  std::set<std::pair<uint32_t, uint64_t>> pages_;
};

}  // namespace gprofx
