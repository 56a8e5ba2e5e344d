#include "core/compare/run.h"

#include <algorithm>
#include <set>

#include "core/gpu.h"
#include "core/views/call_tree.h"
#include "core/views/gpu_rows.h"
#include "core/views/group.h"
#include "core/views/names.h"
#include "core/views/quality.h"
#include "core/views/rows.h"
#include "core/views/view.h"
#include "core/work_names.h"

namespace gprofx::compare {
namespace {

constexpr Stream kStreams[] = {Stream::kKernels, Stream::kCopies, Stream::kSets, Stream::kCalls};

// "libtorch_cpu.so.2.4" is the module that "libtorch_cpu.so.2.5" was.
std::string_view ModuleKey(std::string_view path) {
  const std::string_view name = BaseName(path);
  const size_t version = name.find(".so.");
  return version == std::string_view::npos ? name : name.substr(0, version + 3);
}

std::string KeyOf(const Label& label) {
  const std::string kind(KindWord(label.kind, label.name));
  const std::string_view where =
      label.kind == FrameKind::kPython ? ShortFile(label.file) : ModuleKey(label.module);
  return kind + "\n" + std::string(where) + "\n" + label.name;
}

Parts FunctionsOf(const View& view) {
  Parts parts;
  for (const Row& row : view.rows->rows) {
    if (row.self <= 0 || row.group == 0) continue;
    const Label label = LabelOf(view.profile, view.rows->groups, row.group);
    Part& part = parts.try_emplace(KeyOf(label)).first->second;
    part.kind = label.kind;
    part.name = label.name;
    part.file = label.file;
    part.line = label.line;
    part.module = label.module;
    part.ns += static_cast<double>(row.self);
    part.samples += static_cast<double>(row.self_samples);
  }
  return parts;
}

Parts KernelsOf(const Profile& profile, const GpuTable& table) {
  Parts parts;
  for (const GpuRow& row : table.rows) {
    if (!row.frame || row.self_ns <= 0) continue;
    Part part;
    part.kind = profile.frame(row.frame).kind;
    part.name = OperationName(profile, row.frame);
    part.ns = static_cast<double>(row.self_ns);
    if (row.seen_as) {
      const Frame& line = profile.frame(row.seen_as);
      part.file = FrameFile(profile, line);
      part.line = line.line;
    }
    parts.emplace(part.name, std::move(part));
  }
  return parts;
}

std::string SizeText(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

void SetFact(std::map<std::string, std::string>& facts, const char* name, std::string value) {
  if (!value.empty()) facts[name] = std::move(value);
}

}  // namespace

std::span<const Stream> RunReader::Streams() { return kStreams; }

std::vector<size_t> RunReader::Columns(Stream stream) {
  switch (stream) {
    case Stream::kKernels:
      return {column::kKernelConfig};
    case Stream::kCopies:
      return {column::kCopyBytes, column::kCopyKind, column::kCopySource, column::kCopyTarget};
    case Stream::kSets:
      return {column::kSetBytes};
    case Stream::kCalls:
      return {column::kCallKind};
    default:
      return {};
  }
}

RunReader::RunReader(const Profile& profile)
    : profile_(profile), launches_(profile.gpu.configs.size() + 1) {}

void RunReader::AddKernels(const EventTable& rows) {
  for (const int64_t config : rows.column(column::kKernelConfig)) {
    if (config >= 0 && static_cast<size_t>(config) < launches_.size()) {
      ++launches_[static_cast<size_t>(config)];
    }
  }
}

void RunReader::Add(const EventTable& rows) {
  switch (rows.stream()) {
    case Stream::kKernels:
      return AddKernels(rows);
    case Stream::kCopies:
      for (size_t i = 0; i < rows.rows(); ++i) {
        const auto at = [&](size_t column) {
          return static_cast<uint32_t>(rows.column(column)[i]);
        };
        const std::string name =
            CopyName(at(column::kCopyKind), at(column::kCopySource), at(column::kCopyTarget));
        run_.counts["bytes: " + name] += rows.column(column::kCopyBytes)[i];
        ++run_.counts["count: " + name];
      }
      return;
    case Stream::kSets:
      run_.counts["count: set memory"] += static_cast<int64_t>(rows.rows());
      return;
    case Stream::kCalls:
      for (const int64_t kind : rows.column(column::kCallKind)) {
        if (kind < 1 || static_cast<uint64_t>(kind) > profile_.string_count()) continue;
        ++run_.counts["calls: " +
                      std::string(profile_.Text(StringId{static_cast<uint32_t>(kind)}))];
      }
      return;
    default:
      return;
  }
}

void RunReader::AddFacts() {
  std::multiset<std::string> gpus;
  for (const GpuDevice& device : profile_.gpu.devices) {
    gpus.insert(std::string(profile_.Text(device.name)));
    SetFact(run_.machine, "GPU driver", std::string(profile_.Text(device.driver)));
  }
  std::string names;
  for (const std::string& gpu : gpus) names += (names.empty() ? "" : ", ") + gpu;
  SetFact(run_.machine, "GPUs", names);
  for (const auto& [fact, meta] :
       {std::pair("CPU", "cpu_model"), std::pair("host", "host"), std::pair("clock", "clock"),
        std::pair("sampling rate", "rate_asked_hz"), std::pair("kernel time", "kernel_time"),
        std::pair("GPU recording", "gpu_asked")}) {
    SetFact(run_.machine, fact, std::string(MetaText(profile_, meta)));
  }
  for (const Module& module : profile_.modules) {
    if ((module.flags & kModuleIsPython) == 0) continue;
    SetFact(run_.machine, "Python", std::string(BaseName(profile_.Text(module.path))));
  }
  SetFact(run_.workload, "command", std::string(MetaText(profile_, "command")));
  SetFact(run_.workload, "exit status", std::string(MetaText(profile_, "exit_status")));
}

Run RunReader::Finish() {
  Query query;
  query.by = RowsBy::kFunction;
  const Result<View> view = BuildView(profile_, query);
  if (view) {  // always, as nothing was asked that a profile may lack
    run_.metric = view->metric.name;
    run_.total_ns = static_cast<double>(view->base);
    run_.functions = FunctionsOf(*view);
    run_.measured_ns = static_cast<double>(view->quality.measured);
    run_.accounted_ns = static_cast<double>(view->quality.accounted);
    run_.complete = view->quality.complete;
  }
  if (profile_.FindMetric(kMetricGpu)) {
    const GpuTable kernels = GpuRows(profile_, Kept(profile_.nodes.size(), 1), GpuBy::kKernel);
    run_.gpu_ns = static_cast<double>(kernels.whole.self_ns);
    run_.kernels = KernelsOf(profile_, kernels);
  }
  for (size_t i = 0; i < profile_.gpu.configs.size(); ++i) {
    const GpuKernelConfig& config = profile_.gpu.configs[i];
    if (launches_[i + 1] == 0 || !config.function) continue;
    const std::string name(profile_.Text(profile_.function(config.function).name));
    run_.counts["launches: " + name + " [" + SizeText(config.grid) + ", " + SizeText(config.block) +
                "]"] += launches_[i + 1];
  }
  run_.counts["processes"] = static_cast<int64_t>(profile_.processes.size());
  run_.counts["threads"] = static_cast<int64_t>(profile_.threads.size());
  AddFacts();
  return std::move(run_);
}

}  // namespace gprofx::compare
