// Reads the input of a report from files: the profiles, the shown range, and the events that the
// view needs. Blocking; one thread per object.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/report/report.h"
#include "formats/profile/profile_set.h"
#include "formats/redaction/redacted_source.h"

namespace gprofx {

// The input of a report. Must not be moved, because `redacted` refers to `profiles`.
struct LoadedReport {
  ProfileSet profiles;
  std::optional<RedactedSource> redacted;
  std::optional<TimelineBins> bins;
  std::vector<LayerShare> shares;  // set for --by layer
  std::vector<MemoryEvent> memory;

  const ProfileSource& source() const {
    return redacted ? static_cast<const ProfileSource&>(*redacted) : profiles;
  }
  const Profile& profile() const { return redacted ? redacted->profile() : profiles.profile(); }
  Profile& profile() { return redacted ? redacted->profile() : profiles.profile(); }

  // Returns the events that a view needs. They refer to this object.
  ViewEvents Events(const ReportOptions& options, const Screen& screen) const {
    return {.bins = bins ? &*bins : nullptr,
            .shares = shares,
            .memory = memory,
            .memory_bins = MemoryBinsFor(options, screen)};
  }
};

// Reads the input of a report. If there are several files and some cannot be included, adds the
// reasons to `left_out`.
Result<std::unique_ptr<LoadedReport>> LoadReport(const ReportCommand& command, const Screen& screen,
                                                 std::vector<Error>& left_out);

}  // namespace gprofx
