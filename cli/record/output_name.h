// Expands the file name pattern of -o FILE. Pure, except RankOfThisProcess() and
// FactsOfThisProcess().
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::record {

struct NameFacts {
  std::string process;  // value of %p: the process id
  std::string host;     // value of %h: the host name
  std::string time;     // value of %t: the time
  std::string rank;     // value of %r: the rank, "0" if unknown
};

// Replaces %p, %h, %t, %r and %% in `pattern` by their values. Fails for any other sequence that
// begins with %. The values contain no slash.
Result<std::string> ExpandName(std::string_view pattern, const NameFacts& facts);

// Returns a pattern that expands to `path` itself.
std::string AsOutputName(const std::string& path);

// Returns the rank that a launcher of parallel jobs has set in the environment. Returns "" if there
// is none.
std::string RankIn(const std::function<const char*(const char*)>& env);

std::string RankOfThisProcess();

NameFacts FactsOfThisProcess();

}  // namespace gprofx::record
