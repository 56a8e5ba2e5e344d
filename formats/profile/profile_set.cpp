#include "formats/profile/profile_set.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/model/sources.h"
#include "formats/profile/rank_clocks.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {

struct ProfileSet::Opened {
  std::string path;
  ProfileReader reader;
  Profile profile;
  HostNs offset = 0;
};

Result<ProfileSet> ProfileSet::Open(const std::vector<std::string>& paths, Profiling profiling) {
  const auto refuse = [](const std::string& path, Error error) {
    return Status(InFile(path, std::move(error)));
  };
  return OpenAll(paths, refuse, profiling);
}

Result<ProfileSet> ProfileSet::Open(const std::vector<std::string>& paths,
                                    std::vector<Error>& left_out, Profiling profiling) {
  if (paths.size() == 1) return Open(paths, profiling);
  const auto refuse = [&](const std::string& path, Error error) {
    left_out.push_back(InFile(path, std::move(error)));
    return Ok();
  };
  Result<ProfileSet> set = OpenAll(paths, refuse, profiling);
  if (set && set->files_.empty()) {
    return Error{ErrorId::kCannotRead, "cannot read any of the files", "name profiles of gprof-x"};
  }
  return set;
}

Result<ProfileSet> ProfileSet::OpenAll(const std::vector<std::string>& paths, const Refuse& refuse,
                                       Profiling profiling) {
  std::vector<Opened> opened;
  for (const std::string& path : paths) {
    Result<ProfileReader> reader = ProfileReader::Open(path);
    Result<Profile> profile = reader ? reader->Load() : Result<Profile>(reader.error());
    if (profile) {
      opened.push_back({path, std::move(*reader), std::move(*profile)});
    } else if (Status refused = refuse(path, profile.error()); !refused) {
      return refused.error();
    }
  }
  ProfileSet set;
  if (opened.size() == 1) {
    set.paths_.push_back(opened.front().path);
    set.files_.push_back({std::move(opened.front().reader), std::nullopt});
    set.profile_ = std::move(opened.front().profile);
  } else if (const Status merged = set.MergeAll(std::move(opened), refuse); !merged) {
    return merged.error();
  }
  TakeOutProfiling(set.profile_, profiling);
  return set;
}

Status ProfileSet::MergeAll(std::vector<Opened> opened, const Refuse& refuse) {
  std::vector<const Profile*> all;
  for (const Opened& one : opened) all.push_back(&one.profile);
  std::vector<HostNs> offsets = ClockOffsets(all);
  std::vector<Opened> whole;
  Profile names;
  RankClocks clocks;
  for (size_t i = 0; i < opened.size(); ++i) {
    Opened& one = opened[i];
    Result<std::vector<GpuCubin>> cubins = one.reader.Cubins();
    Result<std::vector<CollectiveEnd>> ends =
        cubins ? CollectiveEnds(one.reader, one.profile, names)
               : Result<std::vector<CollectiveEnd>>(cubins.error());
    if (!ends) {
      if (Status refused = refuse(one.path, ends.error()); !refused) return refused;
      continue;
    }
    // Keep only the hash of a cubin, which is enough to match it with cubins of other files.
    for (const GpuCubin& cubin : *cubins) one.profile.gpu.cubins.push_back({cubin.hash, {}});
    one.offset = clocks.Align(std::move(*ends), offsets[i]);
    whole.push_back(std::move(one));
  }
  offsets.clear();
  for (const Opened& one : whole) offsets.push_back(one.offset);
  BeginAtZero(offsets);
  for (size_t i = 0; i < whole.size(); ++i) {
    Result<IdMaps> maps = Merge(profile_, whole[i].profile, {.clock_offset = offsets[i]});
    if (!maps) {
      if (Status refused = refuse(whole[i].path, maps.error()); !refused) return refused;
      continue;
    }
    paths_.push_back(whole[i].path);
    files_.push_back({std::move(whole[i].reader), std::move(*maps)});
    whole[i].profile = Profile();
  }
  for (const GpuCubin& cubin : profile_.gpu.cubins) cubins_.push_back(cubin.hash);
  profile_.gpu.cubins.clear();
  // Phases of one file do not describe the merged profile.
  profile_.phases = {};
  profile_.meta.erase(kPhasesFact);
  return Ok();
}

Result<std::optional<PartValues>> ProfileSet::Steady(const Profile& profile) const {
  if (files_.size() == 1) return files_.front().reader.Steady(profile);
  return std::optional<PartValues>();
}

Result<std::vector<GpuCubin>> ProfileSet::Cubins() const {
  if (files_.size() == 1) return files_.front().reader.Cubins();
  std::vector<GpuCubin> merged;
  for (const uint64_t hash : cubins_) merged.push_back({hash, {}});
  for (const File& file : files_) {
    Result<std::vector<GpuCubin>> cubins = file.reader.Cubins();
    if (!cubins) return cubins.error();
    for (size_t i = 0; i < cubins->size() && i < file.maps->cubins.size(); ++i) {
      GpuCubin& there = merged[file.maps->cubins[i].index()];
      if (there.data.empty()) there.data = std::move((*cubins)[i].data);
    }
  }
  return merged;
}

Result<std::vector<SourceText>> ProfileSet::Sources() const {
  if (files_.size() == 1) return files_.front().reader.Sources();
  std::deque<SourceText> merged;  // a deque, because `included` holds views of its elements
  std::set<std::pair<StringId, std::string_view>> included;  // path and text of the merged sources
  for (const File& file : files_) {
    Result<std::vector<SourceText>> sources = file.reader.Sources();
    if (!sources) return sources.error();
    for (SourceText& source : *sources) {
      const uint32_t path = source.path.value;
      source.path = path >= 1 && path <= file.maps->strings.size() ? file.maps->strings[path - 1]
                                                                   : StringId{};
      if (included.contains({source.path, source.text})) continue;
      const SourceText& added = merged.emplace_back(std::move(source));
      included.emplace(added.path, added.text);
    }
  }
  return std::vector<SourceText>(std::make_move_iterator(merged.begin()),
                                 std::make_move_iterator(merged.end()));
}

Result<std::vector<Finding>> ProfileSet::Findings() const {
  std::vector<Finding> all;
  for (const File& file : files_) {
    Result<std::vector<Finding>> findings = file.reader.Findings();
    if (!findings) return findings.error();
    for (Finding& finding : *findings) {
      if (file.maps && finding.node) finding.node = file.maps->nodes[finding.node.index()];
      all.push_back(std::move(finding));
    }
  }
  return all;
}

// Returns the hardware counters of all files. If several files measured the same launch
// configuration, the first one is used.
Result<std::vector<KernelCounters>> ProfileSet::Counters() const {
  std::map<GpuConfigId, KernelCounters> all;
  for (const File& file : files_) {
    Result<std::vector<KernelCounters>> counters = file.reader.Counters();
    if (!counters) return counters.error();
    for (KernelCounters& row : *counters) {
      if (file.maps) row.config = file.maps->configs[row.config.index()];
      if (row.config) all.emplace(row.config, row);
    }
  }
  std::vector<KernelCounters> out;
  for (const auto& [_, row] : all) out.push_back(row);
  return out;
}

Result<int64_t> ProfileSet::Samples(
    HostNs begin, HostNs end, const std::function<void(std::span<const SampleRow>)>& sink) const {
  int64_t rows = 0;
  std::vector<SampleRow> moved;
  for (const File& file : files_) {
    if (!file.maps) return file.reader.Samples(begin, end, sink);
    const HostNs offset = file.maps->clock_offset;
    const Result<int64_t> read =
        file.reader.Samples(SubtractSaturated(begin, offset), SubtractSaturated(end, offset),
                            [&](std::span<const SampleRow> batch) {
                              moved.assign(batch.begin(), batch.end());
                              for (SampleRow& row : moved) file.maps->Translate(row);
                              sink(moved);
                            });
    if (!read) return read.error();
    rows = AddSaturated(rows, *read);
  }
  return rows;
}

Result<int64_t> ProfileSet::Events(Stream stream, std::span<const size_t> columns, HostNs begin,
                                   HostNs end,
                                   const std::function<void(const EventTable&)>& sink) const {
  int64_t rows = 0;
  for (const File& file : files_) {
    if (!file.maps) return file.reader.Events(stream, columns, begin, end, sink);
    const HostNs offset = file.maps->clock_offset;
    const Result<int64_t> read =
        file.reader.Events(stream, columns, SubtractSaturated(begin, offset),
                           SubtractSaturated(end, offset), [&](const EventTable& batch) {
                             EventTable moved = batch;
                             file.maps->Translate(moved);
                             sink(moved);
                           });
    if (!read) return read.error();
    rows = AddSaturated(rows, *read);
  }
  return rows;
}

}  // namespace gprofx
