#include "samplers/collector/gpu/pc_attribution.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;
constexpr PcFunctionKey kKernel = 5;
const PcPath kA{NodeId{10}, ThreadId{1}}, kB{NodeId{20}, ThreadId{2}};

struct Part {
  PcPath path;
  PcConfidence confidence;
  uint64_t samples, latency, offset;
};

struct Bench {
  void Count(uint64_t samples, uint64_t latency = 0, uint64_t offset = 0,
             PcFunctionKey key = kKernel) {
    pc.AddCount({key, 1, 2, offset, 3, samples, latency});
  }
  void Finish() { pc.Finish(Sink()); }
  PcAttribution::Sink Sink() {
    return [this](const PcCount& part, const PcPath& path, PcConfidence confidence) {
      parts.push_back({path, confidence, part.samples, part.latency, part.offset});
    };
  }
  uint64_t Samples(const PcPath& path) const {
    uint64_t sum = 0;
    for (const Part& part : parts) sum += part.path == path ? part.samples : 0;
    return sum;
  }
  uint64_t All() const {
    uint64_t sum = 0;
    for (const Part& part : parts) sum += part.samples;
    return sum;
  }

  PcAttribution pc;
  std::vector<Part> parts;
};

TEST_CASE("One path in the window gets all samples, exactly") {
  Bench bench;
  bench.pc.AddKernel(kKernel, 10 * kMs, 20 * kMs, kA, 100);
  bench.pc.AddKernel(kKernel, 300 * kMs, 320 * kMs, kB, 100);
  bench.pc.BeginWindow(0, 50 * kMs, 60 * kMs);
  bench.Count(7, 3);
  bench.Finish();
  REQUIRE(bench.parts.size() == 1);
  CHECK(bench.parts[0].path == kA);
  CHECK(bench.parts[0].confidence == PcConfidence::kExact);
  CHECK(bench.parts[0].samples == 7);
  CHECK(bench.parts[0].latency == 3);
}

TEST_CASE("Several paths share by overlap and warps") {
  Bench bench;
  bench.pc.AddKernel(kKernel, 0, 10 * kMs, kA, 100);
  bench.pc.AddKernel(kKernel, 20 * kMs, 25 * kMs, kB, 600);
  bench.pc.BeginWindow(0, 50 * kMs, 60 * kMs);
  bench.Count(4000, 400);
  bench.Finish();
  CHECK(bench.Samples(kA) == 1000);
  CHECK(bench.Samples(kB) == 3000);
  for (const Part& part : bench.parts) {
    CHECK(part.confidence == PcConfidence::kProportional);
    CHECK(part.latency == part.samples / 10);
  }
}

TEST_CASE("Only the part of an execution that lies in the window counts") {
  Bench bench;
  bench.pc.AddKernel(kKernel, 0, 110 * kMs, kA, 1);          // 10 ms inside
  bench.pc.AddKernel(kKernel, 120 * kMs, 500 * kMs, kB, 1);  // 30 ms inside
  bench.pc.BeginWindow(100 * kMs, 150 * kMs, 160 * kMs);
  bench.Count(400);
  bench.Finish();
  CHECK(bench.Samples(kA) == 100);
  CHECK(bench.Samples(kB) == 300);
}

TEST_CASE("Samples that were decoded late belong to the time just before the window") {
  Bench bench;
  bench.pc.AddKernel(kKernel, 0, 10 * kMs, kB, 1);
  bench.pc.AddKernel(kKernel, 930 * kMs, 950 * kMs, kA, 1);
  bench.pc.BeginWindow(1000 * kMs, 1050 * kMs, 1060 * kMs);
  bench.Count(5);
  bench.Finish();
  CHECK(bench.Samples(kA) == 5);
  CHECK(bench.parts[0].confidence == PcConfidence::kExact);
}

TEST_CASE("Without an execution near the window the latest path gets them, and that is said") {
  Bench bench;
  bench.pc.AddKernel(kKernel, 0, 10 * kMs, kA, 1);
  bench.pc.AddKernel(kKernel, 20 * kMs, 30 * kMs, kB, 1);
  bench.pc.BeginWindow(2000 * kMs, 2050 * kMs, 2060 * kMs);
  bench.Count(5);
  bench.Count(2, 0, 0, kKernel + 1);
  bench.Finish();
  REQUIRE(bench.parts.size() == 2);
  CHECK(bench.parts[0].path == kB);
  CHECK(bench.parts[0].confidence == PcConfidence::kFunctionOnly);
  CHECK(bench.parts[1].path == PcPath{});
  CHECK(bench.parts[1].confidence == PcConfidence::kNone);
}

TEST_CASE("A window waits for the kernels of its time, but not for ever") {
  Bench bench;
  bench.pc.BeginWindow(0, 50 * kMs, 60 * kMs);
  bench.Count(5);
  bench.pc.Advance(300 * kMs, bench.Sink());
  CHECK(bench.parts.empty());
  bench.pc.AddKernel(kKernel, 10 * kMs, 20 * kMs, kA, 1);
  bench.pc.Advance(400 * kMs, bench.Sink());
  CHECK(bench.parts.empty());  // kernels up to 20 ms are known, others of the window may come
  bench.pc.AddKernel(kKernel + 1, 240 * kMs, 260 * kMs, kB, 1);
  bench.pc.Advance(500 * kMs, bench.Sink());
  CHECK(bench.Samples(kA) == 5);

  bench.pc.BeginWindow(600 * kMs, 650 * kMs, 660 * kMs);
  bench.Count(1);
  bench.pc.Advance(3500 * kMs, bench.Sink());
  CHECK(bench.All() == 5);
  bench.pc.Advance(3700 * kMs, bench.Sink());
  CHECK(bench.All() == 6);
}

TEST_CASE("Many single samples still come out in proportion") {
  Bench bench;
  for (int window = 0; window < 50; ++window) {
    const HostNs begin = window * 50 * kMs;
    bench.pc.AddKernel(kKernel, begin, begin + 10 * kMs, kA, 1);
    bench.pc.AddKernel(kKernel, begin + 10 * kMs, begin + 25 * kMs, kB, 1);
  }
  for (int window = 0; window < 50; ++window) {
    bench.pc.BeginWindow(window * 50 * kMs, (window + 1) * 50 * kMs, 3000 * kMs);
    for (uint64_t i = 0; i < 3; ++i) bench.Count(1, 0, i);
  }
  bench.Finish();
  CHECK(bench.All() == 150);
  CHECK(bench.Samples(kA) >= 58);
  CHECK(bench.Samples(kA) <= 62);
}

TEST_CASE("Every count is shared out whole, whatever the executions") {
  std::mt19937_64 random(7);
  const auto below = [&](uint64_t n) { return random() % n; };
  for (int round = 0; round < 60; ++round) {
    Bench bench;
    for (int i = 0; i < 300; ++i) {
      const auto start = static_cast<HostNs>(below(1'000'000'000));
      bench.pc.AddKernel(1 + below(5), start, start + static_cast<HostNs>(below(20 * kMs)),
                         {NodeId{static_cast<uint32_t>(1 + below(6))}, ThreadId{1}}, below(5000));
    }
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> given, got;
    uint64_t offset = 0;
    for (HostNs t = 0; t < 1000 * kMs; t += 50 * kMs) {
      bench.pc.BeginWindow(t, t + 50 * kMs, t + 60 * kMs);
      for (int i = 0; i < 20; ++i) {
        const uint64_t samples = below(1u << below(30)) + 1, latency = below(samples + 1);
        given[offset] = {samples, latency};
        bench.Count(samples, latency, offset++, 1 + below(7));
      }
    }
    bench.Finish();
    for (const Part& part : bench.parts) {
      got[part.offset].first += part.samples;
      got[part.offset].second += part.latency;
      REQUIRE(part.latency <= part.samples);
      REQUIRE((part.confidence == PcConfidence::kNone) == (part.path == PcPath{}));
    }
    REQUIRE(got == given);
  }
}

TEST_CASE("Executions of one path that follow each other closely are one") {
  Bench merged;
  // 100,000 short kernels a second; the memory for them is a few hundred entries, which shows by
  // the limit on executions not being hit in 10 s.
  for (HostNs t = 0; t < 10'000 * kMs; t += 10'000) {
    merged.pc.AddKernel(kKernel, t, t + 5'000, kA, 1);
  }
  merged.pc.AddKernel(kKernel, 40 * kMs, 60 * kMs, kB, 1);  // reported late
  merged.pc.BeginWindow(40 * kMs, 60 * kMs, 10'100 * kMs);
  merged.Count(300);
  merged.Finish();
  CHECK(merged.Samples(kA) == Approx(100).margin(3));
  CHECK(merged.Samples(kB) == Approx(200).margin(3));
}

TEST_CASE("Windows without end and counts without a window do no harm") {
  Bench bench;
  bench.Count(3);
  bench.pc.BeginWindow(500, 100, 50);
  bench.Count(4);
  bench.pc.AddKernel(kKernel, 50, 10, kA, 1);  // ends before it starts: left out
  bench.pc.AddKernel(0, 10, 50, kA, 1);        // no function
  for (int i = 0; i < 100'000; ++i) {
    bench.pc.BeginWindow(INT64_MAX / 2, INT64_MAX / 2, 0);
    bench.pc.AddKernel(kKernel, 0, INT64_MAX / 4, i % 2 == 0 ? kA : kB, UINT64_MAX);
  }
  bench.pc.Advance(0, bench.Sink());
  bench.Finish();
  CHECK(bench.All() == 7);
}

TEST_CASE("Rounding gives whole parts of the total and remembers what it owes") {
  double carry_a = 0, carry_b = 0;
  const std::vector<double*> carry{&carry_a, &carry_b};
  uint64_t a = 0, b = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto parts = SplitCount(1, {0.7, 0.3}, carry);
    REQUIRE(parts[0] + parts[1] == 1);
    a += parts[0];
    b += parts[1];
  }
  CHECK(a == Approx(700).margin(2));
  CHECK(a + b == 1000);
  CHECK(SplitCount(0, {1, 1}, carry) == std::vector<uint64_t>{0, 0});
  const auto huge = SplitCount(UINT64_MAX, {1, 2}, carry);
  CHECK(huge[0] + huge[1] == UINT64_MAX);
  CHECK(SplitCount(5, {}, {}).empty());
}

}  // namespace
}  // namespace gprofx
