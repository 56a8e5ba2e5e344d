// Several profiles read as one: the ranks or nodes of a run, or repetitions. One file alone is read
// as it is.
//
// All files are open while the set lives (see profile_reader.h). Their profiles are merged
// (core/model/merge.h) in the order of the paths; clocks are those of their hosts, and where the
// ranks share collectives, these correct them (core/gpu/collective_clock.h). What is read from the
// streams carries the ids and the clock of the merged profile, file after file. What profiling took
// is left out of the values (core/cost/profiling_time.h), unless who opens the set wants it shown.
// The error names its file. Memory: all profiles at once. Blocking; one thread per object.
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
  // At least one path; each recording at most once.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 Profiling profiling = Profiling::kLeftOut);
  // The same of those that can be read; the others, and what is there twice, are in `left_out` with
  // their reason. An Error: none is left, or the only one cannot be read. Blocks of streams are not
  // looked at.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 std::vector<Error>& left_out,
                                 Profiling profiling = Profiling::kLeftOut);

  const std::vector<std::string>& paths() const { return paths_; }  // those that were read
  const Profile& profile() const { return profile_; }
  Profile& profile() { return profile_; }  // for who shows a part of it (part_read.h)

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
    std::optional<IdMaps> maps;  // nothing: its ids are those of profile_
  };
  struct Opened;
  // What to do with a file that cannot be had; an error stops.
  using Refuse = std::function<Status(const std::string& path, Error error)>;
  static Result<ProfileSet> OpenAll(const std::vector<std::string>& paths, const Refuse& refuse,
                                    Profiling profiling);
  Status MergeAll(std::vector<Opened> opened, const Refuse& refuse);

  std::vector<std::string> paths_;
  std::vector<File> files_;
  std::vector<uint64_t> cubins_;  // hashes, in the order of the merged ids
  Profile profile_;
};

}  // namespace gprofx
