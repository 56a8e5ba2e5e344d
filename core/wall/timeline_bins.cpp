#include "core/wall/timeline_bins.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx {

// Uses 128-bit integers, because the length of the range times the number of bins may not fit in 64
// bits.
int64_t SpreadOverBins(TimeRange range, HostNs begin, HostNs end, std::vector<int64_t>& bins) {
  begin = std::max(begin, range.begin);
  end = std::min(end, range.end);
  if (begin >= end) return 0;
  const int64_t all = end - begin;
  const __int128 length = range.end - range.begin;
  const auto count = static_cast<__int128>(bins.size());
  auto bin = static_cast<size_t>(static_cast<__int128>(begin - range.begin) * count / length);
  for (bin = std::min(bin, bins.size() - 1); begin < end; ++bin) {
    const auto border = static_cast<HostNs>(length * static_cast<__int128>(bin + 1) / count);
    const HostNs until = bin + 1 >= bins.size() ? end : std::min(end, range.begin + border);
    if (until <= begin) continue;
    bins[bin] = AddSaturated(bins[bin], until - begin);
    begin = until;
  }
  return all;
}

TimelineBinner::TimelineBinner(TimeRange range, size_t bins) {
  out_.range = range;
  out_.bins = bins;
}

TimelineBins::Row& TimelineBinner::RowOf(bool is_gpu, uint32_t id) {
  const bool is_full = out_.rows.size() >= kMaxRows && !index_.contains({is_gpu, id});
  if (is_full) id = 0;
  const auto [found, is_new] = index_.try_emplace({is_gpu, id}, out_.rows.size());
  if (is_new) {
    TimelineBins::Row& row = out_.rows.emplace_back();
    row.is_gpu = is_gpu;
    (is_gpu ? row.stream.value : row.thread.value) = id;
    row.bins.resize(out_.bins);
  }
  return out_.rows[found->second];
}

void TimelineBinner::Spread(TimelineBins::Row& row, HostNs begin, HostNs end) const {
  row.busy_ns = AddSaturated(row.busy_ns, SpreadOverBins(out_.range, begin, end, row.bins));
}

void TimelineBinner::AddOperations(std::span<const PhaseOperation> operations) {
  for (const PhaseOperation& operation : operations) {
    if (operation.end <= out_.range.begin || operation.start >= out_.range.end) continue;
    Spread(RowOf(true, operation.stream.value), operation.start, operation.end);
  }
}

void TimelineBinner::AddSamples(std::span<const SampleRow> samples) {
  for (const SampleRow& row : samples) {
    if (!row.thread || (row.state & kStateIdle) != 0) continue;
    Spread(RowOf(false, row.thread.value), SubtractSaturated(row.time, row.weight), row.time);
  }
}

TimelineBins TimelineBinner::Finish() && { return std::move(out_); }

}  // namespace gprofx
