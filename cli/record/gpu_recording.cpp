#include "cli/record/gpu_recording.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gprofx {
namespace {

constexpr HostNs kDrainMany = 10'000'000;
constexpr int64_t kManyEntries = 40;  // in one look at the rings

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

std::string CudaLibraryBeside(const std::string& agent) {
  const std::string path = agent.substr(0, agent.rfind('/') + 1) + "libgprofx-cuda.so";
  return access(path.c_str(), R_OK) == 0 ? path : "";
}

std::string NoticeText(const GpuMessage& message, const GpuRequest& request) {
  const bool pc =
      message.notice == wire::kNoticePcPermission || message.notice == wire::kNoticePcUnavailable;
  return (pc && request.choice == GpuChoice::kPc ? "--gpu pc is not possible: " : "") +
         message.text;
}

void GpuRecording::Begin(Session& session, ProcessTable& processes) {
  if (const char* path = std::getenv("GPROFX_RAW")) {
    auto raw = RawRecording::Create(path);
    if (raw) {
      raw_ = std::move(*raw);
      processes.SetRaw(raw_.get());
    } else {
      options_.say(raw.error().Text());
    }
  }
  if (options_.gpu.choice != GpuChoice::kOff) {
    library_ = CudaLibraryBeside(options_.agent);
    if (library_.empty() && access("/dev/nvidiactl", F_OK) == 0) {
      Tell("this gprof-x was built without CUDA: the GPU is not recorded");
    }
  }
  wire::GpuPlan plan = MakeGpuPlan(options_.gpu);
  if (library_.empty()) plan.mode = wire::kModeOff;
  if (plan.mode != wire::kModeOff) {
    auto spool = Spool::Create(options_.output);
    if (spool) {
      spool_.emplace(std::move(*spool));
    } else {
      problems_.push_back(spool.error().Text() + "; GPU samples get no source lines");
      options_.say(problems_.back());
    }
  }
  session.SetGpu(plan, spool_ ? spool_->Path() : "", spool_ ? spool_->limit() : 0);
}

HostNs GpuRecording::DrainEvery(const ProcessTable& processes, HostNs usual) {
  const int64_t entries = processes.gpu_entries();
  const bool many = entries - std::exchange(entries_, entries) >= kManyEntries;
  return many ? std::min(usual, kDrainMany) : usual;
}

void GpuRecording::TellMessages(GpuRun& run) {
  for (const GpuMessage& message : run.TakeMessages()) {
    Tell(NoticeText(message, options_.gpu));
  }
}

void GpuRecording::HandOver(GpuRun& run, ProfileWriter& writer, HostNs now) {
  run.AdvanceWall(now);
  if (!run.used()) return;
  run.TakeEvents([&](const EventTable& rows) {
    if (options_.timeline) writer.AppendEvents(rows);
  });
  const EventTable pc = run.TakePcRows();
  if (pc.rows() > 0) writer.AppendEvents(pc);
}

void GpuRecording::Describe(const ProcessTable& processes, Profile& profile) const {
  profile.meta["gpu_asked"] = ChoiceName(options_.gpu.choice);
  PublishGpuCounters(processes.GpuCountersNow(), profile.quality);
  if (processes.gpu().used()) processes.gpu().Publish(profile.quality);
}

void GpuRecording::DescribeEnd(GpuRun& run, HostNs end) const {
  if (run.used()) run.FinishWall(end);
}

Result<std::vector<std::byte>> GpuRecording::ReadModule(const GpuRun& run, uint64_t hash) const {
  const auto found = run.modules().find(hash);
  if (!spool_ || found == run.modules().end()) return Error{"the code of a module is missing", ""};
  auto code = spool_->Read(found->second.offset, found->second.bytes);
  if (code && raw_) raw_->Add(RawKind::kCubin, 0, hash, *code);
  return code;
}

// Not __enter__: record_function, which every optimizer and data loader uses, has one as well, and
// up to Python 3.10 names come without their class. What a session cannot do without are the calls
// that prepare and start it, and the reading of what it collected.
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

void GpuRecording::TellLast(const ProcessTable& processes, const Profile& profile) {
  if (!processes.gpu().used()) return;
  if (SawTorchProfiler(profile)) {
    Tell(
        "the program uses torch.profiler, which got no GPU events: CUPTI serves one client; record "
        "with --gpu off to leave it alone");
  }
  if (processes.GpuCountersNow().counters[wire::kGpuForkedCalls] != 0) {
    Tell(
        "a child that was forked after CUDA was initialised made CUDA calls, which are not "
        "recorded "
        "(CUDA itself refuses them): start it with spawn instead of fork");
  }
}

void GpuRecording::Tell(const std::string& line) {
  problems_.push_back(line);
  options_.say(line);
}

}  // namespace gprofx
