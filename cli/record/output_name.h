// Expands the file name pattern of -o FILE. Pure, except RankOfThisProcess() and
// FactsOfThisProcess().
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::record {

struct NameFacts {
  std::string process;  // %p
  std::string host;     // %h
  std::string time;     // %t
  std::string rank;     // %r; "0" if unknown
};

// Replaces %p, %h, %t, %r and %% in `pattern`. Other sequences that begin with % are an Error. The
// replacements contain no slash.
Result<std::string> ExpandName(std::string_view pattern, const NameFacts& facts);

// Returns a pattern that expands to exactly `path`.
std::string AsOutputName(const std::string& path);

// Returns the rank that a launcher of parallel jobs has set in the environment; "" if there is
// none.
std::string RankIn(const std::function<const char*(const char*)>& env);

std::string RankOfThisProcess();

NameFacts FactsOfThisProcess();

}  // namespace gprofx::record
