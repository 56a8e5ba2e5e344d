// Profiles of a job that never was, as large as one likes, for scale_variability.py.
//
//   write_kernels FILE ROWS [RANK [host]]
//
// 60 kernels in the order of a round, an all-reduce behind them and a copy on another stream in
// every second round; durations with 3 % of noise around their medians. Rank 1 comes to the
// all-reduce 100 us late. With "host" 16 rounds are a step, and there is what tells why the GPU
// idles in it: a call that waits at the end of each round, and a CPU sample each ms. The same rows
// for the same arguments.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "formats/profile/profile_db.h"
#include "formats/reading/phase_rows.h"
#include "formats/sqlite/sqlite.h"

namespace {

using namespace gprofx;

constexpr int kKernels = 60;
constexpr int64_t kCommitRows = 1 << 20;
constexpr int64_t kStepRounds = 16;
constexpr HostNs kSampleNs = 1'000'000;
constexpr HostNs kWaitNs = 30'000;  // of which the GPU idles 20 us

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

Profile MakeProfile(int rank) {
  Profile profile;
  profile.meta["rank"] = std::to_string(rank);
  profile.meta["start_realtime_ns"] = std::to_string(1'700'000'000'000'000'000 + rank);
  profile.meta["host"] = "bench";
  profile.meta["phases"] = "yes";  // as recordings have it: nobody needs to look for steps again
  profile.processes.push_back({100 + rank, 0, profile.Intern("job")});
  profile.threads.push_back({ProcessId{1}, 100 + rank});
  GpuDevice device;
  device.name = profile.Intern("NVIDIA H100 80GB HBM3");
  profile.gpu.devices.push_back(device);
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  for (uint32_t stream : {7U, 9U}) profile.gpu.streams.push_back({GpuContextId{1}, stream});
  for (int i = 0; i <= kKernels; ++i) {
    Function function;
    function.name = profile.Intern(i < kKernels ? "kernel" + std::to_string(i)
                                                : "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    GpuKernelConfig config;
    config.function = profile.Intern(function);
    config.grid[0] = static_cast<uint32_t>(128 + i);
    config.block[0] = 256;
    profile.gpu.configs.push_back(config);
  }
  return profile;
}

NodeId AddFrame(Profile& profile, NodeId parent, FrameKind kind, const char* name) {
  Function function;
  function.name = profile.Intern(name);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Child(parent, profile.Intern(frame));
}

// What the host does, in steps; its first thread does all.
class Host {
 public:
  explicit Host(Profile& profile) {
    script_ = AddFrame(profile, profile.root(), FrameKind::kPython, "train");
    wait_ = AddFrame(profile, script_, FrameKind::kCudaApi, "cudaStreamSynchronize");
    profile.gpu.wall.push_back({"idle.sync.cudaStreamSynchronize", kWaitNs, 0});
    train_.process = ProcessId{1};
  }

  // All that happens until a round ends.
  void EndRound(HostNs end) {
    calls_.Append(CallEvent{end - kWaitNs, kWaitNs, ThreadId{1}, wait_, StringId{}});
    for (; sampled_ + kSampleNs <= end; sampled_ += kSampleNs) {
      const HostNs time = sampled_ + kSampleNs;
      const bool waits = end - time < kWaitNs;
      samples_.push_back(
          {time, ThreadId{1}, waits ? wait_ : script_, uint32_t{kSampleNs}, kStateGilHeld});
    }
    if (++rounds_ % kStepRounds != 0) return;
    train_.steps.push_back({begin_, end});
    begin_ = end;
  }

  void Write(ProfileWriter& writer) {
    writer.AppendEvents(calls_);
    writer.AppendSamples(samples_);
    calls_ = EventTable(Stream::kCalls);
    samples_.clear();
  }

  StepTrain TakeSteps() { return std::move(train_); }

 private:
  NodeId script_, wait_;
  EventTable calls_{Stream::kCalls};
  std::vector<SampleRow> samples_;
  StepTrain train_;
  HostNs begin_ = 0, sampled_ = 0;
  int64_t rounds_ = 0;
};

void WriteSteps(const char* path, Host& host) {
  Phases phases;
  phases.trains.push_back(host.TakeSteps());
  sqlite::Database file = sqlite::Database::Open(path, sqlite::Opening::kAppend);
  if (file.Execute("BEGIN") && WritePhases(file, phases, nullptr) && file.Execute("COMMIT")) return;
  Require(Error{ErrorId::kCannotWrite, std::string("steps cannot be written to '") + path + "'"});
}

void WriteRows(const char* path, int64_t rows, int rank, const Profile& profile, Host* host) {
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());
  std::mt19937_64 random(static_cast<uint64_t>(rank) + 1);
  std::normal_distribution<float> noise(1, 0.03F);
  EventTable kernels(Stream::kKernels), copies(Stream::kCopies);
  HostNs now = 1'000'000, step = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const auto kernel = static_cast<uint32_t>(row % (kKernels + 1));
    if (kernel == 0) {
      now = std::max(now, step);
      step = now + 3'400'000;  // all ranks begin theirs together
    }
    const bool is_reduce = kernel == kKernels;
    if (is_reduce && rank == 1) now += 100'000;
    const HostNs ns =
        is_reduce ? step - 20'000 - now
                  : static_cast<HostNs>((20'000 + kernel * 1'000) * std::abs(noise(random)));
    const uint32_t stream = is_reduce ? 2 : 1;
    kernels.Append(KernelEvent{now, ns, now - 5'000, ThreadId{1}, NodeId{1}, GpuStreamId{stream},
                               GpuConfigId{kernel + 1}, static_cast<uint32_t>(row), 0});
    if (kernel == 5 && row / (kKernels + 1) % 2 == 0) {
      copies.Append(CopyEvent{now, ns, now, ThreadId{1}, NodeId{1}, GpuStreamId{2}, 1 << 20, 1, 2,
                              3, static_cast<uint32_t>(row), 0});
    }
    now += ns + 1'000;
    if (is_reduce && host != nullptr) host->EndRound(step);
    if ((row + 1) % kCommitRows != 0 && row + 1 != rows) continue;
    writer->AppendEvents(kernels);
    writer->AppendEvents(copies);
    if (host != nullptr) host->Write(*writer);
    kernels = EventTable(Stream::kKernels);
    copies = EventTable(Stream::kCopies);
    Require(writer->Commit(profile));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "write_kernels FILE ROWS [RANK [host]]\n");
    return 2;
  }
  const int rank = argc > 3 ? atoi(argv[3]) : 0;
  Profile profile = MakeProfile(rank);
  std::optional<Host> host;
  if (argc > 4 && std::string(argv[4]) == "host") host.emplace(profile);
  WriteRows(argv[1], atoll(argv[2]), rank, profile, host ? &*host : nullptr);
  if (host) WriteSteps(argv[1], *host);
  return 0;
}
