#include "core/model/sources.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

template <class Number>
Number NumberIn(const std::map<std::string, std::string>& meta, const char* name, Number unknown) {
  const auto found = meta.find(name);
  if (found == meta.end()) return unknown;
  const char* const end = found->second.data() + found->second.size();
  Number number = unknown;
  const auto [at, error] = std::from_chars(found->second.data(), end, number);
  return error == std::errc() && at == end && number >= 0 ? number : unknown;
}

}  // namespace

std::vector<Source> SourcesOf(const Profile& profile) {
  if (!profile.sources.empty()) return profile.sources;
  if (profile.meta.empty() && profile.processes.empty()) return {};
  Source source;
  if (const auto host = profile.meta.find("host"); host != profile.meta.end()) {
    source.host = host->second;
  }
  source.rank = NumberIn<int32_t>(profile.meta, "rank", -1);
  source.start_realtime_ns = NumberIn<int64_t>(profile.meta, "start_realtime_ns", 0);
  source.meta = profile.meta;
  source.quality = profile.quality;
  return {source};
}

SourceId SourceOf(const Profile& profile, ProcessId process) {
  const SourceId source = profile.process(process).source;
  return source ? source : SourceId{1};
}

bool IsSameRecording(const Source& a, const Source& b) {
  return a.start_realtime_ns != 0 && a.start_realtime_ns == b.start_realtime_ns &&
         a.host == b.host && a.rank == b.rank;
}

bool IsSameFile(const Source& a, const Source& b) {
  const auto id = a.meta.find("recording_id"), other = b.meta.find("recording_id");
  const bool has_id = id != a.meta.end(), has_other = other != b.meta.end();
  if (has_id || has_other) return has_id && has_other && id->second == other->second;
  return IsSameRecording(a, b) && !a.meta.empty() && a.meta == b.meta && a.quality == b.quality;
}

int64_t RealtimeOfZero(const Profile& profile) {
  for (const Source& source : SourcesOf(profile)) {
    if (source.start_realtime_ns == 0) continue;
    return SubtractSaturated(source.start_realtime_ns, source.clock_offset_ns);
  }
  return 0;
}

std::vector<HostNs> ClockOffsets(std::span<const Profile* const> profiles) {
  std::vector<int64_t> zeros;
  for (const Profile* profile : profiles) zeros.push_back(RealtimeOfZero(*profile));
  return ClockOffsets(std::move(zeros));
}

std::vector<HostNs> ClockOffsets(std::vector<int64_t> zeros) {
  int64_t first = 0;
  for (const int64_t zero : zeros) {
    if (zero != 0) first = first == 0 ? zero : std::min(first, zero);
  }
  for (HostNs& zero : zeros) zero = zero == 0 ? 0 : SubtractSaturated(zero, first);
  return zeros;
}

std::vector<int64_t> SumsBySource(const Profile& profile, MetricId metric) {
  std::vector<int64_t> sums(SourcesOf(profile).size());
  for (const Value& value : profile.values) {
    if (value.metric != metric) continue;
    const ProcessId process = profile.thread(value.thread).process;
    int64_t& sum = sums[SourceOf(profile, process).index()];
    sum = AddSaturated(sum, value.self);
  }
  return sums;
}

}  // namespace gprofx
