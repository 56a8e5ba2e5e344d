// Formats numbers for people: three significant digits, a unit, thousands separators; independent
// of the locale. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/views/steps.h"

namespace gprofx {

std::string Duration(int64_t ns);                // "61.4 s", "312 ms", "12.3 us", "0 s"
std::string Grouped(int64_t number);             // "412,880"
std::string ShortCount(int64_t number);          // like Grouped; from ten digits "1.2e+10"
std::string Percent(double part, double whole);  // "31.2%"; "-" if whole is 0; ">999%"

// Amount formats `value` in the unit of a metric: a duration for "ns", else a grouped number.
std::string Bytes(int64_t bytes);  // "4.10 kB", "310 GB"; powers of 1000
std::string Amount(int64_t value, const std::string& unit);

// Returns "38 steps of 103 ms (p95 106 ms)"; if step times are uneven "38 steps of 26.3 ms (mean;
// median 17.9 ms, p95 76.0 ms)".
std::string StepsInWords(const StepNumbers& steps);

// Returns a line such as "2 processes were not sampled: static (go, ls)". `programs` is the part
// after the colon.
std::string NotSampledLine(int64_t count, std::string_view programs);

std::string Dollars(double dollars);  // "$1.23"

}  // namespace gprofx
