// What -o FILE stands for. Pure but for FactsOfThisProcess.
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
  std::string rank;     // %r; "0" where it is not known
};

// Replaces %p, %h, %t, %r and %%; other sequences are an Error. What is put in has no slash.
Result<std::string> ExpandName(std::string_view pattern, const NameFacts& facts);

// The pattern that stands for `path` itself.
std::string AsOutputName(const std::string& path);

// The rank among the processes of a parallel job as its starter says it in the environment; ""
// where nobody does.
std::string RankIn(const std::function<const char*(const char*)>& env);

std::string RankOfThisProcess();

// The facts of this process.
NameFacts FactsOfThisProcess();

}  // namespace gprofx::record
