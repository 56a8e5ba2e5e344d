#include "formats/profile/profile_changes.h"

#include <algorithm>

namespace gprofx {
namespace {

template <class Row>
Changed<Row> TakeNew(const std::vector<Row>& rows, size_t& taken) {
  Changed<Row> out;
  out.reserve(rows.size() - std::min(taken, rows.size()));
  for (; taken < rows.size(); ++taken) {
    out.emplace_back(static_cast<uint32_t>(taken + 1), rows[taken]);
  }
  return out;
}

template <class Row>
Changed<Row> TakeChanged(const std::vector<Row>& rows, std::vector<Row>& taken) {
  Changed<Row> out;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < taken.size() && rows[i] == taken[i]) continue;
    out.emplace_back(static_cast<uint32_t>(i + 1), rows[i]);
  }
  taken = rows;
  return out;
}

// Returns the entries that are new or differ from those in `taken`, and updates `taken` to
// `entries`. Entries are never removed.
template <class T>
std::vector<std::pair<std::string, T>> TakeEntries(const std::map<std::string, T>& entries,
                                                   std::map<std::string, T>& taken) {
  std::vector<std::pair<std::string, T>> out;
  for (const auto& [name, value] : entries) {
    const auto found = taken.find(name);
    if (found == taken.end() || found->second != value) out.emplace_back(name, value);
  }
  taken = entries;
  return out;
}

}  // namespace

ProfileChanges ProfileTracker::Take(const Profile& profile) {
  ProfileChanges out;
  for (; taken_.strings < profile.string_count(); ++taken_.strings) {
    const StringId id{static_cast<uint32_t>(taken_.strings + 1)};
    out.strings.emplace_back(id.value, profile.Text(id));
  }
  out.functions = TakeNew(profile.functions, taken_.functions);
  out.frames = TakeNew(profile.frames, taken_.frames);
  out.nodes = TakeNew(profile.nodes, taken_.nodes);
  out.metrics = TakeNew(profile.metrics, taken_.metrics);
  out.processes = TakeChanged(profile.processes, taken_.processes);
  out.threads = TakeChanged(profile.threads, taken_.threads);
  out.modules = TakeChanged(profile.modules, taken_.modules);
  out.ranges = TakeChanged(profile.ranges, taken_.ranges);
  TakeValues(profile.values, out);
  TakeGpu(profile.gpu, out.gpu);
  out.meta = TakeEntries(profile.meta, taken_.meta);
  out.quality = TakeEntries(profile.quality, taken_.quality);
  return out;
}

void ProfileTracker::TakeValues(const std::vector<Value>& values, ProfileChanges& out) {
  const size_t known = std::min(taken_.values.size(), values.size());
  for (size_t i = 0; i < known; ++i) {
    if (values[i].self == taken_.values[i]) continue;
    taken_.values[i] = values[i].self;
    out.selves.emplace_back(static_cast<uint32_t>(i + 1), values[i].self);
  }
  for (size_t i = known; i < values.size(); ++i) {
    taken_.values.push_back(values[i].self);
    out.new_values.emplace_back(static_cast<uint32_t>(i + 1), values[i]);
  }
}

void ProfileTracker::TakeGpu(const GpuTables& gpu, GpuChanges& out) {
  out.devices = TakeChanged(gpu.devices, taken_.devices);
  out.contexts = TakeChanged(gpu.contexts, taken_.contexts);
  out.streams = TakeChanged(gpu.streams, taken_.streams);
  out.configs = TakeNew(gpu.configs, taken_.configs);
  out.cubins = TakeNew(gpu.cubins, taken_.cubins);
  out.sources = TakeNew(gpu.sources, taken_.sources);
  if (gpu.wall != taken_.wall) out.wall = taken_.wall = gpu.wall;
  if (gpu.lanes != taken_.lanes) out.lanes = taken_.lanes = gpu.lanes;
}

}  // namespace gprofx
