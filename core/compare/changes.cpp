#include "core/compare/changes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/compare/inclusive.h"

namespace gprofx::compare {
namespace {

constexpr double kSameTime = 0.2;  // of a renamed function, as a part of it

struct Subjects {
  std::vector<Change> changes;
  std::vector<Series> self, inclusive;  // in the same order
};

using Number = double Part::*;

// False where no run has anything of it.
struct Filled {
  bool in_base = false, in_head = false;
};

Filled Fill(const Sides& sides, const std::vector<const Part*>& parts, Number ns, Number samples,
            Series& series) {
  Filled filled;
  bool sampled = false;
  size_t next = 0;
  const auto fill = [&](const std::vector<Piece>& side, std::vector<double>& values,
                        std::vector<double>& counts, std::vector<double>& errors, bool& there) {
    for (const Piece& piece : side) {
      const Part* part = parts[next++];
      values.push_back(part == nullptr ? 0 : part->*ns / piece.units);
      counts.push_back(part == nullptr ? 0 : part->*samples);
      errors.push_back(part == nullptr ? 0 : part->relative_error);
      there = there || values.back() > 0;
      sampled = sampled || counts.back() > 0;
    }
  };
  fill(sides.base, series.base, series.base_samples, series.base_error, filled.in_base);
  fill(sides.head, series.head, series.head_samples, series.head_error, filled.in_head);
  if (!sampled) series.base_samples = series.head_samples = {};
  const auto estimated = [](const std::vector<double>& errors) {
    return std::any_of(errors.begin(), errors.end(), [](double error) { return error > 0; });
  };
  if (!estimated(series.base_error)) series.base_error = {};
  if (!estimated(series.head_error)) series.head_error = {};
  return filled;
}

Subjects Collect(const Sides& sides, Parts WorkDone::*parts) {
  const size_t runs = sides.base.size() + sides.head.size();
  std::map<std::string_view, std::vector<const Part*>> all;  // of each run, base first
  size_t run = 0;
  for (const auto* side : {&sides.base, &sides.head}) {
    for (const Piece& piece : *side) {
      for (const auto& [key, part] : piece.work->*parts) {
        std::vector<const Part*>& list = all[key];
        list.resize(runs);
        list[run] = &part;
      }
      ++run;
    }
  }
  Subjects subjects;
  for (const auto& [key, list] : all) {
    Change& change = subjects.changes.emplace_back();
    change.key = key;
    bool called_in_base = false, called_in_head = false;
    for (size_t i = 0; i < runs; ++i) {
      if (list[i] == nullptr) continue;
      change.part = *list[i];  // the head names it
      const bool in_base = i < sides.base.size();
      (in_base ? called_in_base : called_in_head) |= !list[i]->only_inlined;
    }
    const Filled self = Fill(sides, list, &Part::ns, &Part::samples, subjects.self.emplace_back());
    const Filled total = Fill(sides, list, &Part::total_ns, &Part::total_samples,
                              subjects.inclusive.emplace_back());
    const bool in_base = self.in_base || total.in_base, in_head = self.in_head || total.in_head;
    if (!in_base) change.fate = Change::kNew;
    if (!in_head) change.fate = Change::kGone;
    if (in_base && in_head && called_in_base && !called_in_head) change.fate = Change::kInlined;
  }
  return subjects;
}

// What is gone under one name and new under another.
void FindRenamed(std::vector<Change>& changes) {
  std::vector<Change*> gone;
  for (Change& change : changes) {
    if (change.fate == Change::kGone && change.outcome.share > 0) gone.push_back(&change);
  }
  for (Change& made : changes) {
    if (made.fate != Change::kNew || made.outcome.share <= 0) continue;
    Change* best = nullptr;
    const auto distance = [&](const Change& other) {
      return std::fabs(other.outcome.base - made.outcome.head);
    };
    for (Change* one : gone) {
      if (one->outcome.share <= 0 || one->part.kind != made.part.kind ||
          one->part.file != made.part.file || one->part.module != made.part.module ||
          distance(*one) > kSameTime * made.outcome.head) {
        continue;
      }
      if (best == nullptr || distance(*one) < distance(*best)) best = one;
    }
    if (best == nullptr) continue;
    made.fate = Change::kRenamed;
    made.other = best->part.name;
    made.outcome.base = best->outcome.base;
    best->outcome.share = 0;  // it is told there
  }
}

double CostOf(const Change& change) { return change.outcome.head - change.outcome.base; }

int Importance(const Change& change) {
  if (change.outcome.verdict == Verdict::kRegression) return change.moved ? 3 : 4;
  return change.outcome.verdict == Verdict::kImprovement ? 2 : 0;
}

}  // namespace

Series SeriesOf(const Sides& sides, double WorkDone::*value) {
  Series series;
  for (const Piece& piece : sides.base) series.base.push_back(piece.work->*value / piece.units);
  for (const Piece& piece : sides.head) series.head.push_back(piece.work->*value / piece.units);
  return series;
}

ComparedParts CompareParts(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                           const Settings& settings) {
  Subjects subjects = Collect(sides, parts);
  const Comparison self = Compare(total, subjects.self, settings);
  ComparedParts result{std::move(subjects.changes), self.global};
  for (size_t i = 0; i < result.changes.size(); ++i) {
    result.changes[i].outcome = self.subjects[i];
  }
  const bool has_inclusive =
      std::any_of(result.changes.begin(), result.changes.end(),
                  [](const Change& change) { return change.part.total_ns > 0; });
  if (has_inclusive) {
    MeasureInclusive(subjects.self, subjects.inclusive, self.total, settings, result.changes);
  }
  FindRenamed(result.changes);
  return result;
}

void SortByImportance(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    const int x = Importance(a), y = Importance(b);
    if (x != y) return x > y;
    const double cost = std::fabs(CostOf(a)) - std::fabs(CostOf(b));
    return cost != 0 ? cost > 0 : a.outcome.share > b.outcome.share;
  });
}

}  // namespace gprofx::compare
