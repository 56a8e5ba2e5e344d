// Which operator of the forward pass a span of a backward pass belongs to, by autograd's sequence
// numbers: the node of a backward pass has that of the operator that made it.
//
// Numbers are counted in each thread. Several operators that lie in each other may carry one; the
// innermost, which begins last, has made the node. Profilers number forward threads in their own
// way: a number stands for the thread that has most of its operators. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/host_tree.h"

namespace gprofx::importers {

// A span of a trace, as it can be found again.
struct SpanKey {
  ThreadId thread;
  int64_t start = 0, duration = 0;
  auto operator<=>(const SpanKey&) const = default;
};

class ForwardJoin {
 public:
  // `profile`: whose threads are those of the spans.
  explicit ForwardJoin(const Profile& profile) : profile_(profile) {}

  // Of all threads; spans without a sequence number are passed over.
  void Add(ThreadId thread, const HostSpan& span);
  // All spans are there.
  void Finish();

  bool empty() const { return backwards_.empty(); }
  // Nothing: it is no backward work, or its operator is not in the trace.
  std::optional<SpanKey> ForwardOf(ThreadId thread, const HostSpan& backward) const;

 private:
  using NumberKey = std::pair<ProcessId, int64_t>;
  using ThreadKey = std::pair<ProcessId, uint32_t>;  // as the profiler numbers it

  const SpanKey* Find(ThreadKey thread, int64_t sequence, int64_t before) const;

  const Profile& profile_;
  std::map<NumberKey, std::vector<SpanKey>> forwards_;
  std::vector<std::tuple<ThreadKey, int64_t, int64_t>> backwards_;  // with number and start
  std::map<ThreadKey, ThreadId> threads_;
};

// A node of a backward pass, by its name: "AddmmBackward0".
bool IsBackwardName(std::string_view name);

}  // namespace gprofx::importers
