#include "core/compare/diff.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace gprofx::compare {
namespace {

constexpr double kMostLost = 0.05;    // of the measured time of a run
constexpr double kSameTime = 0.2;     // of a renamed function, as a part of it
constexpr double kCompensated = 0.8;  // of what some functions take longer, others give
constexpr double kLeastGiven = 0.5;   // likewise, where it cannot be told from all of it
constexpr double kClear = 2;          // standard errors
constexpr double kMayGive = 0.5;      // rate of false discoveries of those that give

using Facts = std::map<std::string, std::string> Run::*;

// The values of a fact over the runs of a side: one, or several joined.
std::string ValueOf(std::span<const Run> runs, Facts facts, const std::string& name) {
  std::set<std::string> values;
  for (const Run& run : runs) {
    const auto found = (run.*facts).find(name);
    values.insert(found == (run.*facts).end() ? "unknown" : found->second);
  }
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " / ") + value;
  return text;
}

std::set<std::string> NamesOf(std::span<const Run> base, std::span<const Run> head, Facts facts) {
  std::set<std::string> names;
  for (const auto side : {base, head}) {
    for (const Run& run : side) {
      for (const auto& [name, value] : run.*facts) names.insert(name);
    }
  }
  return names;
}

void AddUnequal(std::span<const Run> base, std::span<const Run> head, Facts facts,
                Obstacle::Kind kind, std::vector<Obstacle>& list) {
  for (const std::string& name : NamesOf(base, head, facts)) {
    const std::string in_base = ValueOf(base, facts, name), in_head = ValueOf(head, facts, name);
    if (in_base != in_head || in_base.find(" / ") != std::string::npos) {
      list.push_back({kind, name, in_base, in_head});
    }
  }
}

std::string Percent(double part) {
  return std::to_string(static_cast<int>(std::lround(100 * part))) + "%";
}

void AddQuality(std::span<const Run> runs, bool is_head, std::vector<Obstacle>& list) {
  const auto add = [&](Obstacle::Kind kind, const std::string& what, const std::string& value) {
    list.push_back({kind, what, is_head ? "" : value, is_head ? value : ""});
  };
  size_t unfinished = 0;
  double most_lost = 0;
  for (const Run& run : runs) {
    unfinished += run.complete ? 0 : 1;
    if (run.measured_ns > 0) {
      most_lost = std::max(most_lost, 1 - run.accounted_ns / run.measured_ns);
    }
  }
  if (unfinished > 0) add(Obstacle::kIncomplete, "unfinished", std::to_string(unfinished));
  if (most_lost > kMostLost) add(Obstacle::kLost, "lost", Percent(most_lost));
}

// Of all runs of a side, where they agree.
std::optional<int64_t> CountOf(std::span<const Run> runs, const std::string& name) {
  std::optional<int64_t> all;
  for (const Run& run : runs) {
    const auto found = run.counts.find(name);
    const int64_t count = found == run.counts.end() ? 0 : found->second;
    if (all && *all != count) return std::nullopt;
    all = count;
  }
  return all;
}

void CompareCounts(std::span<const Run> base, std::span<const Run> head, Diff& diff) {
  std::set<std::string> names;
  for (const auto side : {base, head}) {
    for (const Run& run : side) {
      for (const auto& [name, count] : run.counts) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    const auto in_base = CountOf(base, name), in_head = CountOf(head, name);
    if (!in_base || !in_head) {
      ++diff.counts_varying;
    } else if (*in_base == *in_head) {
      ++diff.counts_equal;
    } else {
      diff.counts.push_back({name, *in_base, *in_head});
    }
  }
  const auto size = [](const CountChange& change) {
    return std::fabs(static_cast<double>(change.head) - static_cast<double>(change.base)) /
           static_cast<double>(std::max<int64_t>({change.base, change.head, 1}));
  };
  std::stable_sort(diff.counts.begin(), diff.counts.end(),
                   [&](const CountChange& a, const CountChange& b) { return size(a) > size(b); });
}

struct Subjects {
  std::vector<Change> changes;
  std::vector<Series> series;  // in the same order
};

Subjects Collect(std::span<const Run> base, std::span<const Run> head, Parts Run::*parts) {
  std::map<std::string, Change> all;
  for (const auto side : {base, head}) {  // the head names it
    for (const Run& run : side) {
      for (const auto& [key, part] : run.*parts) all[key].part = part;
    }
  }
  Subjects subjects;
  for (auto& [key, change] : all) {
    Series series;
    bool sampled = false;
    const auto fill = [&, &name = key](std::span<const Run> runs, std::vector<double>& values,
                                       std::vector<double>& samples) {
      double sum = 0;
      for (const Run& run : runs) {
        const auto found = (run.*parts).find(name);
        const bool there = found != (run.*parts).end();
        values.push_back(there ? found->second.ns : 0);
        samples.push_back(there ? found->second.samples : 0);
        sum += values.back();
        sampled = sampled || samples.back() > 0;
      }
      return sum;
    };
    const double in_base = fill(base, series.base, series.base_samples);
    const double in_head = fill(head, series.head, series.head_samples);
    if (!sampled) series.base_samples = series.head_samples = {};
    if (in_base == 0) change.fate = Change::kNew;
    if (in_head == 0) change.fate = Change::kGone;
    subjects.changes.push_back(std::move(change));
    subjects.series.push_back(std::move(series));
  }
  return subjects;
}

Series TotalOf(std::span<const Run> base, std::span<const Run> head, double Run::*total) {
  Series series;
  for (const Run& run : base) series.base.push_back(run.*total);
  for (const Run& run : head) series.head.push_back(run.*total);
  return series;
}

// What is gone under one name and new under another.
void FindRenamed(std::vector<Change>& changes) {
  for (Change& made : changes) {
    if (made.fate != Change::kNew || made.outcome.share <= 0) continue;
    for (Change& gone : changes) {
      if (gone.fate != Change::kGone || gone.part.kind != made.part.kind ||
          gone.part.file != made.part.file || gone.part.module != made.part.module) {
        continue;
      }
      if (std::fabs(gone.outcome.base - made.outcome.head) > kSameTime * made.outcome.head) {
        continue;
      }
      made.fate = Change::kRenamed;
      made.other = gone.part.name;
      made.outcome.base = gone.outcome.base;
      gone.outcome.share = 0;  // it is told there
      break;
    }
  }
}

// Is it enough to stand against what others take? Less is asked than of a change that is reported:
// a regression that is none does more harm than one that is called moved.
bool MayGive(const Change& change) {
  if (change.fate != Change::kThere) return change.outcome.head < change.outcome.base;
  return change.outcome.tested && change.outcome.estimate.effect < 0 &&
         change.outcome.rate <= kMayGive;
}

bool Takes(const Change& change) {
  if (change.fate != Change::kThere) return change.outcome.head > change.outcome.base;
  return change.outcome.verdict == Verdict::kRegression;
}

// Time that is taken or given, and how uncertain it is.
struct Sum {
  double time = 0, variance = 0;

  void Add(const Outcome& outcome) {
    time += std::fabs(outcome.head - outcome.base);
    const double error = outcome.tested ? outcome.estimate.error * outcome.base : 0;
    variance += error * error;
  }
};

// Where the whole is no slower, what some give pays for what others take, unless it is clearly
// less.
void FindMoved(std::vector<Change>& changes, const Outcome& total) {
  Sum taken, given;
  for (Change& change : changes) {
    change.moved = false;
    if (Takes(change)) taken.Add(change.outcome);
    if (MayGive(change)) given.Add(change.outcome);
  }
  const double rest = taken.time - given.time;
  const bool is_clear = given.time < kLeastGiven * taken.time ||
                        rest > kClear * std::sqrt(taken.variance + given.variance);
  if (total.verdict == Verdict::kRegression || taken.time <= 0 ||
      (is_clear && given.time < kCompensated * taken.time)) {
    return;
  }
  for (Change& change : changes) {
    change.moved = change.outcome.verdict == Verdict::kRegression;
  }
}

int Importance(const Change& change) {
  if (change.outcome.verdict == Verdict::kRegression) return change.moved ? 3 : 4;
  return change.outcome.verdict == Verdict::kImprovement ? 2 : 0;
}

void SortByImportance(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    const int x = Importance(a), y = Importance(b);
    if (x != y) return x > y;
    return std::fabs(a.outcome.head - a.outcome.base) > std::fabs(b.outcome.head - b.outcome.base);
  });
}

std::vector<Change> CompareParts(const Series& total, Subjects subjects, const Settings& settings,
                                 Outcome& of_total, double& global) {
  const Comparison comparison = Compare(total, subjects.series, settings);
  of_total = comparison.total;
  global = comparison.global;
  std::vector<Change>& changes = subjects.changes;
  for (size_t i = 0; i < changes.size(); ++i) changes[i].outcome = comparison.subjects[i];
  FindRenamed(changes);
  return std::move(changes);
}

bool Has(const Diff& diff, Verdict verdict) {
  const auto is = [&](const Change& change) {
    return change.outcome.verdict == verdict && !change.moved;
  };
  return diff.total.verdict == verdict || diff.gpu_total.verdict == verdict ||
         std::any_of(diff.functions.begin(), diff.functions.end(), is) ||
         std::any_of(diff.kernels.begin(), diff.kernels.end(), is);
}

Verdict VerdictOf(const Diff& diff) {
  if (!diff.obstacles.empty()) return Verdict::kInconclusive;
  for (const Verdict verdict : {Verdict::kRegression, Verdict::kImprovement}) {
    if (Has(diff, verdict)) return verdict;
  }
  return diff.total.verdict;
}

}  // namespace

void Judge(Diff& diff) {
  FindMoved(diff.functions, diff.total);
  FindMoved(diff.kernels, diff.gpu_total);
  SortByImportance(diff.functions);
  SortByImportance(diff.kernels);
  diff.verdict = VerdictOf(diff);
}

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings) {
  Diff diff;
  diff.base_runs = base.size();
  diff.head_runs = head.size();
  if (base.empty() || head.empty()) return diff;
  Settings used = settings;
  used.paired = settings.paired && base.size() == head.size();
  diff.paired = used.paired;
  diff.metric = head.front().metric;
  AddUnequal(base, head, &Run::machine, Obstacle::kMachine, diff.obstacles);
  AddUnequal(base, head, &Run::workload, Obstacle::kWorkload, diff.differences);
  AddQuality(base, false, diff.obstacles);
  AddQuality(head, true, diff.obstacles);
  CompareCounts(base, head, diff);
  diff.functions =
      CompareParts(TotalOf(base, head, &Run::total_ns), Collect(base, head, &Run::functions), used,
                   diff.total, diff.global);
  if (base.front().gpu_ns > 0 && head.front().gpu_ns > 0) {
    diff.kernels =
        CompareParts(TotalOf(base, head, &Run::gpu_ns), Collect(base, head, &Run::kernels), used,
                     diff.gpu_total, diff.gpu_global);
  }
  Judge(diff);
  return diff;
}

}  // namespace gprofx::compare
