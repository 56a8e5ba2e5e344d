#include "core/findings/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <utility>

#include "core/analyses/shown.h"
#include "core/base/arithmetic.h"
#include "core/base/in_background.h"
#include "core/findings/rules.h"

namespace gprofx::findings {
namespace {

// Returns the mean step time. `base` is the length of the replay, which ends when the GPU has done
// its work; the host may have finished its steps earlier.
int64_t StepOf(const Scene& scene, int64_t base) { return base / scene.Steps(); }

// Maximum number of operations for which two replays run at once: a replay takes hundreds of bytes
// per operation.
constexpr size_t kMaxForTwo = 4'000'000;

// Computes what each candidate saves in addition to the findings before it.
class Ranking {
 public:
  explicit Ranking(const Scene& scene) : scene_(scene), gone_(scene.replay.Unchanged()) {
    scene.replay.Apply(RecordingCost(scene), gone_);
    base_ = length_ = scene.replay.Length(gone_, trials_[0].room);
  }

  int64_t base() const { return base_; }  // length of the replay without the cost of recording

  // Adds the candidates of a rule to the findings, in order of their savings, largest first. Leaves
  // out candidates that save too little.
  void Take(const FindingRule& rule, const Candidates& candidates) {
    const std::vector<int64_t> alone = GainsAlone(candidates);
    std::vector<size_t> order;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (IsEnough(alone[i])) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return alone[a] > alone[b]; });
    for (const size_t i : order) {
      const int64_t gain = i == order.front() ? alone[i] : Gain(candidates, i, trials_.front());
      if (!IsEnough(gain)) continue;
      Keep(candidates, i);
      length_ -= gain;
      rows_.push_back(Row(rule, candidates[i], gain));
    }
  }

  std::vector<Inefficiency> Rows() && {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Inefficiency& a, const Inefficiency& b) {
      return a.saving_ns > b.saving_ns;
    });
    return std::move(rows_);
  }

 private:
  // Returns an upper bound of the gain: a replay cannot gain more than its cure removes.
  int64_t AtMost(const Cure& cure) const {
    int64_t ns = 0;
    for (const ClassShare& part : cure.classes) {
      const auto whole = static_cast<double>(scene_.line.classes[part.of].ns);
      ns += static_cast<int64_t>(std::min(part.share, 1.0) * whole);
    }
    for (const Cure::Time& host : cure.host) ns += host.ns;
    for (const uint32_t call : cure.calls) {
      ns += scene_.line.calls[call].end - scene_.line.calls[call].begin;
    }
    for (const Cure::Time& op : cure.ops) {
      ns += scene_.line.ops[op.at].duration() - std::max<int64_t>(op.ns, 0);
    }
    return ns;
  }

  struct Trial {
    static constexpr size_t kNone = SIZE_MAX;
    LineReplay::Models models;
    ReplayTimes room;
    size_t of = kNone;  // candidate whose cure `models` contains, in addition to gone_
  };

  int64_t Gain(const Candidates& candidates, size_t i, Trial& trial) const {
    trial.models = gone_;
    trial.of = i;
    scene_.replay.Apply(candidates[i].cure, trial.models);
    return length_ - scene_.replay.Length(trial.models, trial.room);
  }

  // Returns what each candidate alone gains in addition to the cures already applied; 0 if AtMost()
  // is too small. Most of the work is replays. Those of one rule are independent and run on two
  // threads.
  std::vector<int64_t> GainsAlone(const Candidates& candidates) {
    std::vector<int64_t> gains(candidates.size());
    for (Trial& trial : trials_) trial.of = Trial::kNone;
    std::vector<size_t> tried;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (AtMost(candidates[i].cure) >= scene_.Floor()) tried.push_back(i);
    }
    const auto gain = [&](size_t first, Trial& trial) {
      for (size_t k = first; k < tried.size(); k += trials_.size()) {
        gains[tried[k]] = Gain(candidates, tried[k], trial);
      }
    };
    std::future<void> others;
    const bool both = tried.size() > 1 && scene_.line.ops.size() <= kMaxForTwo;
    if (both) others = InBackground([&] { gain(1, trials_[1]); });
    gain(0, trials_[0]);
    both ? others.get() : gain(1, trials_[0]);
    return gains;
  }

  void Keep(const Candidates& candidates, size_t i) {
    const auto trial = std::find_if(trials_.begin(), trials_.end(),
                                    [=](const Trial& each) { return each.of == i; });
    if (trial != trials_.end()) {
      std::swap(gone_, trial->models);
    } else {
      scene_.replay.Apply(candidates[i].cure, gone_);
    }
    for (Trial& each : trials_) each.of = Trial::kNone;
  }

  double ShareOf(int64_t gain) const {
    const int64_t whole = std::max<int64_t>(base_, 1);
    return static_cast<double>(gain) / static_cast<double>(whole);
  }
  bool IsEnough(int64_t gain) const { return ShareOf(gain) >= kFindingFloor; }

  Inefficiency Row(const FindingRule& rule, const Candidate& candidate, int64_t gain) const {
    Inefficiency row;
    row.rule = &rule;
    row.node = candidate.node;
    const Place place = PlaceOf(scene_.profile, candidate.line);
    row.function = place.function;
    row.file = place.file;
    row.line = place.line;
    row.share = ShareOf(gain);
    row.saving_ns = std::llround(row.share * static_cast<double>(StepOf(scene_, base_)));
    row.summary = candidate.summary;
    row.evidence = candidate.evidence;
    row.computed = "The recorded calls and GPU work were replayed " + candidate.computed + ".";
    return row;
  }

  const Scene& scene_;
  LineReplay::Models gone_;
  std::array<Trial, 2> trials_;
  int64_t base_ = 0, length_ = 0;
  std::vector<Inefficiency> rows_;
};

// Returns the warm-up steps if they took more than half of the time of all steps; otherwise an
// empty result. This happens if a program becomes faster for good, for example because its threads
// stop hindering each other. The slower steps then look like a warm-up.
WarmUpLeftOut MostlyWarmUp(const Profile& profile) {
  WarmUpLeftOut out;
  const auto& trains = profile.phases.trains;
  if (!profile.part || profile.part->phase != PhaseKind::kSteady || trains.empty()) return out;
  double first_ns = 0, all_ns = 0;
  const std::vector<TimeRange>& steps = trains[0].steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto ns = static_cast<double>(SubtractSaturated(steps[i].end, steps[i].begin));
    if (i < trains[0].warm_up) first_ns += ns;
    all_ns += ns;
  }
  if (2 * first_ns <= all_ns) return out;
  out.steps = trains[0].warm_up;
  out.step_ns = std::llround(first_ns / static_cast<double>(out.steps));
  out.share = first_ns / all_ns;
  return out;
}

}  // namespace

FindingReport FindInefficiencies(const analyses::AnalysisContext& context,
                                 const FindingEvents& events) {
  FindingReport report;
  report.warm_up = MostlyWarmUp(context.profile);
  if (!context.has_gpu) {
    report.reason = "no GPU work is " + analyses::InWhatIsShown(context.profile);
    return report;
  }
  const Scene scene(context, events);
  report.steps = scene.line.steps;
  if (scene.line.ops.empty() || scene.line.length_ns <= 0) {
    report.reason = "no launched GPU work is in the shown range";
    return report;
  }
  report.has_collectives = std::any_of(scene.line.ops.begin(), scene.line.ops.end(),
                                       [](const LineOp& op) { return op.communication; });
  Ranking ranking(scene);
  report.step_ns = StepOf(scene, ranking.base());
  report.host_step_ns = scene.line.step_ns;
  report.recorded_step_ns = StepOf(scene, scene.replay.base());
  const double busy = static_cast<double>(scene.line.busy_ns) /
                      static_cast<double>(std::max<int64_t>(ranking.base(), 1));
  report.idle_ns = std::llround(std::max(1 - busy, 0.0) * static_cast<double>(report.step_ns));
  const std::span<const FindingRule> rules = FindingRules();
  const std::span<const DetectorRow> rows = DetectorRows();
  // While the candidates of one detector are replayed, the next detector already runs.
  const auto find = [&](size_t i) { return InBackground([&, i] { return rows[i].find(scene); }); };
  std::future<Candidates> next = find(0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Candidates candidates = next.get();
    if (i + 1 < rows.size()) next = find(i + 1);
    ranking.Take(rules[i], candidates);
  }
  report.rows = std::move(ranking).Rows();
  return report;
}

}  // namespace gprofx::findings
