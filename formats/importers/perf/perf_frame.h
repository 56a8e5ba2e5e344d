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

// True for a line of a stack: it has a tab, then an address.
bool IsPerfStackLine(std::string_view line);
// Like IsPerfStackLine, for a line in which blanks have replaced the tab.
bool IsPerfStackLineWithoutTab(std::string_view line);

// Finds the frame of a sample without a stack in the text after its event. Fields such as addr,
// weight and cgroup come before the frame; registers, branches and phys_addr come after it. "" if
// there is none.
std::string_view PerfFrameBehindEvent(std::string_view text);

}  // namespace gprofx::importers
