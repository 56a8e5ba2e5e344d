// Makes A9 and A14: tables of the performance of kernels and layers relative to the peaks of their
// device. FLOP and bytes come from hardware counters (core/kernels/kernel_counters.h), from the
// shapes of operators (core/kernels/operator_work.h), or from names and launches
// (core/kernels/launch_work.h).
#include <algorithm>
#include <functional>

#include "core/analyses/parts.h"
#include "core/analyses/roofs.h"
#include "core/analyses/work.h"
#include "core/base/arithmetic.h"

namespace gprofx::analyses {
namespace {

constexpr char kNoWork[] =
    "(not in this profile): FLOP and bytes need the shapes of operators; names and launch "
    "configurations give them only for elementwise kernels, and this profile has none";
// A kernel or layer with a smaller share of the GPU time gets no row.
constexpr double kSmallest = 0.01;

std::vector<AnalysisColumn> Columns(AnalysisColumn what) {
  return {what,
          {"gpu_ns", "GPU", CellUnit::kNs},
          {"flop", "FLOP", CellUnit::kFlop},
          {"bytes", "bytes", CellUnit::kBytes, false},
          {"intensity", "FLOP/B", CellUnit::kNumber},
          {"flop_per_s", "FLOP/s", CellUnit::kFlopPerSecond},
          {"ceiling_flop_per_s", "ceiling", CellUnit::kFlopPerSecond, false},
          {"of_ceiling", "%ceiling", CellUnit::kShare},
          {"bound", "bound", CellUnit::kText}};
}

struct Sum {
  int64_t flop = 0, bytes = 0, ns = 0;
  double least_s = 0;       // seconds that the work takes at the peaks of the device
  double memory_s = 0;      // part of least_s in which the memory is the limit
  bool has_ceiling = true;  // false if the peak of some of the work is unknown

  void Add(const WorkOfNode& work, const std::optional<DevicePeaks>& peaks) {
    flop = AddSaturated(flop, work.flop);
    bytes = AddSaturated(bytes, work.bytes);
    ns = AddSaturated(ns, work.kernel_ns);
    has_ceiling = has_ceiling && peaks.has_value();
    if (!peaks) return;
    const double by_flop = static_cast<double>(work.flop) / peaks->flop_per_s;
    const double by_bytes = static_cast<double>(work.bytes) / peaks->bytes_per_s;
    least_s += std::max(by_flop, by_bytes);
    if (by_bytes > by_flop) memory_s += by_bytes;
  }

  std::vector<AnalysisCell> Cells(AnalysisCell name) const {
    const auto operations = static_cast<double>(flop);
    const double seconds = static_cast<double>(ns) / 1e9;
    const bool known = has_ceiling && least_s > 0;
    return {std::move(name),
            ns,
            flop,
            bytes,
            bytes > 0 ? AnalysisCell(operations / static_cast<double>(bytes)) : AnalysisCell(),
            operations / seconds,
            known ? AnalysisCell(operations / least_s) : AnalysisCell(),
            known ? AnalysisCell(least_s / seconds) : AnalysisCell(),
            !known                   ? AnalysisCell()
            : memory_s > least_s / 2 ? AnalysisCell(std::string("memory"))
                                     : AnalysisCell(std::string("compute"))};
  }
};

// Returns the name of the profile's devices; empty if it has devices with different names.
std::string_view DeviceName(const Profile& profile) {
  std::string_view name;
  for (const GpuDevice& device : profile.gpu.devices) {
    const std::string_view own = profile.Text(device.name);
    if (!name.empty() && own != name) return {};
    name = own;
  }
  return name;
}

using RowKey = std::function<uint32_t(const WorkOfNode&)>;
using RowName = std::function<AnalysisCell(uint32_t)>;

void Roofline(const AnalysisContext& context, int64_t smallest_ns, const RowKey& key_of,
              const RowName& name_of, Analysis& out) {
  const std::vector<WorkOfNode> work = FindWork(context);
  if (work.empty()) {
    out.reason = kNoWork;
    return;
  }
  const std::string_view device = DeviceName(context.profile);
  std::map<uint32_t, Sum> sums;
  bool has_peaks = false;
  for (const WorkOfNode& row : work) {
    const std::optional<DevicePeaks> peaks = PeaksOf(device, TypeOfWork(context, row));
    has_peaks = has_peaks || peaks.has_value();
    if (const uint32_t key = key_of(row)) sums[key].Add(row, peaks);
  }
  std::vector<std::pair<uint32_t, const Sum*>> order;
  for (const auto& [key, sum] : sums) {
    if (sum.ns >= smallest_ns) order.push_back({key, &sum});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->ns > b.second->ns; });
  for (const auto& [key, sum] : order) out.rows.push_back(sum->Cells(name_of(key)));
  out.notes.push_back("all steps together");
  out.notes.push_back(WorkNote(context, work));
  out.notes.push_back(has_peaks ? "ceiling: peaks of the device's data sheet, dense"
                                : "no ceiling: the peaks of this device are unknown");
}

}  // namespace

void KernelRoofline(const AnalysisContext& context, Analysis& out) {
  out.columns = Columns({"kernel", "kernel", CellUnit::kKernel});
  if (!NeedsGpu(context, out)) return;
  const auto smallest = static_cast<int64_t>(kSmallest * static_cast<double>(context.kernel_ns));
  Roofline(
      context, smallest, [](const WorkOfNode& row) { return row.kernel; },
      [&](uint32_t key) -> AnalysisCell {
        return std::string(context.profile.Text(StringId{key}));
      },
      out);
}

void LayerRoofline(const AnalysisContext& context, Analysis& out) {
  out.columns = Columns({"layer", "layer", CellUnit::kText});
  if (!NeedsGpu(context, out) || !NeedsLayers(context, out)) return;
  Roofline(
      context, 0, [&](const WorkOfNode& row) { return row.layer; },
      [&](uint32_t key) -> AnalysisCell { return context.levels.layer(key).Name(); }, out);
}

Roofs RoofsOf(const AnalysisContext& context) {
  const std::string_view device = DeviceName(context.profile);
  std::map<std::string, double> types;
  Roofs out;
  for (const WorkOfNode& row : FindWork(context)) {
    const std::string type = TypeOfWork(context, row);
    const std::optional<DevicePeaks> peaks = PeaksOf(device, type);
    if (!peaks) continue;
    types[type] = peaks->flop_per_s;
    out.bytes_per_s = peaks->bytes_per_s;
  }
  for (const auto& [type, flop_per_s] : types) out.compute.push_back({type, flop_per_s});
  return out;
}

}  // namespace gprofx::analyses
