// What reports of the steady part cost: a training run of SAMPLES CPU samples and KERNELS kernels in
// steps is written as a recorder does, and read by gprof-x.
//
//   bench_steps GPROF-X [SAMPLES [KERNELS [FOLDER]]]     default: 10,000,000 and 1,000,000, the
//   current folder
//
// Prints how long the file took to finish, with and without a GPU's events, and for each command
// the median time of nine runs, the spread, and the most memory of one.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "formats/profile_db.h"

namespace {

using namespace gprofx;
using Clock = std::chrono::steady_clock;

constexpr int kKernelsPerStep = 500, kSites = 250, kRuns = 9;
constexpr uint32_t kThreads = 4;
constexpr HostNs kStartUp = 20'000'000'000, kPeriod = 1'000'000'000 / 997;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

FrameId FrameOf(Profile& profile, FrameKind kind, const std::string& name, const char* file = "") {
  Function function;
  function.name = profile.Intern(name);
  function.file = profile.Intern(file);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

struct Tree {
  std::vector<NodeId> stacks;   // of CPU samples
  std::vector<NodeId> kernels;  // in the order of a step; the last ones are the optimizer's
};

Tree MakeTree(Profile& profile) {
  std::mt19937 random(1);
  Tree tree;
  std::vector<FrameId> frames;
  for (int i = 0; i < 8000; ++i) {
    frames.push_back(FrameOf(profile, FrameKind::kNative,
                             "at::native::some_function_with_a_name_" + std::to_string(i)));
  }
  tree.stacks.push_back(profile.Child(profile.root(), frames[0]));
  while (profile.nodes.size() < 30000) {
    const NodeId parent = tree.stacks[random() % tree.stacks.size()];
    tree.stacks.push_back(profile.Child(parent, frames[random() % frames.size()]));
  }
  const NodeId main = profile.Child(profile.root(), FrameOf(profile, FrameKind::kPython, "train"));
  const NodeId step = profile.Child(main, FrameOf(profile, FrameKind::kPython, "AdamW.step",
                                                  "/x/torch/optim/adamw.py"));
  for (int site = 0; site < kSites; ++site) {
    const NodeId parent = site >= kSites - 10 ? step : main;
    const NodeId line =
        profile.Child(parent, FrameOf(profile, FrameKind::kPython, "line" + std::to_string(site)));
    tree.kernels.push_back(profile.Child(
        line, FrameOf(profile, FrameKind::kGpuKernel, "kernel" + std::to_string(site % 70))));
  }
  return tree;
}

struct Command {
  double median = 0, least = 0, most = 0, megabytes = 0;
};

Command Measure(const std::vector<std::string>& words) {
  std::vector<double> times;
  Command out;
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point start = Clock::now();
    const pid_t child = fork();
    if (child == 0) {
      dup2(open("/dev/null", O_WRONLY), 1);
      std::vector<char*> args;
      for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
      args.push_back(nullptr);
      execv(args[0], args.data());
      _exit(127);
    }
    int status = 0;
    rusage usage = {};
    wait4(child, &status, 0, &usage);
    times.push_back(MillisecondsSince(start));
    out.megabytes = std::max(out.megabytes, static_cast<double>(usage.ru_maxrss) / 1024);
    if (status != 0) {
      fprintf(stderr, "%s fails\n", words[0].c_str());
      exit(1);
    }
  }
  std::sort(times.begin(), times.end());
  out.median = times[kRuns / 2];
  out.least = times.front();
  out.most = times.back();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: bench_steps GPROF-X [SAMPLES [KERNELS [FOLDER]]]\n");
    return 2;
  }
  const int64_t samples = argc > 2 ? atoll(argv[2]) : 10'000'000;
  const int64_t kernels = argc > 3 ? atoll(argv[3]) : 1'000'000;
  const std::string path = std::string(argc > 4 ? argv[4] : ".") + "/bench-steps.gprofx";

  Profile profile;
  profile.processes.push_back({1, 0, profile.Intern("train.py"), {}});
  for (uint32_t i = 0; i < kThreads; ++i) {
    profile.threads.push_back({ProcessId{1}, 1 + i, profile.Intern("worker")});
  }
  profile.gpu.devices.emplace_back();
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  profile.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  const Tree tree = MakeTree(profile);
  profile.gpu.configs.push_back({});
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId count = profile.AddMetric("samples", "count", MetricKind::kSampled);
  const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  const MetricId operations = profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());

  const HostNs end = samples / kThreads * kPeriod;
  std::mt19937_64 random(2);
  std::vector<SampleRow> rows;
  for (int64_t i = 0; i < samples; ++i) {
    SampleRow row;
    row.time = i / kThreads * kPeriod + static_cast<HostNs>(random() % 100'000);
    row.thread = ThreadId{1 + static_cast<uint32_t>(i % kThreads)};
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    row.node = tree.stacks[static_cast<size_t>(u * u * u * u * 20000)];
    row.weight = static_cast<uint32_t>(kPeriod);
    profile.AddSelf(row.node, row.thread, cpu, row.weight);
    profile.AddSelf(row.node, row.thread, count, 1);
    rows.push_back(row);
    if (rows.size() == 100'000) {
      writer->AppendSamples(rows);
      Require(writer->Commit(profile));
      rows.clear();
    }
  }
  writer->AppendSamples(rows);
  const HostNs gap = std::max<HostNs>((end - kStartUp) / std::max<int64_t>(kernels, 1), 2000);
  EventTable table(Stream::kKernels);
  for (int64_t i = 0; i < kernels; ++i) {
    const NodeId node = tree.kernels[static_cast<size_t>(i % kKernelsPerStep) % kSites];
    const bool is_last = i % kKernelsPerStep >= kKernelsPerStep - 10;
    const NodeId used = is_last || node < tree.kernels[kSites - 10] ? node : tree.kernels[0];
    const HostNs launch = kStartUp + i * gap, takes = gap / 2 + static_cast<HostNs>(random() % 500);
    table.Append(KernelEvent{launch + 500, takes, launch, ThreadId{1}, used, GpuStreamId{1},
                             GpuConfigId{1}, static_cast<uint32_t>(i), 0});
    profile.AddSelf(used, ThreadId{1}, gpu, takes);
    profile.AddSelf(used, ThreadId{1}, operations, 1);
    if (table.rows() == 60'000) {
      writer->AppendEvents(table);
      Require(writer->Commit(profile));
      table.Clear();
    }
  }
  writer->AppendEvents(table);
  Require(writer->Commit(profile));
  profile.gpu.wall.push_back({"gpu.compute", end});
  profile.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, kStartUp, end, 0, {}});
  profile.meta["duration_ns"] = std::to_string(end);
  const Clock::time_point start = Clock::now();
  Require(writer->Finish(profile, {}));
  printf("finish: %.0f ms; %zu values\n", MillisecondsSince(start), profile.values.size());
  const Result<Profile> read = LoadProfile(path);
  if (!read) Require(read.error());
  printf("steps found: %zu of %lld\n",
         read->phases.trains.empty() ? 0 : read->phases.trains[0].steps.size(),
         static_cast<long long>(kernels / kKernelsPerStep));
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--top"}, {"--tree"}, {"--top", "--phase", "all"}, {"--steps", "100..200"},
           {"--range", "..1h"}, {"--timeline"}}) {
    std::vector<std::string> words = {argv[1], "report"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(path);
    const Command measured = Measure(words);
    std::string name = "report";
    for (const std::string& option : options) name += " " + option;
    printf("%-28s %7.1f ms (%.1f to %.1f), %.1f MB\n", name.c_str(), measured.median, measured.least,
           measured.most, measured.megabytes);
    fflush(stdout);
  }
  if (!getenv("KEEP")) unlink(path.c_str());
  return 0;
}
