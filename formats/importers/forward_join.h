// Finds the operator of the forward pass to which a span of a backward pass belongs. The backward
// pass runs autograd nodes; a node has the sequence number of the forward operator that made it.
//
// Sequence numbers are counted per thread. Several nested operators may have the same number; the
// innermost of them, which begins last, made the node. Backward spans also contain the number of
// the forward thread, but the profiler numbers threads in its own way. Each of these numbers is
// mapped to the thread whose operators match the most backward spans with that number. Takes O(n
// log n). Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/host_tree.h"

namespace gprofx::importers {

// Identifies a span of a trace by its thread, begin and duration.
struct SpanKey {
  ThreadId thread;
  int64_t start = 0, duration = 0;
  auto operator<=>(const SpanKey&) const = default;
};

class ForwardJoin {
 public:
  // The threads of the spans are those of `profile`, which must outlive the object.
  explicit ForwardJoin(const Profile& profile) : profile_(profile) {}

  // Adds a span. Add the spans of all threads; those without a sequence number are ignored.
  void Add(ThreadId thread, const HostSpan& span);
  // Matches the spans. Call it after the last Add().
  void Finish();

  bool empty() const { return backwards_.empty(); }
  // Returns the forward operator of a backward span; nullopt if the span is not backward work, or
  // its operator is not in the trace.
  std::optional<SpanKey> ForwardOf(ThreadId thread, const HostSpan& backward) const;

 private:
  struct Forward {
    ProcessId process;
    int64_t sequence = 0;
    SpanKey span;
  };
  struct Backward {
    ProcessId process;
    int64_t sequence = 0;
    uint32_t thread = 0;  // number of the forward thread, as the profiler assigns it
    int64_t start = 0;
    auto operator<=>(const Backward&) const = default;
  };
  using NumberKey = std::pair<ProcessId, int64_t>;
  using ThreadKey = std::pair<ProcessId, uint32_t>;
  using ForwardAt = std::vector<Forward>::const_iterator;
  using Votes = std::map<ThreadKey, std::map<ThreadId, int64_t>>;

  static bool IsEarlier(const Forward& a, const Forward& b);
  std::vector<std::pair<ThreadId, int64_t>> ThreadsOf(NumberKey number, ForwardAt at) const;
  static void Vote(std::span<const Backward> spans,
                   const std::vector<std::pair<ThreadId, int64_t>>& threads, Votes& votes,
                   size_t& budget);

  const Profile& profile_;
  std::vector<Forward> forwards_;  // sorted by Finish(), as is backwards_
  std::vector<Backward> backwards_;
  std::map<ThreadKey, ThreadId> threads_;
};

// True for the name of an autograd node: "AddmmBackward0".
bool IsBackwardName(std::string_view name);

}  // namespace gprofx::importers
