// Expands the name in -o FILE. Pure, except RankOfThisProcess() and FactsOfThisProcess().
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

// Replaces %p, %h, %t, %r and %%; other sequences are an Error. Replacements contain no slash.
Result<std::string> ExpandName(std::string_view pattern, const NameFacts& facts);

// Returns the pattern that expands to `path`.
std::string AsOutputName(const std::string& path);

// Returns the rank in a parallel job that the launcher put into the environment; "" if none.
std::string RankIn(const std::function<const char*(const char*)>& env);

std::string RankOfThisProcess();

NameFacts FactsOfThisProcess();

}  // namespace gprofx::record
