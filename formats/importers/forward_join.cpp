#include "formats/importers/forward_join.h"

#include <algorithm>

namespace gprofx::importers {
namespace {

// Maximum number of votes. Real traces need a few per sequence number. In a hostile trace, further
// spans have no vote.
constexpr size_t kMaxVotes = size_t{1} << 24;

}  // namespace

void ForwardJoin::Add(ThreadId thread, const HostSpan& span) {
  if (span.sequence < 0) return;
  const ProcessId process = profile_.thread(thread).process;
  if (span.is_backward) {
    backwards_.push_back({process, span.sequence, span.forward_thread, span.start});
  } else {
    forwards_.push_back({process, span.sequence, {thread, span.start, span.duration}});
  }
}

// True if `a` sorts before `b`. Spans are sorted by process, sequence number, thread and begin. If
// spans begin together, the innermost is last.
bool ForwardJoin::IsEarlier(const Forward& a, const Forward& b) {
  return std::tie(a.process, a.sequence, a.span.thread, a.span.start, b.span.duration) <
         std::tie(b.process, b.sequence, b.span.thread, b.span.start, a.span.duration);
}

void ForwardJoin::Finish() {
  std::sort(forwards_.begin(), forwards_.end(), IsEarlier);
  std::sort(backwards_.begin(), backwards_.end());
  size_t budget = kMaxVotes;
  Votes votes;
  auto forward = forwards_.cbegin();
  for (auto begin = backwards_.cbegin(); begin != backwards_.cend();) {
    const auto end = std::find_if(begin, backwards_.cend(), [&](const Backward& other) {
      return other.process != begin->process || other.sequence != begin->sequence;
    });
    const NumberKey number{begin->process, begin->sequence};
    forward = std::lower_bound(forward, forwards_.cend(), number,
                               [](const Forward& span, const NumberKey& wanted) {
                                 return NumberKey{span.process, span.sequence} < wanted;
                               });
    Vote(std::span(begin, end), ThreadsOf(number, forward), votes, budget);
    begin = end;
  }
  for (const auto& [thread, counts] : votes) {
    threads_[thread] =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
  }
}

// Returns the threads that have operators with a sequence number, each with the begin of its first
// such operator. `at` is the first operator with that number.
std::vector<std::pair<ThreadId, int64_t>> ForwardJoin::ThreadsOf(NumberKey number,
                                                                 ForwardAt at) const {
  std::vector<std::pair<ThreadId, int64_t>> threads;
  for (; at != forwards_.end() && NumberKey{at->process, at->sequence} == number; ++at) {
    if (threads.empty() || threads.back().first != at->span.thread) {
      threads.emplace_back(at->span.thread, at->span.start);
    }
  }
  return threads;
}

// Lets each backward span vote for all threads with an operator that begins before it. All `spans`
// have the same sequence number. They are sorted by the profiler's number of the forward thread,
// then by time.
void ForwardJoin::Vote(std::span<const Backward> spans,
                       const std::vector<std::pair<ThreadId, int64_t>>& threads, Votes& votes,
                       size_t& budget) {
  while (!spans.empty()) {
    const auto end = std::find_if(spans.begin(), spans.end(), [&](const Backward& other) {
      return other.thread != spans.front().thread;
    });
    const auto same = spans.first(static_cast<size_t>(end - spans.begin()));
    for (const auto& forward : threads) {
      if (budget == 0) return;
      --budget;
      const auto after = std::partition_point(same.begin(), same.end(), [&](const Backward& span) {
        return span.start < forward.second;
      });
      if (after == same.end()) continue;
      votes[{same.front().process, same.front().thread}][forward.first] += same.end() - after;
    }
    spans = spans.subspan(same.size());
  }
}

std::optional<SpanKey> ForwardJoin::ForwardOf(ThreadId thread, const HostSpan& backward) const {
  if (backward.sequence < 0 || !backward.is_backward) return std::nullopt;
  const ProcessId process = profile_.thread(thread).process;
  const auto known = threads_.find({process, backward.forward_thread});
  if (known == threads_.end()) return std::nullopt;
  const Forward wanted{process, backward.sequence, {known->second, backward.start, -1}};
  const auto after = std::upper_bound(forwards_.begin(), forwards_.end(), wanted, IsEarlier);
  if (after == forwards_.begin()) return std::nullopt;
  const Forward& found = *(after - 1);
  const bool is_same = found.process == process && found.sequence == backward.sequence &&
                       found.span.thread == known->second;
  return is_same ? std::optional(found.span) : std::nullopt;
}

bool IsBackwardName(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function: ")) return true;
  const size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && name.substr(0, last + 1).ends_with("Backward") &&
         name.find("::") == std::string_view::npos && last + 1 > 8;
}

}  // namespace gprofx::importers
