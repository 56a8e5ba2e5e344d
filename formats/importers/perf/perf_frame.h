// Frames of `perf script` as text: "    7f12 name+0x1a (/usr/lib/libc.so.6)". Pure.
#pragma once

#include <string_view>

namespace gprofx::importers {

struct PerfFrame {
  std::string_view name;    // without the offset; "" = unknown
  std::string_view object;  // "" = unknown, "inlined" of an inlined function
};

// Splits a frame without its address.
PerfFrame SplitPerfFrame(std::string_view text);

// True for a line of a stack: a tab, then an address.
bool IsPerfStackLine(std::string_view line);
// True for such a line whose tab was replaced by blanks.
bool IsPerfStackLineWithoutTab(std::string_view line);

// Finds the frame in the text behind an event, for samples without a stack. Fields such as addr,
// weight and cgroup stand before it, registers, branches and phys_addr after it. "" = none.
std::string_view PerfFrameBehindEvent(std::string_view text);

}  // namespace gprofx::importers
