#include "cli/record/leveled.h"

#include <algorithm>
#include <iterator>

#include "cli/options.h"

namespace gprofx::record {
namespace {

struct LevelSet {
  const char* name;
  std::vector<std::string> options;
};

// Returns the set of options with this name. Returns nullptr if there is none. Set M samples only
// once a second, which has practically no cost; it records the ranges and steps that the program
// marks.
const LevelSet* FindSet(std::string_view name) {
  static const LevelSet sets[] = {
      {"M", {"--gpu", "off", "--frequency", "1"}},
      {"ML", {"--gpu", "off", "--overhead", "none"}},
      {"MLK", {"--gpu", "trace", "--overhead", "none"}},
      {"MLKI", {"--gpu", "auto", "--overhead", "none"}},
      {"default", {}},
  };
  const auto found = std::find_if(std::begin(sets), std::end(sets),
                                  [&](const LevelSet& set) { return set.name == name; });
  return found == std::end(sets) ? nullptr : found;
}

}  // namespace

Result<std::vector<std::string>> ParseLevels(std::string_view text) {
  std::vector<std::string> levels;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string name(text.substr(at, end - at));
    at = end + 1;
    if (FindSet(name) == nullptr || std::find(levels.begin(), levels.end(), name) != levels.end()) {
      return BadValue("--levels", "sets out of M,ML,MLK,MLKI,default, each once",
                      std::string(text));
    }
    levels.push_back(name);
  }
  return levels;
}

std::vector<SeriesRun> RunsOf(const std::vector<std::string>& levels, size_t repeat,
                              const std::string& output) {
  std::vector<SeriesRun> runs;
  for (size_t i = 0; i < repeat; ++i) {
    std::vector<std::string> order = levels;
    if (i % 2 == 1) std::reverse(order.begin(), order.end());
    for (const std::string& level : order) {
      const std::string label = level + "." + std::to_string(i + 1);
      runs.push_back({label, FileOfRun(output, label), "", FindSet(level)->options});
    }
  }
  return runs;
}

}  // namespace gprofx::record
