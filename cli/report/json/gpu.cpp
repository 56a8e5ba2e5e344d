#include "cli/report/json/gpu.h"

#include "cli/report/json/rows.h"
#include "core/kernels/kernel_family.h"
#include "core/views/naming/names.h"
#include "core/views/ranks.h"

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
          {"work_records_dropped", q.work_records_dropped()},
          {"records_without_time", q.records_without_time},
          {"records_without_end", q.records_without_end},
          {"ranges_left_out", q.ranges_left_out},
          {"records_without_launch", q.records_without_launch},
          {"stream_full", q.stream_full},
          {"modules_without_code", q.modules_without_code},
          {"overlap_late", q.overlap_late},
          {"pc_received", q.pc_received},
          {"pc_exact", q.pc_exact},
          {"pc_proportional", q.pc_proportional},
          {"pc_function_only", q.pc_function_only},
          {"pc_unattributed", q.pc_unattributed},
          {"pc_dropped", q.pc_dropped},
          {"pc_buffer_full", q.pc_buffer_full},
          {"pc_gap_ns", q.pc_gap_ns}};
}

// Returns how much of the time has GPU records. Returns null if all of it has.
Json LevelsJson(const GpuQuality& q) {
  if (q.counted_ns == 0) return nullptr;
  return {{"traced_ns", q.traced_ns},
          {"counted_ns", q.counted_ns},
          {"traced_launches", q.traced_launches},
          {"never_traced_launches", q.never_traced_launches},
          {"record_ns", q.record_ns > 0 ? Json(q.record_ns) : Json(nullptr)}};
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

void AddKernelName(Json& row, const View& view, FrameId kernel) {
  row["short_name"] = Utf8(view.kernel_labels.Short(view.profile, kernel));
  row["family"] = FamilyWord(view.kernel_labels.Family(view.profile, kernel));
}

Json StallsJson(const GpuRow& row) {
  Json stalls = Json::object();
  for (size_t i = 0; i < kStallClasses; ++i) stalls[kStallClassNames[i]] = row.stalls[i];
  return stalls;
}

// Adds the values of a row that has nothing below it, such as a kernel or a line. All its samples
// are self samples.
void AddOwnValues(Json& row, int64_t self, int64_t samples) {
  row["self"] = self;
  row["total"] = self;
  row["self_samples"] = samples;
  row["total_samples"] = samples;
}

Json PartsJson(const std::vector<WallPart>& parts) {
  Json list = Json::array();
  for (const WallPart& part : parts) {
    Json row = {{"name", Utf8(part.name)}, {"ns", part.ns}};
    if (part.margin_ns > 0) row["margin_ns"] = part.margin_ns;
    list.push_back(std::move(row));
  }
  return list;
}

Json LanesJson(const Profile& profile) {
  const std::vector<uint32_t> numbers = GpuNumbers(profile);
  Json lanes = Json::array();
  for (const WallLane& lane : profile.gpu.lanes) {
    const Process* process = lane.process ? &profile.process(lane.process) : nullptr;
    const int32_t rank = lane.process ? RankOf(profile, lane.process) : -1;
    lanes.push_back(
        {{"gpu", lane.device ? Json(numbers[lane.device.index()]) : Json(nullptr)},
         {"process", process != nullptr ? Json(Utf8(profile.Text(process->name))) : Json(nullptr)},
         {"pid", process != nullptr ? Json(process->pid) : Json(nullptr)},
         {"rank", rank >= 0 ? Json(rank) : Json(nullptr)},
         {"begin_ns", lane.begin},
         {"end_ns", lane.end},
         {"exposed_communication_ns", ExposedCommunication(lane)},
         {"hidden_communication_ns", lane.hidden_communication_ns},
         {"parts", PartsJson(lane.parts)}});
  }
  return lanes;
}

}  // namespace

Json WallJson(const View& view) {
  const WallShares& shares = view.wall;
  if (shares.WholeNs() == 0) return nullptr;
  return {{"total_ns", shares.WholeNs()},
          {"unseen_ns", shares.unseen_ns},
          {"busy_ns", shares.busy.ns},
          {"idle_ns", shares.idle.ns},
          {"parts", PartsJson(view.profile.gpu.wall)},
          {"lanes", LanesJson(view.profile)}};
}

Json GpuJson(const View& view) {
  Json gpu = {{"devices", DevicesJson(view.profile)},     {"time_ns", view.Sum(kMetricGpu)},
              {"operations", view.Sum(kMetricGpuOps)},    {"wait_ns", view.Sum(kMetricGpuWait)},
              {"pc_samples", view.Sum(kMetricPcSamples)}, {"quality", QualityOfGpu(view.gpu)}};
  if (Json levels = LevelsJson(view.gpu); !levels.is_null()) gpu["levels"] = std::move(levels);
  return gpu;
}

Json KernelRowsJson(const View& view) {
  const Profile& profile = view.profile;
  Json list = Json::array();
  for (size_t i = 0; i < view.kernels->shown; ++i) {
    const GpuRow& source = view.kernels->rows[i];
    const Json seen = SeenAsJson(profile, source.seen_as);
    const bool estimated = view.kernels->estimated;
    Json row = RowStart(estimated ? kMetricGpuEstimated : kMetricGpu, "gpu",
                        OperationName(profile, source.frame), seen);
    AddKernelName(row, view, source.frame);
    if (view.is_numbered) row["row"] = "#g" + std::to_string(i + 1);
    AddOwnValues(row, source.self_ns, source.samples);
    row["calls"] = source.calls;
    if (estimated) {
      row["estimated_ns"] = source.self_ns;
      row["traced_ns"] = source.traced_ns;
      row["traced"] = source.traced;
      row["stderr_ns"] = StandardErrorNs(source);
    }
    row["latency_samples"] = source.latency;
    row["stalls"] = StallsJson(source);
    if (source.bytes > 0) {
      row["bytes"] = source.bytes;
      row["bytes_per_second"] = BytesPerSecond(*view.kernels, source);
    }
    if (profile.FindMetric(kMetricGpuOverlapped)) row["overlapped_ns"] = source.overlapped_ns;
    row["seen_as"] = seen;
    list.push_back(std::move(row));
  }
  return list;
}

Json WaitRowsJson(const View& view) {
  const Profile& profile = view.profile;
  const RowTable& waits = *view.waits;
  Json list = Json::array();
  for (size_t i = 0; i < waits.shown; ++i) {
    const Row& source = waits.rows[i];
    const Json seen = SeenAsJson(profile, source.seen_as);
    Json row = RowStart(kMetricGpuWait, "cuda", WaitName(profile, waits, source), seen);
    AddOwnValues(row, source.self, 0);
    row["seen_as"] = seen;
    list.push_back(std::move(row));
  }
  return list;
}

Json GpuLineRowsJson(const View& view) {
  const Profile& profile = view.profile;
  Json list = Json::array();
  for (size_t i = 0; i < view.gpu_lines->shown; ++i) {
    const GpuRow& source = view.gpu_lines->rows[i];
    const bool line =
        source.frame && profile.frame(source.frame).kind == FrameKind::kGpuInstruction;
    const bool named = line && profile.frame(source.frame).function;
    Json row = RowStart(kMetricPcSamples, "gpu",
                        OperationName(profile, named ? source.frame : source.kernel),
                        line ? SeenAsJson(profile, source.frame) : Json(nullptr));
    AddOwnValues(row, source.samples, source.samples);
    row["kernel"] = Utf8(OperationName(profile, source.kernel));
    AddKernelName(row, view, source.kernel);
    row["latency_samples"] = source.latency;
    row["stalls"] = StallsJson(source);
    row["seen_as"] = nullptr;
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace gprofx
