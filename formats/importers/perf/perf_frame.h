// Parses frames of `perf script`: "    7f12 name+0x1a (/usr/lib/libc.so.6)". Pure.
#pragma once

#include <string_view>

namespace gprofx::importers {

struct PerfFrame {
  std::string_view name;    // without the offset; "" = unknown
  std::string_view object;  // "" = unknown, "inlined" for an inlined function
};

// Splits the text of a frame, without its address, into name and object.
PerfFrame SplitPerfFrame(std::string_view text);

// True for a line of a stack: a tab, followed by an address.
bool IsPerfStackLine(std::string_view line);
// Like IsPerfStackLine, for lines in which blanks have replaced the tab.
bool IsPerfStackLineWithoutTab(std::string_view line);

// Returns the frame of a sample that has no stack. `text` is the text after the event in the
// sample's line. Fields such as addr, weight and cgroup come before the frame; registers, branches
// and phys_addr come after it. "" if there is no frame.
std::string_view PerfFrameBehindEvent(std::string_view text);

}  // namespace gprofx::importers
