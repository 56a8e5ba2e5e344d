// Names of native code for a running display: looked up by a copy of this process, while the
// display goes on.
//
// Samples seldom hit the same address twice, so that names of single ones would never be enough: of
// each page with a frame all points of a grid are asked for, once (FrameKeyTable::kGrid).
//
// Bounded in CPU time: a lookup begins only while all of them together took less than kFree and
// kShare of the time since the start. The process must have one thread.
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
  static constexpr int64_t kShare = 200;         // one part of so many

  explicit NameLookup(SymbolizeOptions options) : options_(std::move(options)) {
    options_.lines = false;
  }

  // Begins to look for the names of native frames, unless the last lookup goes on or they took
  // enough.
  void Ask(const Profile& profile, const std::vector<FrameId>& frames,
           const recorder::FileReaders& readers, int64_t now_ns);
  int fd() const { return work_.fd(); }
  // Names that have come since. True: there were some.
  bool Take(const Profile& profile, FrameKeyTable& keys);
  int64_t cpu_ns() const { return work_.cpu_ns(); }

 private:
  void AddPage(ModuleId module, uint64_t address, std::vector<uint64_t>& addresses);

  SymbolizeOptions options_;
  recorder::ForkedWork work_;
  std::vector<FrameId> asked_;
  std::set<std::pair<uint32_t, uint64_t>> pages_;  // module, begin
};

}  // namespace gprofx
