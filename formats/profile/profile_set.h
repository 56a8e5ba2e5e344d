// Several profiles read as one: the ranks or nodes of a run, or repetitions. A single file is read
// as it is.
//
// All files stay open as long as the set (see profile_reader.h). Their profiles are merged
// (core/model/merge.h) in the order of the paths. Times are aligned by the clocks of the hosts; if
// ranks share collectives, the collectives correct the alignment (core/gpu/collective_clock.h).
// Rows read from streams carry the ids and the clock of the merged profile, file after file. The
// cost of profiling is left out of the values (core/cost/profiling_time.h), unless the caller wants
// it shown. An error names its file. Memory: all profiles at once. Blocking; one thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cost/profiling_time.h"
#include "core/events/finding.h"
#include "core/model/merge.h"
#include "formats/profile/profile_reader.h"

namespace gprofx {

class ProfileSet final : public ProfileSource {
 public:
  // Requires at least one path, and each recording at most once.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 Profiling profiling = Profiling::kLeftOut);
  // Opens the readable files of `paths`. Other files and duplicates are returned in `left_out` with
  // their reason. Returns an Error if no file is left, or if the only file cannot be read. Does not
  // read the streams, so damage in them is not found here.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 std::vector<Error>& left_out,
                                 Profiling profiling = Profiling::kLeftOut);

  const std::vector<std::string>& paths() const { return paths_; }  // files that were read
  const Profile& profile() const { return profile_; }
  Profile& profile() { return profile_; }  // for callers that select a range (part_read.h)

  Result<std::optional<PartValues>> Steady(const Profile& profile) const override;
  Result<std::vector<GpuCubin>> Cubins() const override;
  Result<std::vector<SourceText>> Sources() const override;
  Result<std::vector<Finding>> Findings() const override;
  Result<std::vector<KernelCounters>> Counters() const override;
  Result<int64_t> Samples(
      HostNs begin, HostNs end,
      const std::function<void(std::span<const SampleRow>)>& sink) const override;
  Result<int64_t> Events(Stream stream, std::span<const size_t> columns, HostNs begin, HostNs end,
                         const std::function<void(const EventTable&)>& sink) const override;

 private:
  struct File {
    ProfileReader reader;
    std::optional<IdMaps> maps;  // unset: its ids are those of profile_
  };
  struct Opened;
  // Decides what to do with an unusable file. If it returns an error, OpenAll stops with it.
  using Refuse = std::function<Status(const std::string& path, Error error)>;
  static Result<ProfileSet> OpenAll(const std::vector<std::string>& paths, const Refuse& refuse,
                                    Profiling profiling);
  Status MergeAll(std::vector<Opened> opened, const Refuse& refuse);

  std::vector<std::string> paths_;
  std::vector<File> files_;
  std::vector<uint64_t> cubins_;  // hashes, by merged id
  Profile profile_;
};

}  // namespace gprofx
