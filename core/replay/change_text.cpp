// Parses the changes of a program that a user asks for, and prints them (what_if.h).
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/replay/what_if.h"

namespace gprofx {
namespace {

struct KindName {
  WhatIfChange::Kind kind;
  const char* word;
};
constexpr KindName kKinds[] = {{WhatIfChange::kPinMemory, "pin_memory"},
                               {WhatIfChange::kNoSync, "no-sync"},
                               {WhatIfChange::kFuse, "fuse"},
                               {WhatIfChange::kGraphs, "graphs"},
                               {WhatIfChange::kScale, "scale"}};
constexpr char kThereAre[] =
    "the changes are 'pin_memory', 'no-sync', 'no-sync FILE:LINE', 'fuse NAME', 'graphs' and "
    "'scale NAME "
    "FACTOR'";

const char* WordOf(WhatIfChange::Kind kind) {
  for (const KindName& known : kKinds) {
    if (known.kind == kind) return known.word;
  }
  return "";
}

}  // namespace

Result<WhatIfChange> ParseWhatIf(std::string_view text) {
  text = Trimmed(text);
  const size_t blank = text.find_first_of(" \t");
  const std::string_view word = text.substr(0, blank);
  std::string_view rest =
      blank == std::string_view::npos ? std::string_view() : Trimmed(text.substr(blank));
  const auto known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const KindName& kind) { return word == kind.word; });
  if (known == std::end(kKinds)) {
    return Error{ErrorId::kBadExpression,
                 "option '--what-if' has an unknown change '" + std::string(text) + "'", kThereAre};
  }
  WhatIfChange change;
  change.kind = known->kind;
  const bool takes_name =
      change.kind != WhatIfChange::kPinMemory && change.kind != WhatIfChange::kGraphs;
  const bool needs_name = change.kind == WhatIfChange::kFuse || change.kind == WhatIfChange::kScale;
  if ((!takes_name && !rest.empty()) || (needs_name && rest.empty())) {
    return Error{ErrorId::kBadExpression,
                 "change '" + std::string(word) + "' of option '--what-if' needs " +
                     (rest.empty() ? "a name" : "no name"),
                 kThereAre};
  }
  if (change.kind == WhatIfChange::kScale) {
    const size_t last = rest.find_last_of(" \t");
    const std::string factor(last == std::string_view::npos ? std::string_view()
                                                            : rest.substr(last + 1));
    char* end = nullptr;
    change.factor = factor.empty() ? -1 : strtod(factor.c_str(), &end);
    if (factor.empty() || end != factor.c_str() + factor.size() || !(change.factor >= 0) ||
        change.factor > 1000) {
      return Error{ErrorId::kBadExpression,
                   "change 'scale' of option '--what-if' needs a name and a factor from 0 to 1000",
                   kThereAre};
    }
    rest = Trimmed(rest.substr(0, last));
  }
  change.name = rest;
  return change;
}

std::string WhatIfText(const WhatIfChange& change) {
  std::string text = WordOf(change.kind);
  if (!change.name.empty()) text += " " + change.name;
  if (change.kind != WhatIfChange::kScale) return text;
  return text + Format(" %g", change.factor);
}

}  // namespace gprofx
