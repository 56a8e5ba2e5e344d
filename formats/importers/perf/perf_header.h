// Parses the first line of a sample of `perf script`:
//
//   VM: 7 VCPU:001 comm 12/34 [003] U     2026-11-30 12:33:44.123456 1234.567890: 250000 cycles:u:
//   ...
//
// Every field may be absent (perf script -F). The fields are searched from the end, because a name
// may contain blanks and numbers. If there is no time, the number before the event may be a thread
// or a period; the width of its column decides: 7 for ids, 10 for periods. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::importers {

struct PerfHeader {
  std::string_view comm;
  std::string_view event;             // as written, with modifiers: "cycles:u"; "" = absent
  std::string_view rest;              // text after the event, with the leading blanks
  int64_t machine = 0;                // pid of the process of the virtual machine; 0 = the host
  int64_t pid = -1, tid = -1;         // -1 = absent
  int64_t time_ns = -1, period = -1;  // -1 = absent
};

// Parses a line that has an event and at least one of time, ids and processor. Returns false for
// any other line.
bool ParsePerfHeader(std::string_view line, PerfHeader& header);

// Parses the line above a stack, whichever fields it has.
PerfHeader ParseLineAboveStack(std::string_view line);

// True for a record about a process, as `perf script --show-task-events` writes it.
bool IsPerfRecord(std::string_view line);

}  // namespace gprofx::importers
