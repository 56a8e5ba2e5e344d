// Reads a profile (.gprofx), trusted or not. For any bytes, the result is either a Profile or one
// Error that describes the damage and suggests a fix. No file can crash the reader, or make it use
// time or memory out of proportion to the file size.
//
// A ProfileReader holds one file open in one state. Everything that it returns is consistent, even
// if another process commits to the file, replaces it or removes it meanwhile. While it is open, a
// recorder cannot commit to the file. The recorder then waits and keeps its rows, so do not keep an
// unfinished profile open for long.
//
// Content that this version does not know is skipped and counted in Profile::quality:
// unknown_tables, unknown_streams, unknown_metrics (metrics of unknown kinds; their values are left
// out) and unknown_frame_kinds. Frames of unknown kinds keep their place in the tree, their name
// and the number of their kind. Blocking; one thread per object.
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

  // Loads everything except the timeline, gpu.cubins and gpu.sources. meta["complete"] is "yes" if
  // the recording ended normally.
  Result<Profile> Load() const;
  // Like Load, but calls `wants_values` with the rest of the profile, and loads the values, which
  // are most of the data, only if it returns true.
  Result<Profile> LoadFor(const std::function<bool(const Profile&)>& wants_values) const;

  Result<std::optional<PartValues>> Steady(const Profile& profile) const override;
  Result<std::vector<GpuCubin>> Cubins() const override;
  Result<std::vector<SourceText>> Sources() const override;
  Result<std::vector<Finding>> Findings() const override;
  Result<std::vector<KernelCounters>> Counters() const override;
  // Returns the table `name`, which ProfileAppender wrote; no value if there is no such table.
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

// Opens the file and returns the result of Load(). For callers that need nothing else from the
// file.
Result<Profile> LoadProfile(const std::string& path);

}  // namespace gprofx
