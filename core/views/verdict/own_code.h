// Charges time to the program's own code: each stack to its innermost function of the user, with
// all foreign code that the function calls.
//
// Own code is what SeenAs (naming/seen_as.h) takes for it: the user's Python files; else the main
// program's package; without Python, native code outside of system libraries. The foreign code that
// a function calls is named by its package or library, and the interpreter by none, because it runs
// the function itself. Linear in nodes and values. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/profile.h"
#include "core/views/ranks.h"

namespace gprofx {

struct OwnFunction {
  FrameId line;         // the line of it with most time; 0 = no own code
  int64_t ns = 0;       // in the unit of the metric, as below
  FrameId entry;        // line of the own function that foreign code calls for this; 0 = none
  std::string library;  // that it calls and that most of the time is in; "" = its own code
  int64_t library_ns = 0;
  int64_t at_import_ns = 0;       // of ns: while a module is imported that is, or calls, this code
  int64_t library_import_ns = 0;  // of library_ns: while this code imports it
};

// The own function in which one rank spends more than the others do on average.
struct OwnExcess {
  FrameId line;    // the line of it with most of that; 0 = none
  int64_t ns = 0;  // more than the others
};

// True if the profile has Python files of the user: then only they are own code.
bool HasUserCode(const Profile& profile);

// Returns the own function with most time.
OwnFunction HottestOwnFunction(const Profile& profile, MetricId metric);

// Returns the largest excess of the rank `at`.
OwnExcess LargestExcess(const Profile& profile, MetricId metric, const Ranks& ranks, size_t at);

}  // namespace gprofx
