// Aligns the clocks of ranks, file after file: by the realtime of their starts, and by the ends of
// the collectives that they share (core/gpu/collective_clock.h). Used only inside formats/.
// Blocking; one thread per object. Memory: the collectives of two files.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/gpu/collective_clock.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns the ends of the collectives of a file, by its own clock. Names are interned in `names`,
// which must be the same object for all files.
Result<std::vector<CollectiveEnd>> CollectiveEnds(const ProfileSource& reader,
                                                  const Profile& profile, Profile& names);

class RankClocks {
 public:
  // `offset`: the offset that realtime suggests. Returns it corrected by the collectives. The first
  // file that has collectives is the reference.
  HostNs Align(std::vector<CollectiveEnd> ends, HostNs offset);

 private:
  std::optional<std::vector<CollectiveEnd>> reference_;
};

// Shifts all clocks so that the earliest one begins at 0. Requires at least one.
void BeginAtZero(std::span<HostNs> offsets);

}  // namespace gprofx
