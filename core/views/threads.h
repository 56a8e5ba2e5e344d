// Builds the table of time per process and thread. Processes are sorted by time. Each is followed
// by its threads, also sorted by time. Linear in values.
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
  std::string name;       // unescaped
  std::string arguments;  // of a process, in short; unescaped, "" = none
  int64_t self = 0;       // in the metric of the query, over the stacks that the filters keep
  int64_t samples = 0;
  int64_t cpu_ns = 0, lost_ns = 0;     // of the whole recording
  int64_t cpu_gil = 0, cpu_nogil = 0;  // over the stacks that the filters keep
  int64_t waiting = 0;                 // part of `self` in waiting functions (core/views/waiting.h)
  std::string waits_in;                // function with most of `waiting`; unescaped, "" = none
  std::string pool;    // library that owns the thread, such as "OpenBLAS"; unescaped, "" = unknown
  bool waits = false;  // at least four fifths of self is waiting
  // Not the main thread, ran no Python, and mostly waits or does nearly nothing.
  bool quiet = false;
  bool is_own = false;  // a thread of the recorder within the program
  size_t threads = 1;   // number of threads in this row; > 1 after FoldThreads()
};

struct ThreadTable {
  std::vector<ThreadRow> rows;
  bool has_gil = false;  // the recording knows the state of the GIL
  size_t shown = 0;
  // Sum of `self` over the rows that are not shown. Processes count only in a table without
  // threads, because their time is the sum of their threads.
  Rest rest;
};

// Returns the table. If `by` is kProcess or kThread, it contains only rows of that kind.
ThreadTable ThreadRows(const Profile& profile, MetricId metric, const Kept& kept, RowsBy by);

// Merges the quiet threads of a process and a pool into one row, at the position of the largest. A
// single quiet thread keeps its row. Does nothing in tables of only threads or only processes.
void FoldThreads(ThreadTable& table);

// Shows the first `most` rows and sums up the others in `rest`.
void CutThreads(ThreadTable& table, size_t most);

}  // namespace gprofx
