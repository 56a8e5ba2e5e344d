// Figures of the profile database on a realistic recording: bytes per timeline sample, and what
// LoadProfile costs.
//
//   bench_profile_db [SAMPLES [THREADS [FOLDER]]]      default: 10,000,000 samples, 16 threads, the
//   current folder
//   bench_profile_db --kernels COUNT [FOLDER]          the stream of kernels instead of samples
//
// The recording is that of large_job.h, whose rows arrive once a second as a collector hands them
// over. The file is then finished and loaded in a fresh process.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "large_job.h"

namespace {

using namespace gprofx;
using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

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
  bench::LargeJob job(threads);
  Profile& profile = job.profile;
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());

  Clock::duration commits{}, appends{};
  double slowest_commit = 0;
  int seconds = 0;
  Require(writer->Commit(profile));
  const int64_t empty_size = FileSize(path);
  int64_t written = 0;
  for (; written < samples; ++seconds) {
    const std::vector<SampleRow> rows = job.SamplesOfSecond(seconds);
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
      static_cast<double>(size - values_bytes) / static_cast<double>(written));
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

int RunKernels(int count, const std::string& folder) {
  constexpr int kPerSecond = 6000;
  const std::string path = folder + "/bench.gprofx";
  bench::LargeJob job(4);
  Profile& profile = job.profile;
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) Require(writer.error());
  Require(writer->Commit(profile));
  Clock::duration commits{};
  int seconds = 0;
  for (int written = 0; written < count; written += kPerSecond, ++seconds) {
    const EventTable kernels = job.KernelsOfSecond(seconds, std::min(kPerSecond, count - written));
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
