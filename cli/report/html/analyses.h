// The analyses of core/analyses/analyses.h in a page: tables as `gprof-x analyze` prints them, and
// the numbers that analyses.js and plots.js plot. Pure.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/json_text.h"
#include "core/analyses/analyses.h"
#include "core/analyses/roofs.h"
#include "core/views/gpu/memory.h"

namespace gprofx {

struct PageAnalyses {
  std::string part;       // analyzed range: "the steady part"; "" = all of it
  bool filtered = false;  // the page has filters, which the analyses ignore
  std::vector<analyses::Analysis> analyses;
  analyses::Roofs roofs;
  Json memory;  // of the same range, as memory.js draws it
};

// True if some GPU work lies in a layer or in an operator. Otherwise the page has no analyses.
bool HasModel(const Levels& levels);

PageAnalyses MakePageAnalyses(const analyses::AnalysisContext& context);

// Returns the memory of each allocator over time; no rows if no allocation was recorded.
Json PageMemoryJson(const MemoryTable& memory, const Profile& profile);

// `short_names`: full name of a kernel -> short name.
Json PageAnalysesJson(const PageAnalyses& page,
                      const std::unordered_map<std::string, std::string>& short_names);

}  // namespace gprofx
