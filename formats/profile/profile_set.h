// Reads several profiles as one: the ranks or nodes of a run, or repetitions. A single file is read
// unchanged.
//
// All files stay open as long as the set (see profile_reader.h). Their profiles are merged
// (core/model/merge.h) in the order of the paths. Times are aligned by the clocks of the hosts. If
// ranks share collectives, these correct the alignment (core/gpu/collective_clock.h). Rows of
// streams are read file after file, with ids and times of the merged profile. The values leave out
// the cost of profiling (core/cost/profiling_time.h), unless the caller asks for it. An error names
// its file. Memory: all profiles at once. Blocking; one thread per object.
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
  // Opens all files. Requires at least one path. Returns an error if a recording occurs twice.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 Profiling profiling = Profiling::kLeftOut);
  // Opens the readable files of `paths`. Adds an error to `left_out` for each other file and each
  // duplicate. Returns an Error if no file is left, or if the only file cannot be read. Does not
  // read the streams, so it does not find damage in them.
  static Result<ProfileSet> Open(const std::vector<std::string>& paths,
                                 std::vector<Error>& left_out,
                                 Profiling profiling = Profiling::kLeftOut);

  const std::vector<std::string>& paths() const { return paths_; }  // the files that were read
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
    std::optional<IdMaps> maps;  // unset: the ids of the file are those of profile_
  };
  struct Opened;
  // Handles the error of an unusable file. If it returns an error, OpenAll stops and returns that
  // error.
  using Refuse = std::function<Status(const std::string& path, Error error)>;
  static Result<ProfileSet> OpenAll(const std::vector<std::string>& paths, const Refuse& refuse,
                                    Profiling profiling);
  Status MergeAll(std::vector<Opened> opened, const Refuse& refuse);

  std::vector<std::string> paths_;
  std::vector<File> files_;
  std::vector<uint64_t> cubins_;  // by merged id: hash of the cubin
  Profile profile_;
};

}  // namespace gprofx
