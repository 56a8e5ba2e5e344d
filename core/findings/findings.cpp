#include "core/findings/findings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analyses/shown.h"
#include "core/arithmetic.h"
#include "core/findings/rules.h"

namespace gprofx {
namespace {

// Mean, until the GPU has done its work: a host that runs ahead is done with a step much earlier.
int64_t StepOf(const Scene& scene, int64_t base) { return base / scene.Steps(); }

// What each saves beyond those before it.
class Ranking {
 public:
  explicit Ranking(const Scene& scene) : scene_(scene), gone_(scene.replay.Unchanged()) {
    scene.replay.Apply(RecordingCost(scene), gone_);
    base_ = length_ = scene.replay.Length(gone_, room_);
  }

  int64_t base() const { return base_; }  // without what the recording cost

  // Of one rule: the largest first.
  void Take(const FindingRule& rule, Candidates candidates) {
    std::vector<std::pair<int64_t, size_t>> order;
    size_t tried = candidates.size();  // whose models are in with_
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (AtMost(candidates[i].cure) < scene_.Floor()) continue;
      const int64_t gain = Gain(candidates[i].cure);
      tried = i;
      if (IsEnough(gain)) order.push_back({gain, i});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    bool is_first = true;
    for (const auto& [alone, i] : order) {
      const int64_t gain = is_first ? alone : Gain(candidates[i].cure);
      if (!is_first) tried = i;
      is_first = false;
      if (!IsEnough(gain)) continue;
      if (tried == i) {
        std::swap(gone_, with_);
      } else {
        scene_.replay.Apply(candidates[i].cure, gone_);
      }
      tried = candidates.size();  // with_ is not on top of gone_ any longer
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
  // No replay gains more than what goes.
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

  int64_t Gain(const Cure& cure) {
    with_ = gone_;
    scene_.replay.Apply(cure, with_);
    return length_ - scene_.replay.Length(with_, room_);
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
    row.computed = "The recorded calls and GPU work were replayed with " + candidate.computed + ".";
    return row;
  }

  const Scene& scene_;
  LineReplay::Models gone_, with_;
  ReplayTimes room_;
  int64_t base_ = 0, length_ = 0;
  std::vector<Inefficiency> rows_;
};

// A program that changes its pace for good, as one whose threads stop to be in each other's way,
// spends its time in what looks like a warm-up.
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

FindingReport FindInefficiencies(const AnalysisContext& context, const FindingEvents& events) {
  FindingReport report;
  report.warm_up = MostlyWarmUp(context.profile);
  if (!context.has_gpu) {
    report.reason = "no work of a GPU is " + InWhatIsShown(context.profile);
    return report;
  }
  const Scene scene(context, events);
  report.steps = scene.line.steps;
  if (scene.line.ops.empty() || scene.line.length_ns <= 0) {
    report.reason = "no launched work of a GPU is in what is shown";
    return report;
  }
  Ranking ranking(scene);
  report.step_ns = StepOf(scene, ranking.base());
  report.recorded_step_ns = StepOf(scene, scene.replay.base());
  const double busy = static_cast<double>(scene.line.busy_ns) /
                      static_cast<double>(std::max<int64_t>(ranking.base(), 1));
  report.idle_ns = std::llround(std::max(1 - busy, 0.0) * static_cast<double>(report.step_ns));
  const std::span<const FindingRule> rules = FindingRules();
  const std::span<const DetectorRow> rows = DetectorRows();
  for (size_t i = 0; i < rows.size(); ++i) ranking.Take(rules[i], rows[i].find(scene));
  report.rows = std::move(ranking).Rows();
  return report;
}

}  // namespace gprofx
