#include "core/compare/renamed.h"

#include <algorithm>
#include <string>

namespace gprofx::compare {
namespace {

using Number = double Part::*;

const Part* PartOf(const Piece& piece, Parts WorkDone::*parts, const std::string& key) {
  const auto found = (piece.work->*parts).find(key);
  return found == (piece.work->*parts).end() ? nullptr : &found->second;
}

// The key in the base: that of the old name, where there is one.
const std::string& KeyInBase(const Change& change, const std::vector<Change>& changes) {
  if (change.fate != Change::kRenamed) return change.key;
  const auto found = std::find_if(changes.begin(), changes.end(), [&](const Change& other) {
    return other.fate == Change::kGone && other.part.name == change.other &&
           other.part.kind == change.part.kind && other.part.file == change.part.file &&
           other.part.module == change.part.module;
  });
  return found == changes.end() ? change.key : found->key;
}

// All parts, as what all of them did is told apart from what one did (compare.h).
std::vector<Outcome> OutcomesOf(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                                const Settings& settings, const std::vector<Change>& changes,
                                Number ns, Number samples) {
  std::vector<Series> all;
  for (const Change& change : changes) {
    Series& series = all.emplace_back();
    double sampled = 0;
    const auto fill = [&](const std::vector<Piece>& side, const std::string& key,
                          std::vector<double>& values, std::vector<double>& counts,
                          std::vector<double>& errors) {
      for (const Piece& piece : side) {
        const Part* part = PartOf(piece, parts, key);
        values.push_back(part == nullptr ? 0 : part->*ns / piece.units);
        counts.push_back(part == nullptr ? 0 : part->*samples);
        errors.push_back(part == nullptr ? 0 : part->relative_error);
        sampled += counts.back();
      }
    };
    fill(sides.base, KeyInBase(change, changes), series.base, series.base_samples,
         series.base_error);
    fill(sides.head, change.key, series.head, series.head_samples, series.head_error);
    if (sampled == 0) series.base_samples = series.head_samples = {};
  }
  return Compare(total, all, settings).subjects;
}

}  // namespace

void MeasureNew(const Sides& sides, Parts WorkDone::*parts, const Series& total,
                const Settings& settings, std::vector<Change>& changes) {
  bool renamed = false, inclusive = false;
  for (Change& change : changes) {
    renamed = renamed || change.fate == Change::kRenamed;
    inclusive = inclusive || change.part.total_ns > 0;
    if (change.fate != Change::kNew && change.fate != Change::kRenamed) continue;
    change.in_every_head_run =
        std::all_of(sides.head.begin(), sides.head.end(), [&](const Piece& piece) {
          const Part* part = PartOf(piece, parts, change.key);
          return part != nullptr && (part->ns > 0 || part->total_ns > 0);
        });
  }
  if (!renamed) return;
  const auto measure = [&](Number ns, Number samples, Outcome Change::*to) {
    const std::vector<Outcome> outcomes =
        OutcomesOf(sides, parts, total, settings, changes, ns, samples);
    for (size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].fate == Change::kRenamed) changes[i].*to = outcomes[i];
    }
  };
  measure(&Part::ns, &Part::samples, &Change::from_other);
  if (inclusive) {
    measure(&Part::total_ns, &Part::total_samples, &Change::inclusive_from_other);
  }
}

}  // namespace gprofx::compare
