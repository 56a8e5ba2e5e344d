// What a report is made of, read from its files: the profiles, the part that is shown, and of their
// events what the view asks for. Blocking; one thread per object.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/report/report.h"
#include "formats/profile/profile_set.h"
#include "formats/redaction/redacted_source.h"

namespace gprofx {

// Not to be moved: what is redacted refers to what was read.
struct LoadedReport {
  ProfileSet profiles;
  std::optional<RedactedSource> redacted;
  std::optional<TimelineBins> bins;
  std::vector<LayerShare> shares;  // of --by layer
  std::vector<MemoryEvent> memory;

  const ProfileSource& source() const {
    return redacted ? static_cast<const ProfileSource&>(*redacted) : profiles;
  }
  const Profile& profile() const { return redacted ? redacted->profile() : profiles.profile(); }
  Profile& profile() { return redacted ? redacted->profile() : profiles.profile(); }

  // What a view takes; refers to this.
  ViewEvents Events(const ReportOptions& options, const Screen& screen) const {
    return {.bins = bins ? &*bins : nullptr,
            .shares = shares,
            .memory = memory,
            .memory_bins = MemoryBinsFor(options, screen)};
  }
};

// `left_out`: why files of several are not among them.
Result<std::unique_ptr<LoadedReport>> LoadReport(const ReportCommand& command, const Screen& screen,
                                                 std::vector<Error>& left_out);

}  // namespace gprofx
