#include "samplers/collector/markers/matcher.h"

#include <algorithm>

#include "samplers/collector/drain/drain_bounds.h"

namespace gprofx {

void MarkerMatcher::Take(const MarkerRecord& record, HostNs now) {
  const HostNs time = BoundedTime(record.time, now);
  if (record.kind == wire::kMarkerEnd) return End(record.range, time);
  const ThreadId thread = ThreadOf(record.tid, time);
  if (!thread) return run_.Count({.without_thread = 1});
  if (record.kind == wire::kMarkerPop) {
    const auto found = pushed_.find({thread, record.domain});
    if (found == pushed_.end()) return run_.Count({.unmatched = 1});
    return Pop(found->second, record, time);
  }
  const Range range = Begin(record, thread, time);
  if (record.kind == wire::kMarkerMoment) return Close(range, time);
  if (open_ + started_.size() >= kMaxOpen) return run_.Count({.unmatched = 1});
  if (record.kind == wire::kMarkerStart) return Start(record, range);
  // Each domain of a thread has one entry, which stays when it has no open ranges. Limit their
  // number, because a hostile target may make up domains.
  if (pushed_.size() >= kMaxOpen) return run_.Count({.unmatched = 1});
  Push(pushed_[{thread, record.domain}], record, range);
}

// Returns the thread that had the id `tid` at `time`: the latest one that had started by then.
// Returns 0 if there is none.
ThreadId MarkerMatcher::ThreadOf(int32_t tid, HostNs time) const {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return {};
  const auto& all = found->second;
  const auto at = std::find_if(all.rbegin(), all.rend(),
                               [&](ThreadId id) { return profile_.thread(id).start <= time; });
  return at == all.rend() ? all.front() : *at;
}

MarkerMatcher::Range MarkerMatcher::Begin(const MarkerRecord& record, ThreadId thread,
                                          HostNs time) {
  return {true, time, thread, run_.Name(record.name), run_.Name(record.domain_name)};
}

void MarkerMatcher::Push(Stack& stack, const MarkerRecord& record, const Range& range) {
  Cut(stack, record.lost);
  if (record.depth != wire::kNoDepth) {
    Cut(stack, record.depth);
    const size_t lost = record.depth - stack.size();
    if (open_ + lost >= kMaxOpen) return run_.Count({.unmatched = 1});
    open_ += lost;
    stack.resize(record.depth);
  }
  stack.push_back(range);
  ++open_;
}

void MarkerMatcher::Pop(Stack& stack, const MarkerRecord& record, HostNs time) {
  Cut(stack, record.lost);
  if (record.depth != wire::kNoDepth) Cut(stack, size_t{record.depth} + 1);
  const bool is_there = !stack.empty() && (record.depth == wire::kNoDepth ||
                                           stack.size() == record.depth + size_t{1});
  if (!is_there) return run_.Count({.unmatched = 1});
  const Range range = stack.back();
  stack.pop_back();
  --open_;
  if (!range.known) return run_.Count({.unmatched = 1});
  Close(range, time);
}

// Removes the ranges above the first `size` from the stack, and counts them as unmatched. Their
// ends were lost.
void MarkerMatcher::Cut(Stack& stack, size_t size) {
  while (stack.size() > size) {
    run_.Count({.unmatched = stack.back().known ? 1 : 0});
    stack.pop_back();
    --open_;
  }
}

void MarkerMatcher::Start(const MarkerRecord& record, const Range& range) {
  if (!started_.try_emplace(record.range, range).second) run_.Count({.unmatched = 1});
}

void MarkerMatcher::End(uint64_t number, HostNs time) {
  const auto found = started_.find(number);
  if (found == started_.end()) return run_.Count({.unmatched = 1});
  Close(found->second, time);
  started_.erase(found);
}

void MarkerMatcher::Close(const Range& range, HostNs end) {
  const HostNs duration = std::max<HostNs>(end - range.start, 0);
  run_.Add({range.start, duration, range.thread, range.name, range.domain});
}

void MarkerMatcher::CloseOpen(const Range& range, HostNs end) {
  if (!range.known) return;
  const HostNs thread_end = profile_.thread(range.thread).end;
  Close(range, thread_end > 0 ? std::min(thread_end, end) : end);
  run_.Count({.open = 1});
}

void MarkerMatcher::Finish(HostNs end) {
  for (const auto& [key, stack] : pushed_) {
    for (const Range& range : stack) CloseOpen(range, end);
  }
  for (const auto& [number, range] : started_) CloseOpen(range, end);
  pushed_.clear();
  started_.clear();
  open_ = 0;
}

}  // namespace gprofx
