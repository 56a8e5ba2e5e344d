#include "core/gpu/gpu_overlap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace gprofx {
namespace {

struct Work {
  HostNs begin, end;
  uint32_t device;
};

// By node, which is 1 + the position.
struct Sums {
  explicit Sums(size_t works) : ns(works + 1) {}
  GpuOverlap::Sink Sink() {
    return [this](NodeId node, ThreadId, int64_t amount) { ns[node.value] += amount; };
  }
  std::vector<int64_t> ns;
};

void Add(GpuOverlap& overlap, const std::vector<Work>& works, size_t i) {
  overlap.Add(ProcessId{1}, GpuDeviceId{works[i].device}, works[i].begin, works[i].end,
              NodeId{static_cast<uint32_t>(i + 1)}, ThreadId{1});
}

std::vector<int64_t> Of(const std::vector<Work>& works) {
  GpuOverlap overlap;
  for (size_t i = 0; i < works.size(); ++i) Add(overlap, works, i);
  Sums sums(works.size());
  overlap.Finish(sums.Sink());
  CHECK(overlap.pending() == 0);
  return sums.ns;
}

TEST_CASE("work that touches does not overlap, work within other work does") {
  CHECK(Of({{0, 10, 1}, {10, 20, 1}}) == std::vector<int64_t>{0, 0, 0});
  CHECK(Of({{0, 10, 1}, {5, 20, 1}}) == std::vector<int64_t>{0, 5, 5});
  CHECK(Of({{0, 100, 1}, {10, 20, 1}, {15, 30, 1}}) == std::vector<int64_t>{0, 20, 10, 15});
  CHECK(Of({{0, 10, 1}, {0, 10, 2}}) == std::vector<int64_t>{0, 0, 0});  // two devices
  CHECK(Of({{5, 5, 1}, {0, 10, 1}, {7, 3, 1}}) == std::vector<int64_t>{0, 0, 0, 0});
  CHECK(Of({{INT64_MIN, INT64_MAX, 1}, {0, 10, 1}}) == std::vector<int64_t>{0, 10, 10});
}

TEST_CASE("an unknown device is one for each process") {
  GpuOverlap overlap;
  overlap.Add(ProcessId{1}, {}, 0, 10, NodeId{1}, ThreadId{1});
  overlap.Add(ProcessId{2}, {}, 0, 10, NodeId{2}, ThreadId{1});
  overlap.Add(ProcessId{2}, {}, 5, 10, NodeId{3}, ThreadId{1});
  Sums sums(3);
  overlap.Finish(sums.Sink());
  CHECK(sums.ns == std::vector<int64_t>{0, 0, 5, 5});
}

TEST_CASE("the sweep is the plain sum, in whatever order and pieces it comes") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<Work> works;
    for (int i = 0; i < 200; ++i) {
      const auto begin = static_cast<HostNs>(random() % 2000);
      works.push_back({begin, begin + static_cast<HostNs>(random() % 60),
                       1 + static_cast<uint32_t>(random() % 2)});
    }
    std::vector<int64_t> plain(works.size() + 1);
    for (size_t i = 0; i < works.size(); ++i) {
      for (HostNs t = works[i].begin; t < works[i].end; ++t) {
        plain[i + 1] += std::any_of(works.begin(), works.end(), [&](const Work& other) {
          return &other != &works[i] && other.device == works[i].device && other.begin <= t &&
                 t < other.end;
        });
      }
    }
    CHECK(Of(works) == plain);
    // Worked off on the way: what comes within 100 of its begin is not too late.
    std::sort(works.begin(), works.end(),
              [](const Work& a, const Work& b) { return a.end < b.end; });
    const std::vector<int64_t> whole = Of(works);
    GpuOverlap overlap;
    Sums sums(works.size());
    for (size_t i = 0; i < works.size(); ++i) {
      Add(overlap, works, i);
      overlap.Advance(works[i].end - 100, sums.Sink());
    }
    CHECK(overlap.pending() > 0);
    overlap.Finish(sums.Sink());
    CHECK(sums.ns == whole);
    CHECK(overlap.late() == 0);
  }
}

TEST_CASE("what comes too late counts from where the sweep is, and never more than its length") {
  GpuOverlap overlap;
  Sums sums(3);
  overlap.Add(ProcessId{1}, GpuDeviceId{1}, 0, 100, NodeId{1}, ThreadId{1});
  overlap.Advance(50, sums.Sink());
  overlap.Add(ProcessId{1}, GpuDeviceId{1}, 10, 60, NodeId{2}, ThreadId{1});
  overlap.Add(ProcessId{1}, GpuDeviceId{1}, 10, 40, NodeId{3}, ThreadId{1});
  overlap.Finish(sums.Sink());
  CHECK(sums.ns == std::vector<int64_t>{0, 10, 10, 0});
  CHECK(overlap.late() == 2);
}

TEST_CASE("half of what is pending begins before the middle") {
  GpuOverlap overlap;
  CHECK(overlap.MiddleOfPending() == INT64_MIN);
  for (int i = 0; i < 10; ++i) {
    overlap.Add(ProcessId{1}, GpuDeviceId{1}, i, i + 1, NodeId{1}, ThreadId{1});
  }
  CHECK(overlap.MiddleOfPending() == 5);
  overlap.Advance(5, [](NodeId, ThreadId, int64_t) {});
  CHECK(overlap.pending() == 5);
}

}  // namespace
}  // namespace gprofx
