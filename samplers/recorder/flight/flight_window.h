// Keeps the counters of a recording at several earlier times (marks). The counters of the last
// minutes are the present values minus those at the mark where the window begins.
//
// A mark is set every 1/kParts of the window. Marks that no window needs any more are dropped.
// Memory: kParts + 2 marks, each 24 bytes per thread and about 100 bytes per counter. Pure. One
// thread.
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

  // Sets a mark if one is due. `profile` must contain everything that happened until `now`.
  void Follow(HostNs now, const Profile& profile);
  // Returns the begin of the window that is written at `now`, and reduces the counters of `profile`
  // to the window.
  //
  // The window begins at the latest mark that is at least `last` before `now`. If rows before
  // `complete_from` are missing, it begins no earlier than the first mark at or after that time.
  HostNs Cut(HostNs now, HostNs complete_from, Profile& profile) const;
  size_t marks() const { return marks_.size(); }

 private:
  struct Mark {
    HostNs time = 0;
    std::map<std::string, int64_t> quality;
    std::vector<std::pair<int64_t, int64_t>> threads;  // CPU time and lost time of each thread
  };
  const HostNs last_;
  std::deque<Mark> marks_;
};

}  // namespace gprofx::recorder
