#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "cli/ci/history.h"
#include "core/compare/unit.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr double kLevel = 0.01;  // probability of a false change in a history without changes
// Smaller times of functions count as this one: log(0) does not exist, and they are noise.
constexpr double kMinNs = 1;

using compare::Piece;
using compare::Unit;
using compare::WorkDone;

// The runs of each version, measured per run or per step (compare::Unit).
using Pieces = std::vector<std::vector<Piece>>;

Unit UnitOf(const std::vector<HistoryVersion>& versions) {
  for (const HistoryVersion& version : versions) {
    const auto choice = compare::ChooseUnit(versions.front().runs, version.runs);
    if (choice.unit == Unit::kRun) return Unit::kRun;
  }
  return Unit::kStep;
}

std::vector<double> Means(const Pieces& versions, double (*of)(const Piece&)) {
  std::vector<double> means;
  for (const std::vector<Piece>& pieces : versions) {
    double sum = 0;
    for (const Piece& piece : pieces) sum += of(piece);
    means.push_back(sum / static_cast<double>(pieces.size()));
  }
  return means;
}

double TotalOf(const Piece& piece) { return piece.work->total_ns / piece.units; }
double GpuOf(const Piece& piece) { return piece.work->gpu_ns / piece.units; }
double WholeOf(const Piece& piece) { return piece.unit_ns > 0 ? piece.unit_ns : TotalOf(piece); }

// Appends the series of functions or of kernels (`parts` selects which) to `out`.
void AddParts(const Pieces& versions, compare::Parts WorkDone::*parts,
              const std::vector<double>& whole, std::vector<HistorySeries>& out) {
  std::map<std::string, HistorySeries> all;
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto runs = static_cast<double>(versions[i].size());
    for (const Piece& piece : versions[i]) {
      for (const auto& [key, part] : piece.work->*parts) {
        HistorySeries& series = all[key];
        series.name = part.name;
        series.kind = KindWord(part.kind, part.name);
        series.ns.resize(versions.size());
        series.ns[i] += part.ns / piece.units / runs;
      }
    }
  }
  for (auto& [key, series] : all) {
    bool everywhere = true;
    for (size_t i = 0; i < versions.size(); ++i) {
      everywhere = everywhere && series.ns[i] > 0;
      if (whole[i] > 0) series.share = std::max(series.share, series.ns[i] / whole[i]);
    }
    if (everywhere) out.push_back(std::move(series));
  }
}

}  // namespace

bool HistoryIsOfSteps(const std::vector<HistoryVersion>& versions) {
  return !versions.empty() && UnitOf(versions) == Unit::kStep;
}

size_t MeasuredBefore(const HistorySeries& series, size_t at) {
  size_t before = at;
  while (before > 0 && (before == at || std::isnan(series.ns[before]))) --before;
  return before;
}

void FindChanges(std::vector<HistorySeries>& all) {
  for (HistorySeries& series : all) {
    // Times of benchmarks are exact and positive, also those below 1 ns.
    const double least = series.kind == kBenchmark ? 0 : kMinNs;
    std::vector<double> logs;
    std::vector<size_t> at;  // index of the version of each value
    for (size_t i = 0; i < series.ns.size(); ++i) {
      if (std::isnan(series.ns[i])) continue;
      logs.push_back(std::log(std::max(series.ns[i], least)));
      at.push_back(i);
    }
    const auto looked_at = static_cast<double>(all.size());
    series.changes = compare::FindChangePoints(logs, kLevel / looked_at);
    for (compare::ChangePoint& point : series.changes) {
      point.p = std::min(1.0, point.p * looked_at);
      point.at = at[point.at];
    }
  }
}

std::vector<HistorySeries> HistoryOf(const std::vector<HistoryVersion>& versions, size_t most) {
  std::vector<HistorySeries> all(1);
  if (versions.empty()) return all;
  const Unit unit = UnitOf(versions);
  Pieces pieces;
  for (const HistoryVersion& version : versions) {
    pieces.push_back(compare::PiecesOf(version.runs, unit));
  }
  all[0].share = 1;
  all[0].ns = Means(pieces, &WholeOf);
  std::vector<HistorySeries> parts;
  AddParts(pieces, &WorkDone::functions, Means(pieces, &TotalOf), parts);
  AddParts(pieces, &WorkDone::kernels, Means(pieces, &GpuOf), parts);
  std::stable_sort(parts.begin(), parts.end(), [](const HistorySeries& a, const HistorySeries& b) {
    return a.share > b.share;
  });
  for (size_t i = 0; i < std::min(most, parts.size()); ++i) all.push_back(std::move(parts[i]));
  FindChanges(all);
  return all;
}

}  // namespace gprofx
