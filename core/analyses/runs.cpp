#include "core/analyses/runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/analyses/leveled.h"

namespace gprofx::analyses {

namespace {

constexpr double kNearlyBest = 0.95;

void NoteKnee(Analysis& joined) {
  size_t column = 0;
  while (column < joined.columns.size() &&
         std::string_view(joined.columns[column].id) != kItemsPerSecond)
    ++column;
  if (column == joined.columns.size()) return;
  double best = 0;
  size_t sizes = 0;
  for (const auto& row : joined.rows) {
    const auto* items = std::get_if<double>(&row[column]);
    if (items == nullptr) continue;
    best = std::max(best, *items);
    ++sizes;
  }
  if (sizes < 2) return;
  const std::vector<AnalysisCell>* knee = nullptr;
  double least = 0;
  for (const auto& row : joined.rows) {
    const auto* items = std::get_if<double>(&row[column]);
    const auto* steps = std::get_if<double>(&row[column - 1]);
    if (items == nullptr || steps == nullptr || *steps <= 0 || *items < kNearlyBest * best)
      continue;
    const double size = *items / *steps;
    if (knee == nullptr || size < least) {
      knee = &row;
      least = size;
    }
  }
  joined.notes.push_back("knee: " + std::get<std::string>((*knee)[0]) +
                         ", the smallest within 5% of the most items/s");
}

}  // namespace

std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs) {
  if (runs.empty()) return {};
  std::vector<Analysis> out = std::move(runs.front());
  if (runs.size() == 1) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    Analysis& joined = out[i];
    const bool is_leveled = joined.name == kLeveledRuns;
    if (joined.name != "A1" && joined.name != "A15" && !is_leveled) {
      joined.rows.clear();
      joined.notes.clear();
      joined.degraded = false;
      joined.reason = "this analysis is of one run; name one profile";
      continue;
    }
    for (size_t run = 1; run < runs.size(); ++run) {
      for (auto& row : runs[run][i].rows) joined.rows.push_back(std::move(row));
      if (joined.notes.empty()) joined.notes = std::move(runs[run][i].notes);
    }
    if (!joined.rows.empty()) joined.reason.clear();
    if (is_leveled && !joined.rows.empty()) JoinLeveledRuns(joined);
    NoteKnee(joined);
  }
  return out;
}

}  // namespace gprofx::analyses
