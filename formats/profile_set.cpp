#include "formats/profile_set.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/arithmetic.h"
#include "core/sources.h"
#include "formats/phase_rows.h"
#include "formats/rank_clocks.h"

namespace gprofx {
namespace {

Error InFile(const std::string& path, Error error) {
  error.what = path + ": " + error.what;
  return error;
}

}  // namespace

Result<ProfileSet> ProfileSet::Open(const std::vector<std::string>& paths) {
  ProfileSet set;
  std::vector<Profile> profiles;
  for (const std::string& path : paths) {
    Result<ProfileReader> reader = ProfileReader::Open(path);
    if (!reader) return reader.error();
    Result<Profile> profile = reader->Load();
    if (!profile) return profile.error();
    set.files_.push_back({std::move(*reader), std::nullopt});
    profiles.push_back(std::move(*profile));
  }
  if (profiles.size() == 1) {
    set.profile_ = std::move(profiles.front());
    return set;
  }
  if (const Status merged = set.MergeAll(std::move(profiles), paths); !merged) {
    return merged.error();
  }
  return set;
}

Status ProfileSet::MergeAll(std::vector<Profile> profiles, const std::vector<std::string>& paths) {
  std::vector<const Profile*> all;
  for (const Profile& profile : profiles) all.push_back(&profile);
  std::vector<HostNs> offsets = ClockOffsets(all);
  Profile names;
  RankClocks clocks;
  for (size_t i = 0; i < profiles.size(); ++i) {
    Result<std::vector<CollectiveEnd>> ends = CollectiveEnds(files_[i].reader, profiles[i], names);
    if (!ends) return ends.error();
    offsets[i] = clocks.Align(std::move(*ends), offsets[i]);
  }
  BeginAtZero(offsets);
  for (size_t i = 0; i < profiles.size(); ++i) {
    // Of cubins the hash is enough to find the same in other files.
    Result<std::vector<GpuCubin>> cubins = files_[i].reader.Cubins();
    if (!cubins) return cubins.error();
    for (GpuCubin& cubin : *cubins) profiles[i].gpu.cubins.push_back({cubin.hash, {}});
    Result<IdMaps> maps = Merge(profile_, profiles[i], {.clock_offset = offsets[i]});
    if (!maps) return InFile(paths[i], maps.error());
    files_[i].maps = std::move(*maps);
    profiles[i] = Profile();
  }
  for (const GpuCubin& cubin : profile_.gpu.cubins) cubins_.push_back(cubin.hash);
  profile_.gpu.cubins.clear();
  // The steps of one of them are not those of all.
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
  std::vector<SourceText> merged;
  for (const File& file : files_) {
    Result<std::vector<SourceText>> sources = file.reader.Sources();
    if (!sources) return sources.error();
    for (SourceText& source : *sources) {
      const uint32_t path = source.path.value;
      source.path = path >= 1 && path <= file.maps->strings.size() ? file.maps->strings[path - 1]
                                                                   : StringId{};
      if (std::find(merged.begin(), merged.end(), source) == merged.end()) {
        merged.push_back(std::move(source));
      }
    }
  }
  return merged;
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

// Of a configuration of several files what the first of them measured.
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
