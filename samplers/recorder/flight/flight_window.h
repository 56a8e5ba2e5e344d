// Counters of a recording at the begins of its segments, so that those of its last minutes are what
// they are now without what they were then.
//
// One mark every kParts-th of the window; those that no window needs any more go. Memory: kParts +
// 2 marks of 24 bytes for each thread and about 100 for each counter. Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::recorder {

class FlightWindow {
 public:
  static constexpr int kParts = 30;

  explicit FlightWindow(HostNs last) : last_(last), marks_(1) {}

  // Everything that happened before `now` is in `profile`. Marks when it is time to.
  void Follow(HostNs now, const Profile& profile);
  // Where the window begins that is written at `now`: at a mark, the latest that holds `last` of
  // time, or the first from where on no rows are missing. Its counters become those of the window.
  HostNs Cut(HostNs now, HostNs complete_from, Profile& profile) const;
  size_t marks() const { return marks_.size(); }

 private:
  struct Mark {
    HostNs time = 0;
    std::map<std::string, int64_t> quality;
    std::vector<std::pair<int64_t, int64_t>> threads;  // CPU time and lost time
  };
  const HostNs last_;
  std::deque<Mark> marks_;
};

}  // namespace gprofx::recorder
