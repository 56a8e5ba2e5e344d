#include "formats/importers/forward_join.h"

#include <algorithm>

namespace gprofx::importers {

void ForwardJoin::Add(ThreadId thread, const HostSpan& span) {
  if (span.sequence < 0) return;
  const ProcessId process = profile_.thread(thread).process;
  if (span.is_backward) {
    backwards_.push_back({{process, span.forward_thread}, span.sequence, span.start});
  } else {
    forwards_[{process, span.sequence}].push_back({thread, span.start, span.duration});
  }
}

void ForwardJoin::Finish() {
  // The innermost span, which begins last, comes first.
  for (auto& [_, spans] : forwards_) {
    std::sort(spans.begin(), spans.end(), [](const SpanKey& a, const SpanKey& b) {
      return a.start != b.start ? a.start > b.start : a.duration < b.duration;
    });
  }
  std::map<ThreadKey, std::map<ThreadId, int64_t>> votes;
  for (const auto& [thread, sequence, start] : backwards_) {
    const auto found = forwards_.find({thread.first, sequence});
    if (found == forwards_.end()) continue;
    ThreadId last;
    for (const SpanKey& span : found->second) {
      if (span.start > start || span.thread == last) continue;
      ++votes[thread][span.thread];
      last = span.thread;
    }
  }
  for (const auto& [thread, counts] : votes) {
    threads_[thread] =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
  }
}

std::optional<SpanKey> ForwardJoin::ForwardOf(ThreadId thread, const HostSpan& backward) const {
  if (backward.sequence < 0 || !backward.is_backward) return std::nullopt;
  const ThreadKey key{profile_.thread(thread).process, backward.forward_thread};
  const SpanKey* found = Find(key, backward.sequence, backward.start);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

const SpanKey* ForwardJoin::Find(ThreadKey thread, int64_t sequence, int64_t before) const {
  const auto spans = forwards_.find({thread.first, sequence});
  const auto known = threads_.find(thread);
  if (spans == forwards_.end() || known == threads_.end()) return nullptr;
  for (const SpanKey& span : spans->second) {
    if (span.thread == known->second && span.start <= before) return &span;
  }
  return nullptr;
}

bool IsBackwardName(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function: ")) return true;
  const size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && name.substr(0, last + 1).ends_with("Backward") &&
         name.find("::") == std::string_view::npos && last + 1 > 8;
}

}  // namespace gprofx::importers
