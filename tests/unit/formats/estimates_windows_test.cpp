// Estimates of GPU time where records were made for a part of the time: a recording with all of its
// records is the truth for what is left of it in windows. Two runs differ by more than what many
// estimates are off; here both are of one run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "core/gpu/gpu.h"
#include "core/gpu/gpu_estimates.h"
#include "core/steps/step_finders.h"
#include "tests/unit/formats/shared_profiles.h"

namespace gprofx {
namespace {

constexpr size_t kLargest = 20;

struct Row {
  double ns = 0, variance = 0;
};
using Rows = std::map<uint32_t, Row>;  // by frame of the kernel

struct Judged {
  int rows = 0, inside = 0, near = 0;
};

Rows Exact(const Profile& profile, const std::vector<PhaseOperation>& operations) {
  Rows rows;
  for (const PhaseOperation& operation : operations) {
    rows[profile.node(operation.node).frame.value].ns +=
        static_cast<double>(operation.end - operation.start);
  }
  return rows;
}

// What is said where records were made in about `share` of the time, in windows of about `length`.
Rows Estimated(const Profile& profile, const std::vector<PhaseOperation>& operations, double length,
               double share, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> around(0.5, 1.5);
  GpuEstimates estimates;
  // Records are made from the start until their cost is known.
  const HostNs first = WhenLaunched(operations.front());
  HostNs end = first + (WhenLaunched(operations.back()) - first) / 4;
  bool traced = true;
  uint32_t window = 0;
  for (const PhaseOperation& operation : operations) {
    const HostNs launched = WhenLaunched(operation);
    for (; end <= launched; traced = !traced) {
      window += traced;  // one without records begins
      const double mean = traced ? length * (1 - share) / share : length;
      end += static_cast<HostNs>(mean * around(random));
    }
    const Node& node = profile.node(operation.node);
    const ProcessId process = profile.thread(operation.thread).process;
    estimates.AddLaunch(node.parent, process, window);
    if (!traced) continue;
    estimates.AddTraced(node.parent, process, window);
    const GpuEstimates::Place place = {operation.node, node.parent, node.frame, operation.thread,
                                       process};
    estimates.AddSeen(place, operation.end - operation.start, 1);
    estimates.AddSample(place, window, operation.end - operation.start);
  }
  Profile said;
  estimates.Publish(said);
  const MetricId time = said.FindMetric(kMetricGpuEstimated);
  const MetricId error = said.FindMetric(kMetricGpuError);
  Rows rows;
  for (const Value& value : said.values) {
    Row& row = rows[profile.node(value.node).frame.value];
    const auto ns = static_cast<double>(value.self);
    if (value.metric == time) row.ns += ns;
    if (value.metric == error) row.variance += ns * ns;
  }
  return rows;
}

void Judge(const Rows& exact, const Rows& estimated, Judged& judged) {
  std::vector<std::pair<double, uint32_t>> largest;
  for (const auto& [frame, row] : exact) largest.emplace_back(-row.ns, frame);
  std::sort(largest.begin(), largest.end());
  largest.resize(std::min(largest.size(), kLargest));
  for (const auto& [minus_ns, frame] : largest) {
    const auto found = estimated.find(frame);
    if (found == estimated.end()) continue;  // counted, without a time
    const double off = std::abs(found->second.ns + minus_ns);
    ++judged.rows;
    judged.inside += off <= 1.96 * std::sqrt(found->second.variance);
    judged.near += off <= -0.03 * minus_ns;
  }
}

}  // namespace

TEST_CASE("the largest kernels lie in the intervals of their estimates") {
  Judged all;
  test::ForSharedProfiles([&](const char* name, const Profile& profile, const GpuWorkEvents& work) {
    std::vector<PhaseOperation> operations = work.operations;
    std::erase_if(operations, [](const PhaseOperation& o) { return !o.node || o.launch == 0; });
    std::sort(operations.begin(), operations.end(),
              [](const auto& a, const auto& b) { return WhenLaunched(a) < WhenLaunched(b); });
    const Rows exact = Exact(profile, operations);
    for (const double share : {0.1, 0.3, 0.6}) {
      Judged judged;
      for (unsigned seed = 1; seed <= 10; ++seed) {
        Judge(exact, Estimated(profile, operations, 80e6, share, seed), judged);
      }
      INFO(name << ", records for " << share << " of the time: of " << judged.rows << " rows "
                << judged.inside << " in their interval, " << judged.near << " within 3 %");
      CHECK(judged.rows > 150);
      CHECK(judged.inside >= 0.85 * judged.rows);
      CHECK(judged.near >= 0.9 * judged.rows);
      all.rows += judged.rows;
      all.inside += judged.inside;
    }
  });
  INFO(all.inside << " of " << all.rows << " rows in their interval");
  CHECK(all.inside >= 0.9 * all.rows);
}

}  // namespace gprofx
