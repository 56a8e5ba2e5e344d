#include "core/timeline_bins.h"

#include <algorithm>

#include "core/arithmetic.h"

namespace gprofx {

TimelineBinner::TimelineBinner(TimeRange range, size_t bins) {
  out_.range = range;
  out_.bins = bins;
}

TimelineBins::Row& TimelineBinner::RowOf(bool is_gpu, uint32_t id) {
  const bool is_full = out_.rows.size() >= kMostRows && !index_.contains({is_gpu, id});
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

// In 128 bits: a range times the number of bins may be large.
HostNs TimelineBinner::EndOfBin(size_t bin) const {
  const __int128 length = out_.range.end - out_.range.begin;
  return out_.range.begin +
         static_cast<HostNs>(length * static_cast<__int128>(bin + 1) /
                             static_cast<__int128>(out_.bins));
}

void TimelineBinner::Spread(TimelineBins::Row& row, HostNs begin, HostNs end) const {
  begin = std::max(begin, out_.range.begin);
  end = std::min(end, out_.range.end);
  if (begin >= end) return;
  const __int128 length = out_.range.end - out_.range.begin;
  auto bin = static_cast<size_t>(static_cast<__int128>(begin - out_.range.begin) *
                                 static_cast<__int128>(out_.bins) / length);
  row.busy_ns = AddSaturated(row.busy_ns, end - begin);
  for (bin = std::min(bin, out_.bins - 1); begin < end; ++bin) {
    const HostNs until = bin + 1 >= out_.bins ? end : std::min(end, EndOfBin(bin));
    if (until <= begin) continue;
    int64_t& sum = row.bins[bin];
    sum = AddSaturated(sum, until - begin);
    begin = until;
  }
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
