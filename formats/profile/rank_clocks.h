// Clocks of ranks put on one, file after file: by the realtime of their starts, and by the ends of
// the collectives that they share (core/gpu/collective_clock.h). Used inside formats/ only.
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

// Ends of the collectives of a file, by its own clock; names are interned in `names`, which is the
// same for all files.
Result<std::vector<CollectiveEnd>> CollectiveEnds(const ProfileSource& reader,
                                                  const Profile& profile, Profile& names);

class RankClocks {
 public:
  // `offset`: what realtime says is to be added. Returns it corrected by the collectives; the first
  // file that has some is the reference.
  HostNs Align(std::vector<CollectiveEnd> ends, HostNs offset);

 private:
  std::optional<std::vector<CollectiveEnd>> reference_;
};

// The clock of all begins with the first of them. At least one.
void BeginAtZero(std::span<HostNs> offsets);

}  // namespace gprofx
