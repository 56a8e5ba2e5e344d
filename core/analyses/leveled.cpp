#include "core/analyses/leveled.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "core/analyses/parts.h"
#include "core/analyses/step_time.h"
#include "core/base/format.h"
#include "core/base/quantile.h"
#include "core/base/student.h"
#include "core/cost/own_cost_figures.h"
#include "core/slice/choose_part.h"

namespace gprofx::analyses {
namespace {

constexpr const char* kSets[] = {"M", "ML", "MLK", "MLKI", "default"};
constexpr const char* kDefault = "default";
// Two overheads agree if they differ by at most this fraction of a step.
constexpr double kAgree = 0.03;
constexpr double kSameOnGpu = 0.01;  // GPU times are equal up to this relative difference
constexpr size_t kMinPairs = 4;      // minimum number of pairs for a confidence interval
constexpr double kMillion = 1e6;

struct Run {
  size_t set = 0;
  int64_t repeat = 0;
  double wall_ns = 0, steps = 0;
  std::optional<double> step_ns, gpu_ns, own, own_low, own_high;
};

struct Difference {
  std::optional<double> mean_ns;  // nullopt: there is nothing to compare
  std::optional<double> half_width_ns;
};

std::optional<double> Number(const AnalysisCell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

AnalysisCell Ns(const std::optional<double>& ns) {
  return ns ? AnalysisCell(int64_t{std::llround(*ns)}) : AnalysisCell();
}

std::optional<size_t> SetOf(std::string_view name) {
  const auto found = std::find(std::begin(kSets), std::end(kSets), name);
  if (found == std::end(kSets)) return std::nullopt;
  return static_cast<size_t>(found - std::begin(kSets));
}

// Splits a label such as "MLK.3" into the set MLK and the repeat number 3; nullopt for other
// labels.
std::optional<std::pair<std::string, int64_t>> ParseLabel(const std::string& label) {
  const size_t mark = label.rfind('.');
  if (mark == std::string::npos) return std::nullopt;
  int64_t repeat = 0;
  const char* end = label.data() + label.size();
  const auto read = std::from_chars(label.data() + mark + 1, end, repeat);
  if (read.ec != std::errc() || read.ptr != end || !SetOf(label.substr(0, mark)))
    return std::nullopt;
  return std::pair{label.substr(0, mark), repeat};
}

std::vector<Run> RunsOf(const Analysis& joined) {
  std::vector<Run> runs;
  for (const auto& row : joined.rows) {
    Run run;
    run.set = *SetOf(std::get<std::string>(row[0]));
    run.repeat = std::get<int64_t>(row[1]);
    run.wall_ns = Number(row[2]).value_or(0);
    run.steps = Number(row[3]).value_or(0);
    run.step_ns = Number(row[4]);
    run.gpu_ns = Number(row[5]);
    run.own = Number(row[6]);
    run.own_low = Number(row[7]);
    run.own_high = Number(row[8]);
    runs.push_back(run);
  }
  return runs;
}

template <class Field>
std::optional<double> Mean(const std::vector<const Run*>& runs, Field field) {
  double sum = 0;
  for (const Run* run : runs) {
    const std::optional<double> value = field(*run);
    if (!value) return std::nullopt;
    sum += *value;
  }
  if (runs.empty()) return std::nullopt;
  return sum / static_cast<double>(runs.size());
}

// Compares the runs of two sets in pairs with the same repeat number. `length` returns the value of
// a run to compare.
template <class Length>
Difference Compare(const std::vector<const Run*>& before, const std::vector<const Run*>& after,
                   Length length) {
  std::vector<double> pairs;
  for (const Run* one : before) {
    for (const Run* other : after) {
      if (one->repeat == other->repeat) pairs.push_back(length(*other) - length(*one));
    }
  }
  if (pairs.empty()) return {};
  const auto n = static_cast<double>(pairs.size());
  Difference out;
  const double mean = std::accumulate(pairs.begin(), pairs.end(), 0.0) / n;
  out.mean_ns = mean;
  if (pairs.size() < kMinPairs) return out;
  double squares = 0;
  for (const double pair : pairs) squares += (pair - mean) * (pair - mean);
  out.half_width_ns = std::sqrt(squares / (n * (n - 1))) * StudentQuantile(n - 1, 0.975);
  return out;
}

class RunsBySet {
 public:
  explicit RunsBySet(std::vector<Run> runs) : runs_(std::move(runs)) {
    std::vector<double> counts;
    for (const Run& run : runs_) {
      sets_[run.set].push_back(&run);
      if (run.steps > 0) counts.push_back(run.steps);
    }
    steps_ = Median(counts);
  }

  const std::map<size_t, std::vector<const Run*>>& sets() const { return sets_; }
  double steps() const { return steps_; }

  // True if step times of both sets can be compared, because all their runs have steps. Otherwise
  // whole runs are compared, including their start-up.
  bool BySteps(size_t one, size_t other) const {
    const auto known = [](const Run* run) { return run->step_ns.has_value(); };
    const auto& a = sets_.at(one);
    const auto& b = sets_.at(other);
    return std::all_of(a.begin(), a.end(), known) && std::all_of(b.begin(), b.end(), known);
  }

  Difference Added(size_t before, size_t after) const {
    const bool by_steps = BySteps(before, after);
    const double share = steps_ > 0 ? steps_ : 1;
    return Compare(sets_.at(before), sets_.at(after),
                   [&](const Run& run) { return by_steps ? *run.step_ns : run.wall_ns / share; });
  }

  // Returns the mean step time of a set in ns. If its runs have no steps, returns the length of a
  // whole run divided by the number of steps.
  double StepOf(size_t set) const {
    const auto& runs = sets_.at(set);
    const auto step = Mean(runs, [](const Run& run) { return run.step_ns; });
    if (step) return *step;
    const auto wall = Mean(runs, [](const Run& run) { return std::optional(run.wall_ns); });
    return *wall / (steps_ > 0 ? steps_ : 1);
  }

 private:
  std::vector<Run> runs_;
  std::map<size_t, std::vector<const Run*>> sets_;
  double steps_ = 0;
};

std::string Ratio(double value) { return Format("%.3f", value); }

// Adds a note that compares two values of the overhead of the default set: what its runs measured
// themselves, and the difference from the runs that record least.
void NoteAgreement(const RunsBySet& levels, Analysis& out) {
  const size_t last = *SetOf(kDefault);
  if (levels.sets().size() < 2 || !levels.sets().contains(last)) return;
  const size_t first = levels.sets().begin()->first;
  const auto& runs = levels.sets().at(last);
  const auto own = Mean(runs, [](const Run& run) { return run.own; });
  const Difference added = levels.Added(first, last);
  const double bare = levels.StepOf(first);
  if (!own || !added.mean_ns || bare <= 0) {
    out.notes.push_back("the default runs have no measured cost to compare with");
    return;
  }
  const double ratio = 1 + *added.mean_ns / bare;
  std::string note =
      "default: " + Ratio(*own) + " by its own measure, " + Ratio(ratio) + " by the runs; ";
  const double width = added.half_width_ns.value_or(bare) / bare;
  if (std::abs(*own - ratio) <= kAgree) {
    note += "they agree within 3% of a step";
  } else if (width <= kAgree) {
    note += "trust the runs, whose interval is narrow";
  } else {
    note += "trust its own measure: the runs differ from each other by more";
  }
  out.notes.push_back(std::move(note));
}

// Adds a note that says whether all sets have the same GPU time. Recording on the host can change
// it only through the clock frequency.
void NoteGpuTime(const RunsBySet& levels, Analysis& out) {
  std::optional<double> least, most;
  for (const auto& [set, runs] : levels.sets()) {
    const auto gpu = Mean(runs, [](const Run& run) { return run.gpu_ns; });
    if (!gpu || *gpu <= 0) continue;
    least = std::min(least.value_or(*gpu), *gpu);
    most = std::max(most.value_or(*gpu), *gpu);
  }
  if (!least || *most <= *least * (1 + kSameOnGpu)) return;
  out.notes.push_back("GPU time of a step differs by " +
                      std::to_string(std::llround((*most / *least - 1) * 100)) +
                      "% between the sets: the clock or the work differed");
}

}  // namespace

void LeveledRun(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"level", "level"},
                 {"repeat", "run", CellUnit::kCount},
                 {"wall_ns", "wall", CellUnit::kNs},
                 {"steps", "steps", CellUnit::kCount},
                 {"step_ns", "step", CellUnit::kNs},
                 {"gpu_ns", "GPU time", CellUnit::kNs},
                 {"own_ratio", "own cost", CellUnit::kNumber},
                 {"own_low", "low", CellUnit::kNumber, false},
                 {"own_high", "high", CellUnit::kNumber, false}};
  const auto label = ParseLabel(context.label);
  if (!label) {
    out.reason = "this is not a run of gprof-x record --levels";
    return;
  }
  const std::vector<int64_t> lengths = StepLengths(context);
  AnalysisCell step, gpu, own, low, high;
  if (!lengths.empty()) {
    step = int64_t{std::llround(StepTimeOf(lengths).mean_ns)};
    if (context.has_gpu) gpu = context.PerStep(context.gpu_ns);
  }
  if (const OwnCostFigures cost = OwnCostFiguresOf(context.profile);
      cost.state == OwnCostState::kKnown) {
    const auto ratio = [](int64_t ppm) { return 1 + static_cast<double>(ppm) / kMillion; };
    own = ratio(cost.ppm);
    low = ratio(cost.low_ppm);
    high = ratio(cost.high_ppm);
  }
  out.rows.push_back({label->first, label->second, EndOfRecording(context.profile),
                      static_cast<int64_t>(lengths.size()), step, gpu, own, low, high});
  out.notes.emplace_back("this is one run; name the files of all runs");
}

void JoinLeveledRuns(Analysis& joined) {
  const RunsBySet levels(RunsOf(joined));
  joined.columns = {{"level", "level"},
                    {"runs", "runs", CellUnit::kCount},
                    {"wall_ns", "wall", CellUnit::kNs},
                    {"steps", "steps", CellUnit::kCount},
                    {"step_ns", "step", CellUnit::kNs},
                    {"added_ns", "added", CellUnit::kNs},
                    {"low_ns", "low", CellUnit::kNs},
                    {"high_ns", "high", CellUnit::kNs},
                    {"added_share", "%added", CellUnit::kShare},
                    {"own_ratio", "own cost", CellUnit::kNumber, false},
                    {"gpu_ns", "GPU time", CellUnit::kNs, false}};
  joined.rows.clear();
  joined.notes.clear();
  const size_t first = levels.sets().empty() ? 0 : levels.sets().begin()->first;
  bool whole_runs = false;
  std::optional<size_t> before;
  for (const auto& [set, runs] : levels.sets()) {
    // Each set records what the set before it records and more, except the default set. Compare
    // that one with the first set.
    const bool is_default = kSets[set] == std::string_view(kDefault);
    const auto base = is_default && set != first ? std::optional(first) : before;
    const Difference added = base ? levels.Added(*base, set) : Difference();
    whole_runs = whole_runs || (base && !levels.BySteps(*base, set));
    AnalysisCell low, high, share;
    if (added.half_width_ns) {
      low = Ns(*added.mean_ns - *added.half_width_ns);
      high = Ns(*added.mean_ns + *added.half_width_ns);
    }
    if (added.mean_ns && levels.StepOf(*base) > 0) share = *added.mean_ns / levels.StepOf(*base);
    const auto own = Mean(runs, [](const Run& run) { return run.own; });
    joined.rows.push_back(
        {std::string(kSets[set]), static_cast<int64_t>(runs.size()),
         Ns(Mean(runs, [](const Run& run) { return std::optional(run.wall_ns); })),
         Ns(Mean(runs, [](const Run& run) { return std::optional(run.steps); })),
         Ns(Mean(runs, [](const Run& run) { return run.step_ns; })), Ns(added.mean_ns), low, high,
         share, own ? AnalysisCell(*own) : AnalysisCell(),
         Ns(Mean(runs, [](const Run& run) { return run.gpu_ns; }))});
    before = set;
  }
  joined.notes.emplace_back(
      "added: time added to a step, compared with the previous set (default: with the first), in "
      "pairs of runs with the same number, with its 95% interval");
  if (whole_runs) {
    joined.notes.emplace_back(levels.steps() > 0
                                  ? "if a set has no steps of its own, whole runs are compared and "
                                    "divided by the steps of the others; start-up is included"
                                  : "no steps were found, so added is per run");
  }
  NoteAgreement(levels, joined);
  NoteGpuTime(levels, joined);
}

}  // namespace gprofx::analyses
