#include "core/replay/passes.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/base/path.h"
#include "core/base/quantile.h"
#include "core/gpu/traced_times.h"
#include "core/model/python_files.h"

namespace gprofx {
namespace {

constexpr int64_t kMinPasses = 10;
// Of the call paths that span the run, at least one in kMinPart must be launched about as often as
// there are steps. If fewer are, they belong to an outer loop (an epoch, a log line every hundred
// steps).
constexpr size_t kMinPart = 10;

// Returns the innermost Python line of a call path or, if there is none, its innermost function.
std::string PlaceOf(const Profile& profile, NodeId node) {
  std::string native;
  for (; node && profile.node(node).frame; node = profile.node(node).parent) {
    const Frame& frame = profile.frame(profile.node(node).frame);
    if (!frame.function) continue;
    const Function& function = profile.function(frame.function);
    const std::string name(profile.Text(function.name));
    if (frame.kind != FrameKind::kPython) {
      if (native.empty()) native = name;
      continue;
    }
    const std::string_view file = BaseName(FrameFile(profile, frame));
    return name + " (" + std::string(file) + ":" + std::to_string(frame.line) + ")";
  }
  return native;
}

// True if the launch of the operation is known and in the shown range.
bool IsShown(const Profile& profile, const ReplayOperation& operation) {
  return operation.launch != 0 && operation.node && operation.thread &&
         (!profile.part || (operation.launch >= profile.part->range.begin &&
                            operation.launch < profile.part->range.end));
}

ProcessId MostLaunching(const Profile& profile, const ReplayEvents& events) {
  std::unordered_map<uint32_t, size_t> counts;
  ProcessId most;
  size_t of_most = 0;
  for (const ReplayOperation& operation : events.operations) {
    if (!IsShown(profile, operation)) continue;
    const ProcessId process = profile.thread(operation.thread).process;
    const size_t count = ++counts[process.value];
    if (count <= of_most) continue;
    of_most = count;
    most = process;
  }
  return most;
}

// The launches of one call path, in order. `begins` holds the index of the first launch in each
// period with records.
struct Path {
  std::vector<HostNs> launches;
  std::vector<size_t> begins;
};

// Returns the time from the first to the last launch in each period with records, summed over all
// periods.
int64_t TimeOf(const Path& path) {
  int64_t sum = 0;
  for (size_t i = 0; i < path.begins.size(); ++i) {
    const size_t end = i + 1 < path.begins.size() ? path.begins[i + 1] : path.launches.size();
    sum += path.launches[end - 1] - path.launches[path.begins[i]];
  }
  return sum;
}

// False if most intervals between the launches are short: the launches then come in bursts, which
// repeat within a pass.
bool IsRegular(const Path& path) {
  std::vector<int64_t> between;
  size_t next = 0;
  for (size_t i = 0; i < path.launches.size(); ++i) {
    if (next < path.begins.size() && i == path.begins[next]) {
      ++next;
    } else {
      between.push_back(path.launches[i] - path.launches[i - 1]);
    }
  }
  if (static_cast<int64_t>(between.size()) < kMinPasses) return false;
  const int64_t mean = TimeOf(path) / static_cast<int64_t>(between.size());
  return Median(std::move(between)) >= mean / 2;
}

// Returns how many of the sorted `counts` differ from `count` by at most a tenth.
size_t AsOften(const std::vector<size_t>& counts, size_t count) {
  const size_t about = count / 10;
  return static_cast<size_t>(std::upper_bound(counts.begin(), counts.end(), count + about) -
                             std::lower_bound(counts.begin(), counts.end(), count - about));
}

// Sorts the launches, removes those outside of the periods with records, and sets Path::begins to
// the first launch of each period.
void Divide(Path& path, std::span<const TimeRange> traced) {
  std::vector<HostNs>& launches = path.launches;
  std::sort(launches.begin(), launches.end());
  size_t kept = 0, window = 0;
  bool begun = false;
  for (const HostNs launch : launches) {
    while (window < traced.size() && launch >= traced[window].end) {
      ++window;
      begun = false;
    }
    if (window == traced.size()) break;
    if (launch < traced[window].begin) continue;
    if (!begun) path.begins.push_back(kept);
    begun = true;
    launches[kept++] = launch;
  }
  launches.resize(kept);
}

}  // namespace

std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events,
                                 std::span<const LevelWindow> windows) {
  const ProcessId process = MostLaunching(profile, events);
  std::vector<TimeRange> traced = {{kEarliest, kLatest}};
  if (!windows.empty()) traced = TracedTimes(windows, process);
  std::unordered_map<uint32_t, Path> paths;  // by node of the GPU work
  Path all;
  for (const ReplayOperation& operation : events.operations) {
    if (!IsShown(profile, operation) || profile.thread(operation.thread).process != process) {
      continue;
    }
    paths[operation.node.value].launches.push_back(operation.launch);
    all.launches.push_back(operation.launch);
  }
  Divide(all, traced);
  const int64_t time = TimeOf(all);
  std::vector<size_t> counts;
  for (auto& [node, path] : paths) {
    Divide(path, traced);
    if (TimeOf(path) >= time / 2) counts.push_back(path.launches.size());
  }
  std::sort(counts.begin(), counts.end());
  const Path* best = nullptr;
  std::tuple<bool, size_t, uint32_t> best_rank;
  for (const auto& [node, path] : paths) {
    if (TimeOf(path) < time / 2 || !IsRegular(path)) continue;
    const size_t count = path.launches.size();
    const bool is_alone = AsOften(counts, count) * kMinPart < counts.size();
    const std::tuple rank(is_alone, count, node);
    if (best != nullptr && best_rank < rank) continue;
    best = &path;
    best_rank = rank;
  }
  if (best == nullptr) return std::nullopt;
  Passes out;
  out.from = PlaceOf(profile, NodeId{std::get<2>(best_rank)});
  for (size_t i = 0; i < best->begins.size(); ++i) {
    const size_t end = i + 1 < best->begins.size() ? best->begins[i + 1] : best->launches.size();
    if (end - best->begins[i] < 2) continue;
    const auto at = best->launches.begin();
    out.windows.push_back(
        {process,
         {at + static_cast<ptrdiff_t>(best->begins[i]), at + static_cast<ptrdiff_t>(end)}});
  }
  return out;
}

std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events) {
  ReplayWindow window;
  HostNs first = kLatest, last = kEarliest;
  for (const ReplayOperation& operation : events.operations) {
    const HostNs begin = operation.launch != 0 ? operation.launch : operation.start;
    if (profile.part && (begin < profile.part->range.begin || begin >= profile.part->range.end)) {
      continue;
    }
    first = std::min(first, begin);
    last = std::max(last, operation.end);
    if (!window.process && operation.thread) {
      window.process = profile.thread(operation.thread).process;
    }
  }
  if (first >= last) return std::nullopt;
  window.bounds = {first, last};
  return window;
}

}  // namespace gprofx
