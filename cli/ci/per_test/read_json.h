// Reads JSON that a framework wrote. It may be of any size and shape: nothing here throws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/base/result.h"

namespace gprofx {

inline constexpr size_t kMaxHarnessFile = 64 << 20;  // bytes

// Returns the content of a regular file, at most kMaxHarnessFile bytes.
Result<std::string> ReadHarnessText(const std::string& path);

Result<Json> ReadHarnessJson(const std::string& path);

// Returns the member of an object; null if there is none.
const Json* MemberOf(const Json& json, const char* name);
std::string TextOf(const Json& json, const char* name);  // "" if it is no text
double NumberOf(const Json& json, const char* name);     // 0 if it is no finite number
int64_t CountOf(const Json& json, const char* name);     // 0 if it is no number from 0 to 2^53
std::vector<double> NumbersOf(const Json& json, const char* name);  // 0 for what is none

double LeastOf(const std::vector<double>& values);  // above 0; 0 if there are none
double MedianOf(std::vector<double> values);        // 0 if there are none

}  // namespace gprofx
