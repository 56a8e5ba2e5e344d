#include "formats/importers/json/firefox.h"

#include <map>
#include <optional>

#include "core/base/arithmetic.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/gather/limits.h"
#include "formats/importers/json/firefox_paths.h"
#include "formats/importers/json/firefox_tables.h"
#include "formats/importers/json/json_walk.h"
#include "formats/importers/json/sample_times.h"
#include "formats/importers/json/weights.h"

namespace gprofx::importers {
namespace {

using namespace firefox;

class Builder {
 public:
  Builder(const Collector& found, Profile& profile) : found_(found), profile_(profile) {}

  void Add(const ThreadRows& rows) {
    markers_ += rows.markers;
    if (rows.stacks.empty()) return;
    const ThreadId thread = ThreadOf(rows);
    Paths paths(rows.tables, found_.shared, profile_);
    int64_t time = 0;
    for (size_t i = 0; i < rows.stacks.size(); ++i) {
      const NodeId node = paths.NodeOf(rows.stacks[i]);
      if (const auto at = TimeOf(rows, i, time)) times_.Add(*at, thread, node);
      AddWeight(rows, i, node, thread);
    }
    cut_frames_ += paths.cut_frames();
  }

  Status Finish(RowSink& sink) {
    if (found_.start_realtime_ns && !times_.empty()) {
      profile_.meta["start_realtime_ns"] =
          std::to_string(AddSaturated(*found_.start_realtime_ns, times_.first()));
    }
    ChooseSampledClock(profile_);
    profile_.quality["import_samples"] = samples_;
    if (markers_ > 0) profile_.quality["import_left_out_markers"] = markers_;
    if (left_out_ > 0) profile_.quality["import_left_out_samples_without_a_weight"] = left_out_;
    if (cut_frames_ > 0) profile_.quality["import_left_out_frames_of_deep_stacks"] = cut_frames_;
    return times_.Finish(profile_, sink);
  }

  int64_t samples() const { return samples_; }

 private:
  void AddWeight(const ThreadRows& rows, size_t i, NodeId node, ThreadId thread) {
    const WeightUnit unit = WeightUnitOf(rows.weight_type);
    std::optional<int64_t> weight;
    if (rows.weights.empty()) weight = 1;
    if (i < rows.weights.size()) weight = rows.weights[i].Times(unit.power);
    if (!weight) {
      ++left_out_;
      return;
    }
    ++samples_;
    profile_.AddSelf(node, thread, MetricOf(unit, profile_), *weight);
  }

  static std::optional<int64_t> TimeOf(const ThreadRows& rows, size_t i, int64_t& time) {
    if (i < rows.times.size()) return rows.times[i].Times(6);
    if (i >= rows.deltas.size()) return std::nullopt;
    return time = AddSaturated(time, rows.deltas[i].Times(6).value_or(0));
  }

  ThreadId ThreadOf(const ThreadRows& rows) {
    if (profile_.threads.size() >= kMaxThreads) return ThreadId{1};
    ProcessId& process = processes_[rows.pid];
    if (!process) {
      Process row;
      row.pid = rows.pid;
      row.name = profile_.Intern(rows.process);
      profile_.processes.push_back(row);
      process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
    }
    Thread row;
    row.process = process;
    row.tid = rows.tid;
    row.name = profile_.Intern(rows.name);
    profile_.threads.push_back(row);
    return ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  }

  const Collector& found_;
  Profile& profile_;
  std::map<int64_t, ProcessId> processes_;
  SampleTimes times_;
  int64_t samples_ = 0, markers_ = 0, left_out_ = 0, cut_frames_ = 0;
};

}  // namespace

Result<std::string> ImportFirefox(const std::string& path, Profile& profile, RowSink& sink,
                                  uint64_t& hash) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  Collector found;
  const Result<int64_t> mended = WalkJson(*source, path, found);
  if (!mended) return mended.error();
  Builder builder(found, profile);
  for (const ThreadRows& thread : found.threads) builder.Add(thread);
  if (builder.samples() == 0) {
    return Error{ErrorId::kEmptyFile, "'" + path + "' is a Firefox profile without samples",
                 "record again"};
  }
  if (Status added = builder.Finish(sink); !added) return added.error();
  if (*mended > 0) profile.quality["import_replaced_characters"] = *mended;
  hash = source->hash();
  const std::string& from = found.imported_from;
  return "Firefox profile" + (from.empty() ? "" : " (" + from + ")");
}

}  // namespace gprofx::importers
