// Figures of the profile database on a realistic recording: bytes per timeline sample, and what
// LoadProfile costs.
//
//   bench_profile_db [SAMPLES [THREADS [FOLDER]]]      default: 10,000,000 samples, 16 threads, the
//   current folder
//   bench_profile_db --kernels COUNT [FOLDER]          the stream of kernels instead of samples
//
// Samples arrive once a second as a collector hands them over: 997 Hz per thread with scheduling
// jitter, 20,000 nodes of skewed popularity, each thread staying some samples in one place. The
// file is then finished and loaded in a fresh process.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "formats/profile_db.h"

namespace {

using namespace gprofx;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kNodes = 30000;
constexpr uint32_t kHotNodes = 20000;
constexpr HostNs kPeriod = 1000000000 / 997;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

Profile MakeProfile(uint32_t threads) {
  Profile profile;
  std::mt19937 random(1);
  profile.processes.push_back(
      {1, 0, profile.Intern("train.py"), profile.Intern("python3 train.py")});
  for (uint32_t i = 0; i < threads; ++i) {
    profile.threads.push_back({ProcessId{1}, 100 + i, profile.Intern("worker")});
  }
  std::vector<FrameId> frames;
  for (int i = 0; i < 8000; ++i) {
    Function function;
    function.name =
        profile.Intern("at::native::some_function_with_a_name_" + std::to_string(i / 3));
    function.file = profile.Intern("/usr/src/pytorch/aten/file_" + std::to_string(i / 40) + ".cpp");
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.function = profile.Intern(function);
    frame.line = static_cast<uint32_t>(i);
    frames.push_back(profile.Intern(frame));
  }
  while (profile.nodes.size() < kNodes) {
    const NodeId parent{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    profile.Child(parent, frames[random() % frames.size()]);
  }
  return profile;
}

struct ThreadState {
  HostNs tick = 0;
  uint32_t node = 1;
};

class Generator {
 public:
  explicit Generator(uint32_t threads) : threads_(threads) {
    for (ThreadState& thread : threads_) thread.tick = static_cast<HostNs>(random_() % kPeriod);
  }

  // The samples of one second, in order of time as far as threads interleave.
  std::vector<SampleRow> Second() {
    std::vector<SampleRow> rows;
    for (int tick = 0; tick < 997; ++tick) {
      for (uint32_t i = 0; i < threads_.size(); ++i) {
        ThreadState& thread = threads_[i];
        thread.tick += kPeriod;
        if (random_() % 4 != 0) thread.node = SkewedNode();
        SampleRow row;
        row.time = thread.tick + static_cast<HostNs>(std::abs(jitter_(random_)));
        row.thread.value = i + 1;
        row.node.value = thread.node;
        row.weight = static_cast<uint32_t>(kPeriod);
        row.state = thread.node % 3 == 0 ? kStateGilReleased : kStateGilHeld;
        rows.push_back(row);
      }
    }
    return rows;
  }

 private:
  // Popularity falls with the square of the rank's place: a handful of nodes takes half of the
  // time.
  uint32_t SkewedNode() {
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    return 2 + static_cast<uint32_t>(u * u * u * u * (kHotNodes - 1)) * 7919 % kHotNodes;
  }

  std::mt19937_64 random_{2};
  std::normal_distribution<double> jitter_{0, 20000};  // ns
  std::vector<ThreadState> threads_;
};

int64_t FileSize(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

void LoadInFreshProcess(const std::string& path) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "bench_profile_db", "--load", path.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

// Peak of this program's memory; getrusage would count what was before exec.
double PeakMegabytes() {
  double kilobytes = 0;
  if (FILE* status = fopen("/proc/self/status", "r")) {
    char line[256];
    while (fgets(line, sizeof(line), status)) {
      if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    }
    fclose(status);
  }
  return kilobytes / 1024;
}

int Load(const std::string& path) {
  const double before = PeakMegabytes();
  const Clock::time_point start = Clock::now();
  const Result<Profile> profile = LoadProfile(path);
  const double milliseconds = MillisecondsSince(start);
  if (!profile) {
    fprintf(stderr, "%s\n", profile.error().Text().c_str());
    return 1;
  }
  printf("load: %.1f ms, %.1f MB at most (%.1f MB before); %zu nodes, %zu values, %lld samples\n",
         milliseconds, PeakMegabytes(), before, profile->nodes.size(), profile->values.size(),
         static_cast<long long>(profile->sample_rows));
  return 0;
}

int Run(int64_t samples, uint32_t threads, const std::string& folder) {
  const std::string path = folder + "/bench.gprofx";
  Profile profile = MakeProfile(threads);
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId count = profile.AddMetric("samples", "count", MetricKind::kSampled);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());

  Generator generator(threads);
  Clock::duration commits{}, appends{};
  double slowest_commit = 0;
  int seconds = 0;
  Require(writer->Commit(profile));
  const int64_t empty_size = FileSize(path);
  for (int64_t written = 0; written < samples; ++seconds) {
    std::vector<SampleRow> rows = generator.Second();
    if (written + static_cast<int64_t>(rows.size()) > samples) {
      rows.resize(static_cast<size_t>(samples - written));
    }
    for (const SampleRow& row : rows) {
      profile.AddSelf(row.node, row.thread, cpu, row.weight);
      profile.AddSelf(row.node, row.thread, count, 1);
    }
    Clock::time_point start = Clock::now();
    writer->AppendSamples(rows);
    appends += Clock::now() - start;
    start = Clock::now();
    Require(writer->Commit(profile));
    commits += Clock::now() - start;
    slowest_commit = std::max(slowest_commit, MillisecondsSince(start));
    written += static_cast<int64_t>(rows.size());
  }
  const double per_second = seconds;
  printf("recording: %d commits, %.1f ms each (slowest %.1f), append %.2f ms each\n", seconds,
         std::chrono::duration<double, std::milli>(commits).count() / per_second, slowest_commit,
         std::chrono::duration<double, std::milli>(appends).count() / per_second);
  printf("unfinished file: %.1f MB; %zu values\n", static_cast<double>(FileSize(path)) / 1e6,
         profile.values.size());
  LoadInFreshProcess(path);

  const Clock::time_point start = Clock::now();
  Require(writer->Finish(profile, {}));
  printf("finish: %.0f ms\n", MillisecondsSince(start));
  int64_t values_bytes = 0;
  {  // the same profile without a timeline, to tell the samples' share
    const std::string bare = folder + "/bench-bare.gprofx";
    Result<ProfileWriter> bare_writer = ProfileWriter::Create(bare);
    if (!bare_writer) Require(bare_writer.error());
    Require(bare_writer->Finish(profile, {}));
    values_bytes = FileSize(bare);
    unlink(bare.c_str());
  }
  const int64_t size = FileSize(path);
  printf(
      "file: %.1f MB; tables %.1f MB, empty tree %.1f MB; %.2f bytes per sample in the timeline\n",
      static_cast<double>(size) / 1e6, static_cast<double>(values_bytes) / 1e6,
      static_cast<double>(empty_size) / 1e6,
      static_cast<double>(size - values_bytes) / static_cast<double>(samples));
  LoadInFreshProcess(path);

  const Clock::time_point reading = Clock::now();
  int64_t sum = 0;
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) Require(reader.error());
  const Result<int64_t> rows = reader->Samples(0, INT64_MAX, [&](std::span<const SampleRow> batch) {
    for (const SampleRow& row : batch) sum += row.weight;
  });
  if (!rows) Require(rows.error());
  printf("timeline: %lld rows read in %.0f ms\n", static_cast<long long>(*rows),
         MillisecondsSince(reading));
  if (!getenv("KEEP")) unlink(path.c_str());
  return 0;
}

// Launch-bound training: 6,000 kernels a second from 400 call paths about in the order of the
// model, two threads that launch, durations that repeat with some noise.
EventTable KernelsOfOneSecond(std::mt19937_64& random, int second, int count) {
  std::normal_distribution<double> noise(0, 0.03);
  EventTable kernels(Stream::kKernels);
  HostNs launch = second * HostNs{1000000000}, time = launch;
  uint32_t correlation = static_cast<uint32_t>(second) * 21000;
  for (int i = 0; i < count; ++i) {
    const int site = (i + static_cast<int>(random() % 8)) % 400;
    correlation += 1 + static_cast<uint32_t>(random() % 6);
    launch += 100000 + static_cast<HostNs>(random() % 60000);
    time = std::max(time, launch + 4000) + static_cast<HostNs>(random() % 2000);
    const auto duration = static_cast<HostNs>((2000 + site * 997 % 150000) * (1 + noise(random)));
    const auto number = static_cast<uint32_t>(site);
    kernels.Append(KernelEvent{time, duration, launch, ThreadId{1 + number / 200},
                               NodeId{1000 + number * 37 % 997}, GpuStreamId{1},
                               GpuConfigId{1 + number % 60}, correlation, 0});
    time += duration;
  }
  return kernels;
}

int RunKernels(int count, const std::string& folder) {
  constexpr int kPerSecond = 6000;
  const std::string path = folder + "/bench.gprofx";
  Profile profile = MakeProfile(4);
  const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  profile.gpu.devices.emplace_back();
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  profile.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  for (uint32_t i = 0; i < 60; ++i) profile.gpu.configs.push_back({FunctionId{1 + i}, {i, 1, 1}});
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());
  Require(writer->Commit(profile));
  Clock::duration commits{};
  int seconds = 0;
  std::mt19937_64 random(1);
  for (int written = 0; written < count; written += kPerSecond, ++seconds) {
    const EventTable kernels =
        KernelsOfOneSecond(random, seconds, std::min(kPerSecond, count - written));
    for (size_t i = 0; i < kernels.rows(); ++i) {
      const auto node = static_cast<uint32_t>(kernels.column(column::kKernelNode)[i]);
      profile.AddSelf(NodeId{node}, ThreadId{1}, gpu, kernels.column(column::kKernelDuration)[i]);
    }
    const Clock::time_point start = Clock::now();
    writer->AppendEvents(kernels);
    Require(writer->Commit(profile));
    commits += Clock::now() - start;
  }
  printf("recording: %d commits, %.1f ms each\n", seconds,
         std::chrono::duration<double, std::milli>(commits).count() / std::max(1, seconds));
  const std::string bare = folder + "/bench-bare.gprofx";
  Result<ProfileWriter> bare_writer = ProfileWriter::Create(bare);
  if (!bare_writer) Require(bare_writer.error());
  Require(bare_writer->Finish(profile, {}));
  printf("without kernels, ");
  LoadInFreshProcess(bare);

  const Clock::time_point finishing = Clock::now();
  Require(writer->Finish(profile, {}));
  printf("finish: %.0f ms\n", MillisecondsSince(finishing));
  printf("%.2f bytes per kernel\n", static_cast<double>(FileSize(path) - FileSize(bare)) / count);
  LoadInFreshProcess(path);
  unlink(bare.c_str());
  const Clock::time_point reading = Clock::now();
  const std::vector<size_t> columns = {column::kKernelDuration, column::kKernelConfig};
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) Require(reader.error());
  const Result<int64_t> rows =
      reader->Events(Stream::kKernels, columns, 0, INT64_MAX, [](const EventTable&) {});
  if (!rows) Require(rows.error());
  printf("kernels: %lld rows, two columns of them read in %.0f ms\n", static_cast<long long>(*rows),
         MillisecondsSince(reading));
  if (!getenv("KEEP")) unlink(path.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::string(argv[1]) == "--kernels") {
    return RunKernels(atoi(argv[2]), argc > 3 ? argv[3] : ".");
  }
  if (argc == 3 && std::string(argv[1]) == "--load") return Load(argv[2]);
  const int64_t samples = argc > 1 ? atoll(argv[1]) : 10000000;
  const uint32_t threads = argc > 2 ? static_cast<uint32_t>(atoi(argv[2])) : 16;
  return Run(samples, threads, argc > 3 ? argv[3] : ".");
}
