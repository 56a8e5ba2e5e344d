// Aligns the clocks of the ranks' files, one file after another. Uses the real time at which the
// recordings started, and the ends of the collectives that the ranks share
// (core/gpu/collective_clock.h). Used only inside formats/. Blocking; one thread per object.
// Memory: the collectives of two files.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/gpu/collective_clock.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns the ends of the collectives of a file, on the clock of that file. Names are interned in
// `names`, which must be the same object for all files.
Result<std::vector<CollectiveEnd>> CollectiveEnds(const ProfileSource& reader,
                                                  const Profile& profile, Profile& names);

class RankClocks {
 public:
  // Returns the number of ns to add to a file's times. `offset` is what the real time suggests, and
  // `ends` are the file's collectives, which correct it. The first file with collectives is the
  // reference and is not corrected.
  HostNs Align(std::vector<CollectiveEnd> ends, HostNs offset);

 private:
  std::optional<std::vector<CollectiveEnd>> reference_;
};

// Shifts all offsets by the same amount, such that the smallest one is 0. There must be at least
// one.
void BeginAtZero(std::span<HostNs> offsets);

}  // namespace gprofx
