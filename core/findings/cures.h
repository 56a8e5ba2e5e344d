// Replays a timeline as if the program had been repaired. A cure lists what a repair removes or
// shortens: host time, calls and GPU operations. Used inside core/findings only.
//
// Each segment of a timeline (TimeLine::segments) is replayed with its own dependency graph
// (core/replay/graph.h). After removed host time, the next call begins earlier. A removed call
// returns at once. A removed operation takes no time and waits only for its stream. Everything else
// keeps its dependencies. Each replay is linear in the timeline. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/findings/time_line.h"
#include "core/replay/graph.h"

namespace gprofx::findings {

// A fraction, 0 to 1, of the host time of a class. `of` is the index in TimeLine::classes.
struct ClassShare {
  uint32_t of = 0;
  double share = 0;
};

// What a repair would remove. Calls and operations are identified by their index in TimeLine::calls
// and TimeLine::ops. The host time of a call is the time between the end of the previous call and
// its begin.
struct Cure {
  struct Time {
    uint32_t at = 0;
    int64_t ns = 0;
  };
  std::vector<ClassShare> classes;  // fractions to remove from the host time of a class
  std::vector<Time> host;           // host time to remove from single calls
  std::vector<uint32_t> calls;      // these calls take no time and wait for nothing
  std::vector<Time> shorter;        // by call: ns to remove from the time in which it does not wait
  std::vector<Time> ops;            // by operation: new duration in ns; -1 = removed

  void Gone(uint32_t op) { ops.push_back({op, -1}); }
  // Adds fractions of classes of host time. A class may be added only once.
  void Take(const std::vector<ClassShare>& shares) {
    classes.insert(classes.end(), shares.begin(), shares.end());
  }
};

class LineReplay {
 public:
  using Models = std::vector<ReplayModel>;  // one for each segment

  // Prepares replays of `line`. Keeps no reference to `profile` or `line`.
  LineReplay(const Profile& profile, const TimeLine& line);

  Models Unchanged() const;
  // Adds a cure to the changes in `models`. Fractions of host time apply to the time that earlier
  // cures left. If several cures shorten an operation, the largest reduction counts.
  void Apply(const Cure& cure, Models& models) const;
  // Replays `models` and returns the length in ns: the sum over all segments of the time from the
  // begin of the segment to the end of its last call or operation. `room` is working memory; pass
  // the same object to each call.
  int64_t Length(const Models& models, ReplayTimes& room) const;
  int64_t base() const { return base_; }  // length of the replay without changes

 private:
  struct Part {
    ReplayEvents events;  // events of the timeline, from first_call and first_op on
    uint32_t first_call = 0, first_op = 0;
    std::optional<ReplayGraph> graph;
  };
  void AddEvents(const TimeLine& line, uint32_t from, uint32_t to, Part& part);
  void FindNodes(const TimeLine& line, uint32_t number, const std::vector<uint32_t>& calls);
  ReplayModel& ModelOf(uint32_t call, Models& models) const;
  void TakeClasses(const Cure& cure, Models& models) const;
  void TakeCallTime(const Cure& cure, Models& models) const;

  std::deque<Part> parts_;          // a deque, because graphs refer to their events
  std::vector<uint32_t> class_of_;  // by call: index of its class
  std::vector<int64_t> before_ns_;  // host time before each call
  size_t classes_ = 0;
  // By call: graph nodes of its begin, launch and end.
  std::vector<uint32_t> begins_, launches_, ends_;
  std::vector<uint32_t> op_nodes_, op_calls_;  // by operation
  int64_t busy_ns_ = 0, work_ns_ = 0, base_ = 0;
};

}  // namespace gprofx::findings
