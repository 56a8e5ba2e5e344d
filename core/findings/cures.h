// What a finding would take away, as a change of the replayed recording. Used inside core/findings
// only.
//
// Each part of a time line that belongs together is a graph of core/replay. Host time that goes
// makes a moment come earlier, a call that goes returns at once, an operation that goes takes no
// time and waits for its stream alone; everything else stays behind what it depends on. Linear in
// the time line for each replay. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/findings/time_line.h"
#include "core/replay/graph.h"

namespace gprofx::findings {

// A part of the host time of a class, 0 to 1.
struct ClassShare {
  uint32_t of = 0;
  double share = 0;
};

// Positions in the time line. Host time is that before a call.
struct Cure {
  struct Time {
    uint32_t at = 0;
    int64_t ns = 0;
  };
  std::vector<ClassShare> classes;  // so much of the host time of all their calls goes
  std::vector<Time> host;           // so much of it goes, of single calls
  std::vector<uint32_t> calls;      // take no time and wait for nothing
  std::vector<Time> shorter;        // calls: take so much less, beside what they wait
  std::vector<Time> ops;            // take this long instead; -1 = go

  void Gone(uint32_t op) { ops.push_back({op, -1}); }
  // Each class once.
  void Take(const std::vector<ClassShare>& shares) {
    classes.insert(classes.end(), shares.begin(), shares.end());
  }
};

class LineReplay {
 public:
  using Models = std::vector<ReplayModel>;  // of each part

  // Neither is kept.
  LineReplay(const Profile& profile, const TimeLine& line);

  Models Unchanged() const;
  // On top of what is changed already: parts of host time are parts of each other's rest, of
  // operations the most counts.
  void Apply(const Cure& cure, Models& models) const;
  // From the begin of what is shown to the end of the last call and operation, all parts.
  // `room`: for the replay, kept from one to the next.
  int64_t Length(const Models& models, ReplayTimes& room) const;
  int64_t base() const { return base_; }  // with nothing changed

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
