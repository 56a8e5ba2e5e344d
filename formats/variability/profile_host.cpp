#include "formats/variability/profile_host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/gpu/level_windows.h"
#include "core/slice/part_rows.h"
#include "core/variability/event.h"
#include "formats/database/stream_read.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr HostNs kLookBack = 5'000'000'000;
constexpr HostNs kLongestSample = 1'000'000'000;

bool Explains(const std::vector<WallPart>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const WallPart& part) {
    return part.ns > 0 && part.name.starts_with("idle.") && part.name != kUnexplainedPart &&
           // This part comes from probes of threads, which are not read here.
           part.name != SharePart(HostClass::kBlocked);
  });
}

}  // namespace

bool TellsIdle(const Profile& profile) {
  return Explains(profile.gpu.wall) ||
         std::any_of(profile.gpu.lanes.begin(), profile.gpu.lanes.end(),
                     [](const WallLane& lane) { return Explains(lane.parts); });
}

ProfileHost::ProfileHost(const ProfileFile& file, const Profile& profile, NumberOf number_of)
    : file_(file), profile_(profile), number_of_(std::move(number_of)), classes_(profile) {
  FindThreads();
}

void ProfileHost::FindThreads() {
  explains_.resize(profile_.threads.size());
  std::vector<bool> has_one(profile_.processes.size() + 1);
  const MetricId metric = profile_.FindMetric(kMetricGpuOps);
  for (const Value& value : profile_.values) {
    if (!metric || value.metric != metric || !value.thread) continue;
    const Thread& thread = profile_.thread(value.thread);
    if (thread.tid == 0) continue;  // not a real thread: holds work without a recorded launch
    explains_[value.thread.index()] = true;
    has_one[thread.process.value] = true;
  }
  for (size_t i = 0; i < explains_.size(); ++i) {
    const Thread& thread = profile_.threads[i];
    if (!thread.process || has_one[thread.process.value]) continue;
    explains_[i] = thread.tid == profile_.process(thread.process).pid;
  }
}

Status ProfileHost::ReadCalls(TimeRange window, PartEvents& out) const {
  static constexpr std::array<size_t, 4> kCall = {column::kCallStart, column::kCallDuration,
                                                  column::kCallThread, column::kCallNode};
  static constexpr std::array<size_t, 4> kOverhead = {
      column::kOverheadStart, column::kOverheadDuration, column::kOverheadProcess,
      column::kOverheadKind};
  static constexpr std::array<size_t, 5> kLevel = {column::kLevelStart, column::kLevelDuration,
                                                   column::kLevelProcess, column::kLevelTraced,
                                                   column::kLevelLaunches};
  const HostNs begin = AddSaturated(window.begin, -kLookBack);
  const auto take = [&](const EventTable& rows) { AddPartRows(rows, profile_, out); };
  const std::pair<Stream, std::span<const size_t>> streams[] = {
      {Stream::kCalls, kCall}, {Stream::kOverheads, kOverhead}, {Stream::kGpuLevels, kLevel}};
  for (const auto& [stream, columns] : streams) {
    const Result<int64_t> read = ReadEvents(file_, stream, columns, begin, window.end, take);
    if (!read) return read.error();
  }
  return Ok();
}

// Returns the entry of a process in `out`; adds it if there is none.
ProcessHost& ProfileHost::HostOf(ProcessId process, HostActivity& out) const {
  const int64_t number = number_of_(process);
  for (ProcessHost& host : out.processes) {
    if (host.process == number) return host;
  }
  out.processes.push_back({number, {}, {}, {}});
  return out.processes.back();
}

Status ProfileHost::ReadSpans(TimeRange window, HostActivity& out) {
  const auto take = [&](std::span<const SampleRow> rows) {
    for (const SampleRow& row : rows) {
      if (!row.thread || !row.node || row.weight == 0 || !explains_[row.thread.index()]) continue;
      const HostNs time = Bounded(row.time);
      const auto weight = static_cast<HostNs>(std::min<uint64_t>(row.weight, kLongestSample));
      HostOf(profile_.thread(row.thread).process, out)
          .samples.push_back({time - weight, time, classes_.Of(row.node, row.state)});
    }
  };
  // A sample covers time before it was taken. Samples after the window may therefore cover time in
  // it.
  const Result<int64_t> read =
      ReadSamples(file_, window.begin, AddSaturated(window.end, kLongestSample), take);
  return read ? Ok() : Status(read.error());
}

Result<HostActivity> ProfileHost::Read(TimeRange window) {
  PartEvents events;
  if (Status read = ReadCalls(window, events); !read) return read.error();
  HostActivity out;
  std::map<std::string, uint32_t> calls;
  const auto add = [&](ProcessId process, const std::string& call, HostNs begin, HostNs end) {
    if (end <= window.begin) return;
    const auto [known, is_new] = calls.try_emplace(call, out.calls.size());
    if (is_new) out.calls.push_back(call);
    HostOf(process, out).waits.push_back({begin, end, known->second});
  };
  for (const PhaseWait& wait : events.events.waits) {
    if (!wait.thread) continue;
    add(profile_.thread(wait.thread).process, WaitingCall(profile_, wait.node), wait.begin,
        wait.end);
  }
  for (const LevelWindow& level : events.windows) {
    if (!level.traced) add(level.process, kNoRecords, level.begin, level.end);
  }
  for (const PartEvents::Full& full : events.queue_full) {
    HostOf(full.process, out).queue_full.push_back({full.begin, full.end});
  }
  if (Status read = ReadSpans(window, out); !read) return read.error();
  return out;
}

}  // namespace gprofx
