// Reading a profile (.gprofx), whoever made it: any bytes get an answer, a Profile or one Error
// that says what is wrong and the way out. No file makes a reader crash, or work or take memory out
// of proportion to its size.
//
// A ProfileReader holds one file open in one state: what it gives belongs together, whoever commits
// into the file, replaces it or removes it meanwhile. While it lives a recorder cannot commit into
// this file: it waits and keeps its rows, so an unfinished profile should not be held for long.
//
// What this version does not know is passed over and counted in Profile::quality: unknown_tables,
// unknown_streams, unknown_metrics (kinds of metrics; their values are left out) and
// unknown_frame_kinds (such frames keep their place in the tree, their name and the number of their
// kind). Blocking; one thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/events/finding.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/database/added_table.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

class ProfileReader final : public ProfileSource {
 public:
  static Result<ProfileReader> Open(const std::string& path);
  ProfileReader(ProfileReader&&) noexcept;
  ProfileReader& operator=(ProfileReader&&) noexcept;
  ~ProfileReader() override;

  // Everything but the timeline; gpu.cubins and gpu.sources stay empty. meta["complete"] is "yes"
  // after a clean end.
  Result<Profile> Load() const;
  // Values, which are most of it, only if `wants_values` says so of the rest.
  Result<Profile> LoadFor(const std::function<bool(const Profile&)>& wants_values) const;

  Result<std::optional<PartValues>> Steady(const Profile& profile) const override;
  Result<std::vector<GpuCubin>> Cubins() const override;
  Result<std::vector<SourceText>> Sources() const override;
  Result<std::vector<Finding>> Findings() const override;
  Result<std::vector<KernelCounters>> Counters() const override;
  // A table as ProfileAppender wrote it; nothing if there is none of that name.
  Result<std::optional<AddedTable>> Added(const std::string& name) const;

  Result<int64_t> Samples(
      HostNs begin, HostNs end,
      const std::function<void(std::span<const SampleRow>)>& sink) const override;
  Result<int64_t> Events(Stream stream, std::span<const size_t> columns, HostNs begin, HostNs end,
                         const std::function<void(const EventTable&)>& sink) const override;

 private:
  explicit ProfileReader(std::unique_ptr<class ProfileFile> file);
  std::unique_ptr<ProfileFile> file_;
};

// For who wants no more than this of a file.
Result<Profile> LoadProfile(const std::string& path);

}  // namespace gprofx
