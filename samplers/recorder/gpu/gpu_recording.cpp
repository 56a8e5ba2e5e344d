#include "samplers/recorder/gpu/gpu_recording.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gprofx::recorder {
namespace {

constexpr HostNs kDrainMany = 10'000'000;
// Number of CUDA calls in one drain from which on drains are more frequent.
constexpr int64_t kManyEntries = 40;

const char* ChoiceName(GpuChoice choice) {
  switch (choice) {
    case GpuChoice::kAuto:
      return "auto";
    case GpuChoice::kTrace:
      return "trace";
    case GpuChoice::kPc:
      return "pc";
    case GpuChoice::kOff:
      return "off";
  }
  return "";
}

}  // namespace

std::string LibraryBeside(const std::string& agent, const char* name) {
  const std::string path = agent.substr(0, agent.rfind('/') + 1) + name;
  return access(path.c_str(), R_OK) == 0 ? path : "";
}

Status GpuRecording::BeginRaw() {
  const char* path = std::getenv("GPROFX_RAW");
  if (path == nullptr) return Ok();
  auto raw = RawRecording::Create(path);
  if (!raw) return raw.error();
  raw_ = std::move(*raw);
  parts_.raw = raw_.get();
  return Ok();
}

void GpuRecording::Begin(const std::string& output) {
  if (options_.gpu.choice != GpuChoice::kOff) {
    library_ = LibraryBeside(options_.agent, "libgprofx-cuda.so");
    if (library_.empty() && access("/dev/nvidiactl", F_OK) == 0) {
      problems_.Tell(problem::BuiltWithoutCuda{});
    }
  }
  wire::GpuPlan plan = MakeGpuPlan(options_.gpu);
  // Everything is traced if nothing lowers the level. --delay and --duration do not matter: outside
  // their window nothing is recorded at all.
  if (plan.budget == 0 && options_.control.empty()) parts_.gpu.TracesAll();
  if (library_.empty()) plan.mode = wire::kModeOff;
  if (plan.mode != wire::kModeOff) MakeSpool(output);
  parts_.session.SetGpu(plan, spool_ ? spool_->descriptor() : -1, spool_ ? spool_->limit() : 0);
}

void GpuRecording::MakeSpool(const std::string& output) {
  auto spool = Spool::Create(output);
  if (spool) {
    spool_.emplace(std::move(*spool));
  } else {
    problems_.Tell(problem::NoSpool{spool.error()});
  }
}

HostNs GpuRecording::DrainEvery(const ProcessTotals& totals, HostNs usual) {
  const int64_t entries = totals.gpu_entries + totals.marker_records;
  const bool many = entries - std::exchange(entries_, entries) >= kManyEntries;
  return many ? std::min(usual, kDrainMany) : usual;
}

void GpuRecording::TellMessages() {
  for (GpuMessage& message : parts_.gpu.TakeMessages()) {
    problems_.Tell(problem::GpuNotice{message.notice, std::move(message.text),
                                      options_.gpu.choice == GpuChoice::kPc});
  }
}

void GpuRecording::HandOver(ProfileWriter& writer, HostNs now,
                            const std::function<void(const EventTable&)>& look) {
  GpuRun& run = parts_.gpu;
  run.AdvanceWall(now);
  if (!run.used() && !run.has_memory()) return;
  run.TakeEvents([&](const EventTable& rows) {
    look(rows);
    if (options_.timeline) writer.AppendEvents(rows);
  });
  const EventTable pc = run.TakePcRows();
  if (pc.rows() > 0) writer.AppendEvents(pc);
}

void GpuRecording::Describe(const ProcessTotals& totals) const {
  Profile& profile = parts_.profile;
  profile.meta["gpu_asked"] = ChoiceName(options_.gpu.choice);
  PublishGpuCounters(totals.gpu, profile.quality);
  if (parts_.gpu.used()) parts_.gpu.Publish(profile.quality);
}

void GpuRecording::DescribeEnd(HostNs end) {
  if (parts_.gpu.used()) parts_.gpu.FinishWall(end);
}

Result<std::vector<std::byte>> GpuRecording::ReadModule(uint64_t hash) const {
  const auto& modules = parts_.gpu.modules();
  const auto found = modules.find(hash);
  if (!spool_ || found == modules.end()) {
    return Error{ErrorId::kMissingProgram, "the code of a module is missing"};
  }
  auto code = spool_->Read(found->second.offset, found->second.bytes);
  if (code && raw_) raw_->Add(RawKind::kCubin, 0, hash, *code);
  return code;
}

// True if a sampled stack contains one of the functions that every profiler session calls: those
// that prepare and start it, and the one that reads its results. __enter__ does not count.
// record_function, which every optimizer and data loader uses, has one too, and up to Python 3.10
// function names do not contain the class.
bool SawTorchProfiler(const Profile& profile) {
  for (const Function& function : profile.functions) {
    const std::string_view file = profile.Text(function.file);
    if (!file.ends_with("/torch/profiler/profiler.py") &&
        !file.ends_with("/torch/autograd/profiler.py"))
      continue;
    const std::string_view name = profile.Text(function.name);
    for (const std::string_view end : {"start_trace", "prepare_trace", "_parse_kineto_results"}) {
      if (name.ends_with(end)) return true;
    }
  }
  return false;
}

void GpuRecording::TellLast(const ProcessTotals& totals) {
  if (!parts_.gpu.used()) return;
  if (SawTorchProfiler(parts_.profile)) problems_.Tell(problem::TorchProfiler{});
  if (totals.gpu.counters[wire::kGpuForkedCalls] != 0) problems_.Tell(problem::ForkedCudaCalls{});
}

}  // namespace gprofx::recorder
