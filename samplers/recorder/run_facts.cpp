#include "samplers/recorder/run_facts.h"

#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "core/redact/mask_arguments.h"
#include "samplers/collector/processes/names.h"
#include "samplers/collector/quality.h"

namespace gprofx::recorder {
namespace {

std::string HostName() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "";
}

std::string KernelRelease() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "";
}

// Returns the value of the first line "NAME : VALUE" of /proc/cpuinfo whose name is `name`. Returns
// "" if there is none.
std::string CpuFact(std::string_view name) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/cpuinfo", "re"), &fclose);
  char text[1024];
  while (file != nullptr && fgets(text, sizeof text, file.get()) != nullptr) {
    std::string_view line = text;
    if (!line.starts_with(name)) continue;
    line.remove_prefix(std::min(line.find(':'), line.size() - 1) + 1);
    const size_t begin = line.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return "";
    return std::string(line.substr(begin, line.find_last_not_of(" \t\n") - begin + 1));
  }
  return "";
}

// Returns the name of the CPU. For an Arm CPU, which has no name, returns its numbers.
std::string CpuModel() {
  const std::string model = CpuFact("model name");
  if (!model.empty()) return model;
  const std::string maker = CpuFact("CPU implementer"), part = CpuFact("CPU part");
  return maker.empty() || part.empty() ? "" : "implementer " + maker + " part " + part;
}

}  // namespace

void DescribeRun(const RunFacts& run, Profile& profile) {
  auto& meta = profile.meta;
  meta["tool_version"] = GPROFX_VERSION;
  meta["command"] = JoinCommand(StoredCommand(run.options.command, run.options.arguments));
  meta["host"] = HostName();
  if (!run.options.rank.empty()) meta["rank"] = run.options.rank;
  if (!run.options.label.empty()) meta["label"] = run.options.label;
  meta["kernel"] = KernelRelease();
  if (!meta.contains("cpu_model")) meta["cpu_model"] = CpuModel();
  meta["clock"] = run.plan.wall_clock ? "wall" : "cpu";
  meta["rate_asked_hz"] = std::to_string(run.options.plan.rate);
  meta["rate_expected_hz"] = std::to_string(ExpectedRate(run.plan, run.machine));
  meta["cpu_source"] = SourceName(run.plan);
  meta["kernel_time"] = "counted at the caller, without kernel frames";
  meta["memory"] = run.options.memory ? "yes" : "no";
  meta["complete"] = "no";
  if (meta["start_realtime_ns"].empty()) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t realtime = now.tv_sec * kNsPerSecond + now.tv_nsec;
    meta["start_realtime_ns"] = std::to_string(realtime - run.now);
  }
  meta["duration_ns"] = std::to_string(run.program_end);
  if (run.status) meta["exit_status"] = std::to_string(*run.status);
  meta["problems"] = run.problems.Text();
}

void DescribeQuality(const QualityFacts& facts, Profile& profile) {
  const ProcessTotals& totals = facts.totals;
  auto& quality = profile.quality;
  PublishCounters(totals.agent, quality);
  quality["samples"] = facts.samples;
  quality["cpu_accounted_ns"] = totals.accounted_ns + facts.clocks.accounted_ns();
  int64_t measured = 0, lost = 0;
  for (const Thread& thread : profile.threads) {
    measured += thread.cpu_ns;
    lost += thread.lost_ns;
  }
  quality["cpu_measured_ns"] = measured;
  quality["lost_ns"] = lost;
  quality["process_notes_missed"] = facts.missed_notes;
  quality["processes_without_samples"] = facts.clocks.unsampled_processes();
  quality["cpu_not_sampled_ns"] = facts.clocks.unsampled_ns();
  quality["bad_records"] = totals.bad_records;
  quality["timeline_rows_dropped"] = 0;  // the writer sets the real value if rows were dropped
  quality["processes_without_region"] = facts.without_region;
  quality["cpu_sampled_ns"] = totals.sampled_ns;
  // Sampling rate that was achieved over all threads: samples per second of the CPU time that they
  // represent.
  const int64_t sampled = std::max<int64_t>(totals.sampled_ns, 1);
  profile.meta["rate_reached_hz"] = std::to_string(static_cast<int64_t>(
      static_cast<double>(facts.samples) * 1e9 / static_cast<double>(sampled) + 0.5));
}

void DescribeNotSampled(const std::vector<Unsampled>& unsampled, Profile& profile) {
  PublishNotSampled(unsampled, profile.quality);
  profile.meta["not_sampled"] = NotSampledText(unsampled);
}

}  // namespace gprofx::recorder
