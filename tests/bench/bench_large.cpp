// Writes a large recording of a training job (large_job.h), for measuring whoever reads it.
//
//   bench_large FILE [SAMPLES [KERNELS]]      default: 10,000,000 samples, 1,000,000 kernels
//
// Nine tenths of the time are steps, what is before them has no GPU work. Prints what Finish took.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "large_job.h"

namespace {

void Require(const gprofx::Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gprofx;
  if (argc < 2) return fprintf(stderr, "usage: bench_large FILE [SAMPLES [KERNELS]]\n"), 2;
  const int64_t samples = argc > 2 ? atoll(argv[2]) : 10'000'000;
  const int64_t kernels = argc > 3 ? atoll(argv[3]) : 1'000'000;
  bench::LargeJob job;
  Result<ProfileWriter> writer = ProfileWriter::Create(argv[1]);
  if (!writer) Require(writer.error());
  Require(writer->Commit(job.profile));
  const int64_t seconds = std::max<int64_t>(1, samples / job.samples_per_second());
  const int64_t working = std::max<int64_t>(1, seconds * 9 / 10), first = seconds - working;
  for (int64_t second = 0; second < seconds; ++second) {
    writer->AppendSamples(job.SamplesOfSecond(second));
    if (second >= first && kernels > 0) {
      writer->AppendEvents(job.KernelsOfSecond(second, std::max<int64_t>(1, kernels / working)));
    }
    if (second % 10 == 0) Require(writer->Commit(job.profile));
  }
  job.Describe(seconds, first);
  const auto start = std::chrono::steady_clock::now();
  Require(writer->Finish(job.profile, {}));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  printf("finish: %.0f ms; %zu values\n", took.count(), job.profile.values.size());
  return 0;
}
