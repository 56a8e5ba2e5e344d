// Aligns the clocks of ranks, file after file. Uses the realtime at which they started and the ends
// of the collectives that they share (core/gpu/collective_clock.h). Used only inside formats/.
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

// Returns the ends of the collectives of a file, on the clock of that file. Names are interned in
// `names`, which must be the same object for all files.
Result<std::vector<CollectiveEnd>> CollectiveEnds(const ProfileSource& reader,
                                                  const Profile& profile, Profile& names);

class RankClocks {
 public:
  // Returns the offset of a file's clock. `offset` is the offset that realtime suggests, and `ends`
  // are the collectives of the file, which correct it. The first file that has collectives is the
  // reference and is not corrected.
  HostNs Align(std::vector<CollectiveEnd> ends, HostNs offset);

 private:
  std::optional<std::vector<CollectiveEnd>> reference_;
};

// Shifts all offsets so that the earliest one is 0. Requires at least one.
void BeginAtZero(std::span<HostNs> offsets);

}  // namespace gprofx
