// Cures. A cure is what the program would do less if a finding were repaired: host time, calls and
// GPU operations to remove or shorten in a replay of the recording. Used inside core/findings only.
//
// Each segment of a time line (TimeLine::segments) is a dependency graph of its own
// (core/replay/graph.h). Removed host time makes the next call begin earlier. A removed call
// returns at once. A removed operation takes no time and waits for its stream only. Everything else
// keeps its dependencies. Each replay is linear in the time line. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/findings/time_line.h"
#include "core/replay/graph.h"

namespace gprofx::findings {

// A fraction, 0 to 1, of the host time of a class (TimeLine::classes).
struct ClassShare {
  uint32_t of = 0;
  double share = 0;
};

// Calls and operations are given by their index in TimeLine::calls and ops. Host time of a call is
// the time between the previous call and it.
struct Cure {
  struct Time {
    uint32_t at = 0;
    int64_t ns = 0;
  };
  std::vector<ClassShare> classes;  // removed fractions of the host time of all their calls
  std::vector<Time> host;           // removed host time of single calls
  std::vector<uint32_t> calls;      // calls that take no time and wait for nothing
  std::vector<Time> shorter;        // calls: time to subtract from the part that is not waiting
  std::vector<Time> ops;            // new durations; -1 = removed

  void Gone(uint32_t op) { ops.push_back({op, -1}); }
  // Adds fractions of classes to remove. Each class may be added only once.
  void Take(const std::vector<ClassShare>& shares) {
    classes.insert(classes.end(), shares.begin(), shares.end());
  }
};

class LineReplay {
 public:
  using Models = std::vector<ReplayModel>;  // one for each segment (Part)

  // Keeps no reference to `profile` or `line`.
  LineReplay(const Profile& profile, const TimeLine& line);

  Models Unchanged() const;
  // Adds a cure to the changes that are already in `models`. Fractions of host time apply to the
  // host time that earlier cures left. If several cures shorten the same operation, the largest
  // reduction counts.
  void Apply(const Cure& cure, Models& models) const;
  // Returns the sum over all segments of the time from the start of the segment to the end of its
  // last call or operation. `room`: memory for the replay, reused between calls.
  int64_t Length(const Models& models, ReplayTimes& room) const;
  int64_t base() const { return base_; }  // length with nothing changed

 private:
  struct Part {
    ReplayEvents events;  // those of the time line from first_call and first_op on
    uint32_t first_call = 0, first_op = 0;
    std::optional<ReplayGraph> graph;
  };
  void AddEvents(const TimeLine& line, uint32_t from, uint32_t to, Part& part);
  void FindNodes(const TimeLine& line, uint32_t number, const std::vector<uint32_t>& calls);
  ReplayModel& ModelOf(uint32_t call, Models& models) const;
  void TakeClasses(const Cure& cure, Models& models) const;
  void TakeCallTime(const Cure& cure, Models& models) const;

  std::deque<Part> parts_;          // graphs refer to their events
  std::vector<uint32_t> class_of_;  // by call
  std::vector<int64_t> before_ns_;  // by call: host time
  size_t classes_ = 0;
  std::vector<uint32_t> begins_, launches_, ends_;  // nodes by call
  std::vector<uint32_t> op_nodes_, op_calls_;       // by operation
  int64_t busy_ns_ = 0, work_ns_ = 0, base_ = 0;
};

}  // namespace gprofx::findings
