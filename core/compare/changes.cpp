#include "core/compare/changes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/compare/inclusive.h"
#include "core/compare/renamed.h"

namespace gprofx::compare {
namespace {

struct Subjects {
  std::vector<Change> changes;
  std::vector<Series> self, inclusive;  // in the order of `changes`
};

using Number = double Part::*;

// Says which sides have the part in at least one run.
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
  // By key: the part in each run, runs of the base first; null = the run does not have it.
  std::map<std::string_view, std::vector<const Part*>> all;
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
      change.part = *list[i];  // later runs overwrite earlier ones, so the head's description wins
      const bool in_base = i < sides.base.size();
      (in_base ? called_in_base : called_in_head) |= !list[i]->only_inlined;
    }
    const Filled self = Fill(sides, list, &Part::ns, &Part::samples, subjects.self.emplace_back());
    const Filled total =
        Fill(sides, list, &Part::total_ns, &Part::total_samples, subjects.inclusive.emplace_back());
    const bool in_base = self.in_base || total.in_base, in_head = self.in_head || total.in_head;
    if (!in_base) change.fate = Change::kNew;
    if (!in_head) change.fate = Change::kGone;
    if (in_base && in_head && called_in_base && !called_in_head) change.fate = Change::kInlined;
  }
  return subjects;
}

void TakeBase(const Series& from, Series& to) {
  to.base = from.base;
  to.base_samples = from.base_samples;
  to.base_error = from.base_error;
  if (to.head_samples.empty()) to.head_samples.resize(to.base_samples.empty() ? 0 : to.head.size());
}

// A renamed part is a new part and a gone part. Makes them one subject: the new part, with the base
// times of the gone one.
void JoinRenamed(Subjects& subjects) {
  std::vector<bool> told(subjects.changes.size());
  for (const auto& [made, gone] : FindRenamed(subjects.changes, subjects.self)) {
    Change& change = subjects.changes[made];
    change.fate = Change::kRenamed;
    change.other = subjects.changes[gone].part.name;
    TakeBase(subjects.self[gone], subjects.self[made]);
    TakeBase(subjects.inclusive[gone], subjects.inclusive[made]);
    told[gone] = true;
  }
  Subjects kept;
  for (size_t i = 0; i < told.size(); ++i) {
    if (told[i]) continue;
    kept.changes.push_back(std::move(subjects.changes[i]));
    kept.self.push_back(std::move(subjects.self[i]));
    kept.inclusive.push_back(std::move(subjects.inclusive[i]));
  }
  subjects = std::move(kept);
}

double CostOf(const Change& change) { return change.outcome.head - change.outcome.base; }

bool IsSlower(const Change& change) {
  return change.outcome.verdict == Verdict::kRegression && !change.moved;
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
  JoinRenamed(subjects);
  const Comparison self = Compare(total, subjects.self, settings);
  ComparedParts result{std::move(subjects.changes), self.global};
  for (size_t i = 0; i < result.changes.size(); ++i) {
    result.changes[i].outcome = self.subjects[i];
  }
  const bool has_inclusive =
      std::any_of(result.changes.begin(), result.changes.end(),
                  [](const Change& change) { return change.part.total_ns > 0; });
  if (has_inclusive) {
    MeasureInclusive(subjects.inclusive, self, settings, result.changes);
  }
  return result;
}

void SortByImportance(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    if (IsSlower(a) != IsSlower(b)) return IsSlower(a);
    const double cost = std::fabs(CostOf(a)) - std::fabs(CostOf(b));
    return cost != 0 ? cost > 0 : a.outcome.share > b.outcome.share;
  });
}

}  // namespace gprofx::compare
