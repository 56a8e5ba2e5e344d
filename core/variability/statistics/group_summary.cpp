#include "core/variability/statistics/group_summary.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gprofx::variability {
namespace {

// Minimum gap between two clusters, in deviations of the wider cluster.
constexpr double kGapInDeviations = 5;
// Minimum gap in the logarithm. Clusters that are closer count as one.
constexpr double kMinGap = 0.05;

SpreadSummary SummaryOf(const Spread& spread) {
  SpreadSummary out;
  out.n = spread.count();
  out.exact = spread.level() == 0;
  out.median = spread.Median();
  out.mad = spread.Mad();
  out.p25 = spread.Quantile(0.25);
  out.p75 = spread.Quantile(0.75);
  out.p95 = spread.Quantile(0.95);
  out.p99 = spread.Quantile(0.99);
  out.least = spread.Quantile(0);
  out.most = spread.Quantile(1);
  for (const SpreadCell& cell : spread.cells()) {
    out.total += static_cast<double>(cell.value) * static_cast<double>(cell.count);
  }
  return out;
}

// Returns pointers to the floating-point fields of `summary`, in the order in which they are
// serialized.
template <class Summary>
auto NumbersOf(Summary& summary) {
  return std::array{&summary.median, &summary.mad,   &summary.p25,  &summary.p75,  &summary.p95,
                    &summary.p99,    &summary.least, &summary.most, &summary.total};
}

void Write(const SpreadSummary& summary, ByteWriter& out) {
  out.Put(summary.n);
  out.Put(summary.exact ? 1 : 0);
  for (const double* number : NumbersOf(summary)) out.Put(std::bit_cast<uint64_t>(*number));
}

SpreadSummary Read(ByteReader& in) {
  SpreadSummary summary;
  summary.n = in.Uleb();
  summary.exact = in.Uleb() != 0;
  for (double* number : NumbersOf(summary)) *number = std::bit_cast<double>(in.Uleb());
  return summary;
}

}  // namespace

std::optional<int64_t> FindClusters(const Spread& spread) {
  const uint64_t n = spread.count();
  const uint64_t fewest = std::max<uint64_t>(kMinVotes, n / 20);
  const auto cells = spread.cells();
  double widest = kMinGap;
  size_t at = 0;
  uint64_t before = 0, below = 0;
  for (size_t i = 0; i + 1 < cells.size(); ++i) {
    before += cells[i].count;
    if (before < fewest || n - before < fewest || cells[i].value == 0) continue;
    const double gap =
        std::log(static_cast<double>(cells[i + 1].value) / static_cast<double>(cells[i].value));
    if (gap > widest) {
      widest = gap;
      at = i + 1;
      below = before;
    }
  }
  if (below == 0) return std::nullopt;
  const uint64_t border = cells[at].value;
  for (const Spread& side : {spread.Cut(0, border), spread.Cut(border, UINT64_MAX)}) {
    const double deviation = 1.4826 * side.Mad() / std::max(side.Median(), 1.0);
    if (widest <= kGapInDeviations * deviation) return std::nullopt;
  }
  return static_cast<int64_t>(border - 1);
}

void Describe(Kind kind, const Spread& durations, GroupSummary& group) {
  group.whole = SummaryOf(durations);
  group.threshold = kind == Kind::kCompute ? FindClusters(durations) : std::nullopt;
  if (!group.threshold) return;
  const auto border = static_cast<uint64_t>(*group.threshold) + 1;
  group.clusters = {SummaryOf(durations.Cut(0, border)),
                    SummaryOf(durations.Cut(border, UINT64_MAX))};
}

void WriteSummary(const GroupSummary& group, ByteWriter& out) {
  out.PutText(group.key);
  out.Put(group.warm_up);
  out.Put(static_cast<uint64_t>(group.sum));
  out.Put(static_cast<uint64_t>(group.sum >> 64));
  Write(group.whole, out);
  out.Put(group.threshold ? 1 : 0);
  if (!group.threshold) return;
  out.PutSigned(*group.threshold);
  for (const SpreadSummary& cluster : group.clusters) Write(cluster, out);
}

GroupSummary ReadSummary(ByteReader& in) {
  GroupSummary group;
  group.key = in.CountedText();
  group.warm_up = in.Uleb();
  const uint64_t low = in.Uleb(), high = in.Uleb();
  group.sum = static_cast<Int128>(high) << 64 | static_cast<Int128>(low);
  group.whole = Read(in);
  if (in.Uleb() == 0) return group;
  group.threshold = in.Zigzag();
  for (SpreadSummary& cluster : group.clusters) cluster = Read(in);
  return group;
}

}  // namespace gprofx::variability
