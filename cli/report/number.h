// Formats numbers for people: with three significant digits, a unit, or thousands separators. The
// result does not depend on the locale. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/views/steps.h"

namespace gprofx {

std::string Duration(int64_t ns);     // "61.4 s", "312 ms", "12.3 us", "0 s"
std::string Grouped(int64_t number);  // "412,880"
// Formats a number like Grouped(), but one with ten digits or more as "1.2e+10".
std::string ShortCount(int64_t number);
// Returns part / whole as "31.2%". Returns "-" if whole is 0, and ">999%" if the result is larger.
std::string Percent(double part, double whole);

// Bytes() formats a number of bytes. Amount() formats `value` in the unit of a metric: as a
// duration for "ns", otherwise with thousands separators.
std::string Bytes(int64_t bytes);  // such as "4.10 kB", "310 GB"; powers of 1000
std::string Amount(int64_t value, const std::string& unit);

// Returns a text with the number and the length of steps: "38 steps of 103 ms (p95 106 ms)". If
// step times are uneven, it is "38 steps of 26.3 ms (mean; median 17.9 ms, p95 76.0 ms)".
std::string StepsInWords(const StepNumbers& steps);

// Returns a line about processes without samples: "2 processes were not sampled: static (go, ls)".
// `programs` is the text after the colon.
std::string NotSampledLine(int64_t count, std::string_view programs);

std::string Dollars(double dollars);  // such as "$1.23"

}  // namespace gprofx
