// Makes breakdowns of the time of GPUs and streams, by the definitions of HolisticTraceAnalysis.
#include <algorithm>
#include <array>
#include <map>

#include "core/analyses/device_work.h"
#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"

namespace gprofx::analyses {
namespace {

constexpr int64_t kKernelWait = 30;  // ns; a shorter gap is the normal distance between two kernels
constexpr size_t kClasses = 3;
constexpr const char* kClassNames[kClasses] = {"computation", "communication", "memory"};

// Cuts time at the starts and ends of `rows`. Calls `take` for each interval between two cuts. The
// second argument is a bit mask of the PieceKinds that run in the interval.
template <class Take>
void Sweep(const std::vector<WorkPiece>& rows, const Take& take) {
  struct Cut {
    HostNs time;
    size_t what;
    int change;
  };
  std::vector<Cut> cuts;
  cuts.reserve(2 * rows.size());
  for (const WorkPiece& row : rows) {
    if (row.begin == row.end) continue;
    cuts.push_back({row.begin, static_cast<size_t>(row.what), 1});
    cuts.push_back({row.end, static_cast<size_t>(row.what), -1});
  }
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.time < b.time; });
  std::array<int64_t, kClasses> running{};
  HostNs last = 0;
  for (size_t i = 0; i < cuts.size(); ++i) {
    uint32_t bits = 0;
    for (size_t c = 0; c < kClasses; ++c) bits |= (running[c] > 0 ? 1u : 0u) << c;
    if (i > 0 && cuts[i].time > last) take(bits, cuts[i].time - last);
    running[cuts[i].what] += cuts[i].change;
    last = cuts[i].time;
  }
}

std::string NameOf(uint32_t bits) {
  std::string name;
  for (size_t c = 0; c < kClasses; ++c) {
    if ((bits >> c & 1) == 0) continue;
    name += (name.empty() ? "" : " overlapping ") + std::string(kClassNames[c]);
  }
  return name;
}

}  // namespace

void TemporalBreakdown(const AnalysisContext& context, Analysis& out) {
  out.columns = {
      {"process", "process", CellUnit::kText},    {"device", "GPU", CellUnit::kText},
      {"kernel_time_ns", "time", CellUnit::kNs},  {"idle_ns", "idle", CellUnit::kNs},
      {"compute_ns", "computing", CellUnit::kNs}, {"non_compute_ns", "other work", CellUnit::kNs},
      {"idle", "%idle", CellUnit::kShare},        {"compute", "%comp", CellUnit::kShare},
      {"non_compute", "%other", CellUnit::kShare}};
  if (!NeedsGpu(context, out)) return;
  for (const DeviceWork& group : DeviceWorkOf(context, DeviceWorkBy::kDevice)) {
    int64_t idle = 0, compute = 0, other = 0;
    Sweep(group.rows, [&](uint32_t bits, int64_t ns) {
      (bits == 0 ? idle : (bits & 1) != 0 ? compute : other) += ns;
    });
    const int64_t all = idle + compute + other;
    out.rows.push_back({group.ProcessText(context.profile), group.DeviceText(context.profile), all,
                        idle, compute, other, Share(idle, all), Share(compute, all),
                        Share(other, all)});
  }
  out.notes.push_back(
      "from the first to the last work; computing: a kernel other than a collective runs");
}

void KernelBreakdown(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"type", "type", CellUnit::kText},
                 {"ns", "time", CellUnit::kNs},
                 {"share", "%busy", CellUnit::kShare}};
  if (!NeedsGpu(context, out)) return;
  std::map<uint32_t, int64_t> sums;
  int64_t all = 0;
  for (const DeviceWork& group : DeviceWorkOf(context, DeviceWorkBy::kDevice)) {
    Sweep(group.rows, [&](uint32_t bits, int64_t ns) {
      if (bits == 0) return;
      sums[bits] = AddSaturated(sums[bits], ns);
      all = AddSaturated(all, ns);
    });
  }
  std::vector<std::pair<uint32_t, int64_t>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [bits, ns] : order) out.rows.push_back({NameOf(bits), ns, Share(ns, all)});
  out.notes.push_back(
      "each moment counts once, by what runs in it; memory: copies and memsets; A10 shows the "
      "kernels by name");
}

void IdleBreakdown(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"process", "process", CellUnit::kText},
                 {"device", "GPU", CellUnit::kText, false},
                 {"stream", "stream", CellUnit::kCount},
                 {"idle_ns", "idle", CellUnit::kNs},
                 {"host_wait_ns", "host wait", CellUnit::kNs},
                 {"kernel_wait_ns", "kernel wait", CellUnit::kNs},
                 {"other_ns", "other", CellUnit::kNs},
                 {"host_wait", "%host", CellUnit::kShare},
                 {"kernel_wait", "%kernel", CellUnit::kShare},
                 {"other", "%other", CellUnit::kShare}};
  if (!NeedsGpu(context, out)) return;
  for (const DeviceWork& group : DeviceWorkOf(context, DeviceWorkBy::kStream)) {
    int64_t host = 0, kernel = 0, other = 0;
    HostNs until = group.rows.empty() ? 0 : group.rows[0].end;  // latest end so far
    for (size_t i = 1; i < group.rows.size(); ++i) {
      const WorkPiece& row = group.rows[i];
      const int64_t gap = row.begin - until;
      const bool launched_after = row.launch != 0 && row.launch > until;
      until = std::max(until, row.end);
      int64_t& sum = launched_after ? host : gap < kKernelWait ? kernel : other;
      sum = AddSaturated(sum, std::max<int64_t>(gap, 0));
    }
    const int64_t idle = AddSaturated(AddSaturated(host, kernel), other);
    const int64_t stream =
        group.stream ? context.profile.gpu.streams[group.stream.index()].number : 0;
    out.rows.push_back({group.ProcessText(context.profile), group.DeviceText(context.profile),
                        stream, idle, host, kernel, other, Share(host, idle), Share(kernel, idle),
                        Share(other, idle)});
  }
  out.notes.push_back(
      "idle time of a stream between its operations; host wait: the launch came after the end of "
      "the previous operation; kernel wait: less than 30 ns; other: all else, such as work of "
      "other streams");
}

}  // namespace gprofx::analyses
