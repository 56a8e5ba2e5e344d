// Makes the data of the analyses (core/analyses/analyses.h) in a page: tables as `gprof-x analyze`
// prints them, and the numbers that analyses.js and plots.js plot. Pure.
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
  // Name of the analyzed range, such as "the steady part"; "" = the whole recording.
  std::string part;
  bool filtered = false;  // the page has filters, which the analyses ignore
  std::vector<analyses::Analysis> analyses;
  analyses::Roofs roofs;
  Json memory;  // memory in the same range, in the form that memory.js reads
};

// True if some GPU work is in a layer or an operator. Without such work, the page has no analyses.
bool HasModel(const Levels& levels);

PageAnalyses MakePageAnalyses(const analyses::AnalysisContext& context);

// Returns the memory of each allocator over time. If no allocation was recorded, the result has no
// rows.
Json PageMemoryJson(const MemoryTable& memory, const Profile& profile);

// `short_names` maps the full name of a kernel to its short name.
Json PageAnalysesJson(const PageAnalyses& page,
                      const std::unordered_map<std::string, std::string>& short_names);

}  // namespace gprofx
