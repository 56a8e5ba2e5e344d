// Time per process and thread. Processes by their time, each followed by its threads by theirs.
// Linear in values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/query.h"
#include "core/views/rest.h"

namespace gprofx {

struct ThreadRow {
  bool is_process = false;
  int64_t id = 0;  // pid or tid
  int64_t pid = 0;
  std::string name;  // unescaped
  int64_t self = 0;  // in the metric of the query, after filters
  int64_t samples = 0;
  int64_t cpu_ns = 0, lost_ns = 0;     // of the whole recording
  int64_t cpu_gil = 0, cpu_nogil = 0;  // after filters
  int64_t waiting = 0;                 // part of self in functions that wait (core/views/waiting.h)
  std::string waits_in;                // where most of that was; unescaped, "" = nowhere
  std::string pool;                    // whose thread it is: "OpenBLAS"; unescaped, "" = not known
  bool waits = false;                  // all but a fifth of self is waiting
  bool quiet = false;   // not the first thread, no Python, and it waits or did next to nothing
  bool is_own = false;  // a thread of the recorder in the program
  size_t threads = 1;   // that this row is of; more than one after FoldThreads()
};

struct ThreadTable {
  std::vector<ThreadRow> rows;
  bool has_gil = false;  // the recording knows the state of the GIL
  size_t shown = 0;
  Rest rest;  // time counts once, whether a process or its thread is left out
};

// `by`: kProcess and kThread leave only those.
ThreadTable ThreadRows(const Profile& profile, MetricId metric, const Kept& kept, RowsBy by);

// Quiet threads of one process and one pool become one row, in the place of the largest. The row of
// a single one stays. Not for tables of threads only or of processes only.
void FoldThreads(ThreadTable& table);

// Says how much is shown, and sums up the rest.
void CutThreads(ThreadTable& table, size_t most);

}  // namespace gprofx
