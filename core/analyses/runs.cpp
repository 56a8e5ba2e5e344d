#include "core/analyses/runs.h"

#include <utility>

namespace gprofx {

std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs) {
  if (runs.empty()) return {};
  std::vector<Analysis> out = std::move(runs.front());
  if (runs.size() == 1) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    Analysis& joined = out[i];
    if (joined.name != "A1" && joined.name != "A15") {
      joined.rows.clear();
      joined.notes.clear();
      joined.degraded = false;
      joined.reason = "it is of one run; name one profile";
      continue;
    }
    for (size_t run = 1; run < runs.size(); ++run) {
      for (auto& row : runs[run][i].rows) joined.rows.push_back(std::move(row));
      if (joined.notes.empty()) joined.notes = std::move(runs[run][i].notes);
    }
    if (!joined.rows.empty()) joined.reason.clear();
  }
  return out;
}

}  // namespace gprofx
