// Attributes time to the program's own code: the time of a stack goes to the innermost own function
// in it, including all foreign code that the function calls.
//
// Own code is defined by SeenAs (naming/seen_as.h): the user's Python files, or else the main
// program's package, or else, without Python, native code outside of system libraries. Foreign code
// that a function calls has the name of its package or library. The interpreter is not foreign
// code, because it runs the function itself. Linear in nodes and values. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/profile.h"
#include "core/views/ranks.h"

namespace gprofx {

struct OwnFunction {
  FrameId line;         // line of the function with most time; 0 = no own code
  int64_t ns = 0;       // in the unit of the metric, like all times of this struct
  FrameId entry;        // line of the own function through which foreign code calls it; 0 = none
  std::string library;  // library that it calls and that has most of the time; "" = its own code
  int64_t library_ns = 0;
  // Part of `ns` during the import of a module. The module either contains this code or calls it.
  int64_t at_import_ns = 0;
  int64_t library_import_ns = 0;  // part of library_ns in which this code imports the library
};

// An own function in which one rank spends more time than the other ranks do on average.
struct OwnExcess {
  FrameId line;    // line of the function with most of the excess; 0 = none
  int64_t ns = 0;  // excess over the average of the others
};

// True if the profile has Python files of the user. Only these are then own code.
bool HasUserCode(const Profile& profile);

// Returns the own function with the most time.
OwnFunction HottestOwnFunction(const Profile& profile, MetricId metric);

// Returns the own function in which rank `at` exceeds the average of the other ranks by most.
// `line` is 0 if there is none, or if there is only one rank.
OwnExcess LargestExcess(const Profile& profile, MetricId metric, const Ranks& ranks, size_t at);

}  // namespace gprofx
