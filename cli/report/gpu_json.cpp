#include "cli/report/gpu_json.h"

#include <algorithm>

#include "cli/report/gpu_wall.h"
#include "cli/report/names.h"
#include "cli/report/rows.h"

namespace gprofx {
namespace {

Json DevicesJson(const Profile& profile) {
  Json devices = Json::array();
  for (const GpuDevice& device : profile.gpu.devices) {
    devices.push_back({{"name", Utf8(profile.Text(device.name))},
                       {"uuid", Utf8(profile.Text(device.uuid))},
                       {"pci_bus", Utf8(profile.Text(device.pci_bus))},
                       {"driver", Utf8(profile.Text(device.driver))},
                       {"compute", std::to_string(device.compute_major) + "." +
                                       std::to_string(device.compute_minor)},
                       {"multiprocessors", device.multiprocessors},
                       {"clock_hz", device.clock_hz},
                       {"memory_bytes", device.memory_bytes},
                       {"memory_bytes_per_s", device.memory_bytes_per_s}});
  }
  return devices;
}

Json QualityOfGpu(const GpuQuality& q) {
  return {{"launches", q.launches},
          {"launches_lost", q.launches_lost},
          {"launch_median_ns", q.launch_median_ns},
          {"records", q.records},
          {"records_dropped", q.records_dropped},
          {"records_without_time", q.records_without_time},
          {"records_without_launch", q.records_without_launch},
          {"stream_full", q.stream_full},
          {"modules_without_code", q.modules_without_code},
          {"pc_received", q.pc_received},
          {"pc_exact", q.pc_exact},
          {"pc_proportional", q.pc_proportional},
          {"pc_function_only", q.pc_function_only},
          {"pc_unattributed", q.pc_unattributed},
          {"pc_dropped", q.pc_dropped},
          {"pc_buffer_full", q.pc_buffer_full},
          {"pc_gap_ns", q.pc_gap_ns}};
}

Json RowStart(const char* metric, std::string_view kind, const std::string& name,
              const Json& place) {
  return {{"metric", metric},
          {"kind", kind},
          {"name", Utf8(name)},
          {"file", place.is_null() ? Json("") : place["file"]},
          {"line", place.is_null() ? Json(0) : place["line"]},
          {"module", ""}};
}

Json StallsJson(const GpuRow& row) {
  Json stalls = Json::object();
  for (size_t i = 0; i < kStallClasses; ++i) stalls[kStallClassNames[i]] = row.stalls[i];
  return stalls;
}

// The samples of a flat row are its own: nothing lies below a kernel or a line.
void AddValues(Json& row, int64_t self, int64_t samples) {
  row["self"] = self;
  row["total"] = self;
  row["self_samples"] = samples;
  row["total_samples"] = samples;
}

std::string NameOf(const Profile& profile, FrameId frame) {
  return frame ? FrameName(profile, profile.frame(frame)) : "[no kernel]";
}

Json LanesJson(const Profile& profile) {
  const std::vector<uint32_t> numbers = GpuNumbers(profile);
  Json lanes = Json::array();
  for (const WallLane& lane : profile.gpu.lanes) {
    Json parts = Json::array();
    int64_t exposed = 0;
    for (const WallPart& part : lane.parts) {
      parts.push_back({{"name", Utf8(part.name)}, {"ns", part.ns}});
      if (part.name == "gpu.communication") exposed = part.ns;
    }
    const Process* process = lane.process ? &profile.process(lane.process) : nullptr;
    lanes.push_back(
        {{"gpu", lane.device ? Json(numbers[lane.device.index()]) : Json(nullptr)},
         {"process", process != nullptr ? Json(Utf8(profile.Text(process->name))) : Json(nullptr)},
         {"pid", process != nullptr ? Json(process->pid) : Json(nullptr)},
         {"begin_ns", lane.begin},
         {"end_ns", lane.end},
         {"exposed_communication_ns", exposed},
         {"hidden_communication_ns", lane.hidden_communication_ns},
         {"parts", std::move(parts)}});
  }
  return lanes;
}

}  // namespace

Json SeenAsJson(const Profile& profile, FrameId id) {
  if (!id) return nullptr;
  const Frame& frame = profile.frame(id);
  return {{"name", Utf8(FrameName(profile, frame))},
          {"file", Utf8(FrameFile(profile, frame))},
          {"line", frame.line}};
}

Json WallJson(const Profile& profile) {
  const WallShares shares = ShareWall(profile);
  if (shares.total_ns == 0) return nullptr;
  Json parts = Json::array();
  for (const WallPart& part : profile.gpu.wall) {
    parts.push_back({{"name", Utf8(part.name)}, {"ns", part.ns}});
  }
  return {{"total_ns", shares.total_ns},
          {"busy_ns", shares.busy.ns},
          {"idle_ns", shares.idle.ns},
          {"parts", std::move(parts)},
          {"lanes", LanesJson(profile)}};
}

Json GpuJson(const Analysis& analysis) {
  const Profile& profile = analysis.profile;
  const auto sum = [&](const char* name) { return MetricSum(profile, profile.FindMetric(name)); };
  return {{"devices", DevicesJson(profile)},     {"time_ns", sum(kMetricGpu)},
          {"operations", sum(kMetricGpuOps)},    {"wait_ns", sum(kMetricGpuWait)},
          {"pc_samples", sum(kMetricPcSamples)}, {"quality", QualityOfGpu(analysis.gpu)}};
}

Json KernelRowsJson(const Analysis& analysis, size_t& all) {
  const Profile& profile = analysis.profile;
  const GpuTable gpu = GpuRows(profile, analysis.request, GpuBy::kKernel);
  all = gpu.rows.size();
  Json list = Json::array();
  for (size_t i = 0; i < std::min(all, Limit(analysis, all)); ++i) {
    const GpuRow& source = gpu.rows[i];
    const Json seen = SeenAsJson(profile, source.seen_as);
    Json row = RowStart(kMetricGpu, "gpu", NameOf(profile, source.frame), seen);
    AddValues(row, source.self_ns, source.samples);
    row["calls"] = source.calls;
    row["latency_samples"] = source.latency;
    row["stalls"] = StallsJson(source);
    row["seen_as"] = seen;
    list.push_back(std::move(row));
  }
  return list;
}

Json GpuWaitRowsJson(const Analysis& analysis, size_t& all) {
  const Profile& profile = analysis.profile;
  const Groups groups = GroupFrames(profile, By::kFunction, false);
  const std::vector<Row> rows = GpuWaitRows(analysis, groups);
  all = rows.size();
  Json list = Json::array();
  for (size_t i = 0; i < std::min(all, Limit(analysis, all)); ++i) {
    const Json seen = SeenAsJson(profile, rows[i].seen_as);
    const std::string name =
        rows[i].group == 0 ? "[no call]" : LabelOf(profile, groups, rows[i].group).name;
    Json row = RowStart(kMetricGpuWait, "cuda", name, seen);
    AddValues(row, rows[i].self, 0);
    row["seen_as"] = seen;
    list.push_back(std::move(row));
  }
  return list;
}

Json GpuLineRowsJson(const Analysis& analysis, size_t& all) {
  const Profile& profile = analysis.profile;
  const GpuTable gpu = GpuRows(profile, analysis.request, GpuBy::kLine);
  all = gpu.rows.size();
  Json list = Json::array();
  for (size_t i = 0; i < std::min(all, Limit(analysis, all)); ++i) {
    const GpuRow& source = gpu.rows[i];
    const bool line =
        source.frame && profile.frame(source.frame).kind == FrameKind::kGpuInstruction;
    const bool named = line && profile.frame(source.frame).function;
    Json row =
        RowStart(kMetricPcSamples, "gpu", NameOf(profile, named ? source.frame : source.kernel),
                 line ? SeenAsJson(profile, source.frame) : Json(nullptr));
    AddValues(row, source.samples, source.samples);
    row["kernel"] = Utf8(NameOf(profile, source.kernel));
    row["latency_samples"] = source.latency;
    row["stalls"] = StallsJson(source);
    row["seen_as"] = nullptr;
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace gprofx
