// Parses the first line of a sample of `perf script`:
//
//   VM: 7 VCPU:001 comm 12/34 [003] U     2026-11-30 12:33:44.123456 1234.567890: 250000 cycles:u:
//   ...
//
// Every field may be absent (perf script -F). A name may contain blanks and numbers, so the fields
// are searched from the end. If there is no time, the number before the event may be a thread or a
// period. The width of its column decides: 7 for ids, 10 for periods. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::importers {

struct PerfHeader {
  std::string_view comm;
  std::string_view event;             // as written, with modifiers: "cycles:u"; "" = absent
  std::string_view rest;              // text after the event, with the blanks before it
  int64_t machine = 0;                // pid of the virtual machine's process; 0 = the host
  int64_t pid = -1, tid = -1;         // -1 = absent
  int64_t time_ns = -1, period = -1;  // -1 = absent
};

// Parses a line with an event and at least one of time, ids and processor. Returns false for any
// other line.
bool ParsePerfHeader(std::string_view line, PerfHeader& header);

// Parses a line that precedes a stack, whatever fields it has.
PerfHeader ParseLineAboveStack(std::string_view line);

// True for a record about a process, as written with perf script --show-task-events.
bool IsPerfRecord(std::string_view line);

}  // namespace gprofx::importers
