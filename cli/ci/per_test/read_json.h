// Reads JSON that a framework wrote. It may have any size and structure; no function throws.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

using ReadJson = nlohmann::json;  // sorts members: parsing a million names is not quadratic

inline constexpr size_t kMaxHarnessFile = 64 << 20;  // bytes

// Returns the content of a regular file. Fails if the file has more than kMaxHarnessFile bytes.
Result<std::string> ReadHarnessText(const std::string& path);

Result<ReadJson> ReadHarnessJson(const std::string& path);

// Parses the content of the file `path`.
Result<ReadJson> ParseHarnessJson(const std::string& text, const std::string& path);

// Returns the member `name` of an object. Returns null if there is none.
const ReadJson* MemberOf(const ReadJson& json, const char* name);
std::string TextOf(const ReadJson& json, const char* name);  // "" if it is not a string
double NumberOf(const ReadJson& json, const char* name);     // 0 if it is not a finite number
int64_t CountOf(const ReadJson& json, const char* name);  // 0 if it is not a number from 0 to 2^53
// Returns the numbers of a list. An element that is not a number counts as 0.
std::vector<double> NumbersOf(const ReadJson& json, const char* name);

double LeastOf(const std::vector<double>& values);  // smallest positive value; 0 if there is none
double MedianOf(std::vector<double> values);        // 0 if there are no values

}  // namespace gprofx
