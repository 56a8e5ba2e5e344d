#include "core/findings/replay.h"

#include <algorithm>
#include <numeric>

namespace gprofx {
namespace {

constexpr int64_t kTight = 5'000;    // an operation that begins so soon behind another followed it
constexpr int64_t kMostGap = 1'000;  // between two operations that stand in a queue
constexpr int64_t kLongCall = 20'000;  // a launch that takes longer waited for something

}  // namespace

Removal::Removal(const TimeLine& line)
    : host_ns(line.calls.size()),
      call_ns(line.calls.size()),
      call_gone(line.calls.size()),
      op_gone(line.ops.size()),
      op_ns(line.ops.size(), -1) {}

// Parts of host time are parts of each other's rest; of operations the most counts.
void Removal::Add(const Cure& cure) {
  for (const Cure::Time& host : cure.host) host_ns[host.at] += host.ns;
  for (const uint32_t call : cure.calls) call_gone[call] = 1;
  for (const Cure::Time& call : cure.shorter) call_ns[call.at] += call.ns;
  for (const Cure::Time& op : cure.ops) {
    if (op.ns < 0) {
      op_gone[op.at] = 1;
    } else {
      op_ns[op.at] = op_ns[op.at] < 0 ? op.ns : std::min(op_ns[op.at], op.ns);
    }
  }
}

Replay::Replay(const TimeLine& line) : line_(line) {
  LearnDelays();
  LearnOps();
  LearnCalls();
  base_ = Length(Removal(line));
}

// The delay that launches have at least, and the usual gap between two operations that stood in a
// queue.
void Replay::LearnDelays() {
  std::vector<int64_t> delays, gaps;
  std::vector<HostNs> until(line_.streams, kEarliest);
  for (const LineOp& op : line_.ops) {
    const HostNs free = until[op.stream];
    if (free <= op.launch) {
      delays.push_back(op.start - op.launch);
    } else if (op.start >= free && op.start - free < kTight) {
      gaps.push_back(op.start - free);
    }
    until[op.stream] = std::max(free, op.end);
  }
  const auto at = [](std::vector<int64_t>& values, double share, int64_t otherwise) {
    if (values.empty()) return otherwise;
    const auto place = values.begin() +
                       static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  least_delay_ = std::min<int64_t>(at(delays, 0.05, 4'000), 20'000);
  usual_gap_ = std::min(at(gaps, 0.5, kMostGap), kMostGap);
}

void Replay::LearnOps() {
  std::vector<uint32_t> by_end(line_.ops.size());
  std::iota(by_end.begin(), by_end.end(), 0u);
  std::sort(by_end.begin(), by_end.end(),
            [&](uint32_t a, uint32_t b) { return line_.ops[a].end < line_.ops[b].end; });
  // Of another stream, and ended just before.
  const auto other = [&](const LineOp& op) {
    auto at = std::upper_bound(by_end.begin(), by_end.end(), op.start,
                               [&](HostNs t, uint32_t i) { return t < line_.ops[i].end; });
    while (at != by_end.begin()) {
      const LineOp& before = line_.ops[*--at];
      if (op.start - before.end > 2 * kTight) break;
      if (before.stream != op.stream && before.launch <= op.launch) return *at;
    }
    return kNone;
  };
  ops_.resize(line_.ops.size());
  std::vector<HostNs> until(line_.streams, kEarliest);
  for (size_t i = 0; i < line_.ops.size(); ++i) {
    const LineOp& op = line_.ops[i];
    OpFacts& facts = ops_[i];
    const HostNs free = until[op.stream];
    facts.delay = op.start - op.launch;
    facts.gap = free == kEarliest ? 0 : std::max<int64_t>(op.start - free, 0);
    const bool queued = free > op.launch + least_delay_ / 2;
    const int64_t late = queued ? facts.gap - kTight : facts.delay - least_delay_ - 4 * kTight;
    if (line_.streams > 1 && late > 0) {
      facts.other = other(op);
      if (facts.other != kNone) facts.behind = op.start - line_.ops[facts.other].end;
    }
    if (facts.other != kNone || queued) facts.delay = std::min(facts.delay, least_delay_);
    if (facts.other != kNone || !queued) facts.gap = std::min(facts.gap, usual_gap_);
    until[op.stream] = std::max(free, op.end);
  }
}

void Replay::LearnCalls() {
  waited_for_.assign(line_.calls.size(), kNone);
  tail_.assign(line_.calls.size(), 0);
  std::vector<uint32_t> by_end(line_.ops.size());
  std::iota(by_end.begin(), by_end.end(), 0u);
  std::sort(by_end.begin(), by_end.end(),
            [&](uint32_t a, uint32_t b) { return line_.ops[a].end < line_.ops[b].end; });
  for (uint32_t i = 0; i < line_.calls.size(); ++i) {
    const LineCall& call = line_.calls[i];
    if (!call.waits && call.end - call.begin < kLongCall) continue;
    // The last that ended in it, of what was launched before it or by it.
    auto at = std::upper_bound(by_end.begin(), by_end.end(), call.end + 2'000,
                               [&](HostNs t, uint32_t k) { return t < line_.ops[k].end; });
    while (at != by_end.begin()) {
      const LineOp& op = line_.ops[*--at];
      if (op.end < call.begin) break;
      if (op.launch > call.begin) continue;
      if (!call.waits && !call.memory && op.call == i) continue;
      waited_for_[i] = *at;
      tail_[i] = std::max<int64_t>(call.end - op.end, 0);
      break;
    }
  }
}

int64_t Replay::Length(const Removal& removal) const {
  std::vector<HostNs> free(line_.streams), ends(line_.ops.size());
  std::vector<uint8_t> used(line_.streams);
  std::vector<HostNs> ring(kQueue, kEarliest);  // ends of the latest launches
  size_t launches = 0;
  int64_t length = 0, removed = 0;
  HostNs host = 0, last = 0, begin = 0;
  for (uint32_t i = 0; i < line_.calls.size(); ++i) {
    const LineCall& call = line_.calls[i];
    if (call.first_of_segment) {
      if (i > 0) length += std::max(last, host) - begin;
      begin = host = last = call.before_begin;
      std::fill(used.begin(), used.end(), uint8_t{0});
      std::fill(ring.begin(), ring.end(), kEarliest);
    }
    host += std::max<int64_t>(call.before_ns - removal.host_ns[i], 0);
    const HostNs called = host;
    if (call.ops > 0) {
      HostNs& slot = ring[launches++ % kQueue];
      if (removal.call_gone[i] == 0) host = std::max(host, slot);
      for (uint32_t k = call.first_op; k < call.first_op + call.ops; ++k) {
        const LineOp& op = line_.ops[k];
        const OpFacts& facts = ops_[k];
        if (removal.op_gone[k] != 0) {
          ends[k] = used[op.stream] != 0 ? free[op.stream] : host;
          removed += op.duration();
          continue;
        }
        HostNs start = host + facts.delay;
        if (used[op.stream] != 0) start = std::max(start, free[op.stream] + facts.gap);
        if (facts.other != kNone && facts.other < k && ends[facts.other] >= begin) {
          start = std::max(start, ends[facts.other] + facts.behind);
        }
        const int64_t duration = removal.op_ns[k] >= 0 ? removal.op_ns[k] : op.duration();
        ends[k] = start + duration;
        removed += op.duration() - duration;
        free[op.stream] = ends[k];
        used[op.stream] = 1;
        last = std::max(last, ends[k]);
      }
      slot = ends[call.first_op];
    }
    if (removal.call_gone[i] != 0) continue;
    const int64_t duration = std::max<int64_t>(call.end - call.begin - removal.call_ns[i], 0);
    const uint32_t awaited = waited_for_[i];
    if (awaited != kNone) {
      const int64_t tail = std::max<int64_t>(tail_[i] - removal.call_ns[i], 0);
      host = std::max({host, called + std::min(duration, tail), ends[awaited] + tail});
    } else {
      host = std::max(host, called + duration);
    }
  }
  // Streams that overlapped less than they might do so for reasons that are not recorded: what goes
  // is idle time and what was taken away, no more.
  return std::max(length + std::max(last, host) - begin, line_.busy_ns - removed);
}

}  // namespace gprofx
