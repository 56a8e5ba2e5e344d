#include "core/compare/rules/gate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/compare/facts.h"

namespace gprofx::compare {
namespace {

constexpr double kMaxLost = 0.05;  // share of the measured time of a run
constexpr char kUnknown[] = "unknown";

using Member = Facts Run::*;

struct Values {
  std::set<std::string> all;
  bool unknown = false;  // some run does not have the fact

  std::string Text() const {
    std::string text = JoinedBy(all, " / ");
    if (unknown) text += (text.empty() ? "" : " / ") + std::string(kUnknown);
    return text;
  }
};

Values ValuesOf(std::span<const Run> runs, Member facts, const std::string& name) {
  Values values;
  for (const Run& run : runs) {
    const auto found = (run.*facts).find(name);
    if (found == (run.*facts).end()) {
      values.unknown = true;
    } else {
      values.all.insert(found->second);
    }
  }
  return values;
}

// Adds facts that are not equal in all runs to `list`. If `known` is true, adds facts whose values
// differ; a fact that only some runs know counts as different, unless MayBeUnknown(). If `known` is
// false, adds the other facts that only some runs know. Only facts for which is_asked(fact) is true
// are considered.
void AddUnequal(std::span<const Run> base, std::span<const Run> head, Member facts,
                Obstacle::Kind kind, bool known, bool (*is_asked)(const std::string& fact),
                std::vector<Obstacle>& list) {
  std::set<std::string> names;
  for (const auto side : {base, head}) {
    for (const Run& run : side) {
      for (const auto& [name, value] : run.*facts) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    if (!is_asked(name)) continue;
    const Values in_base = ValuesOf(base, facts, name), in_head = ValuesOf(head, facts, name);
    std::set<std::string> all = in_base.all;
    all.insert(in_head.all.begin(), in_head.all.end());
    const bool unknown = in_base.unknown || in_head.unknown;
    const bool differs = all.size() > 1 || (unknown && !MayBeUnknown(name));
    if (known ? differs : !differs && unknown) {
      list.push_back({kind, name, in_base.Text(), in_head.Text()});
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
  if (most_lost > kMaxLost) add(Obstacle::kLost, "lost", Percent(most_lost));
}

bool CountsAreExact(std::span<const Run> runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.counts_are_exact; });
}

// True if a recording occurs twice. Twice on one side, it is no repetition. On both sides, it
// cannot show a difference between the versions.
bool HaveOneTwice(std::span<const Run> base, std::span<const Run> head) {
  std::set<std::string> seen;
  for (const auto side : {base, head}) {
    for (const Run& run : side) {
      if (!run.recording.empty() && !seen.insert(run.recording).second) return true;
    }
  }
  return false;
}

bool Any(const std::string&) { return true; }

// True for the exit status, the only workload fact that prevents a comparison: a version that fails
// does less work, so it means nothing if it is faster.
bool IsExitStatus(const std::string& fact) { return fact == kExitStatus; }
bool IsNoExitStatus(const std::string& fact) { return !IsExitStatus(fact); }

}  // namespace

std::vector<Obstacle> Obstacles(std::span<const Run> base, std::span<const Run> head) {
  std::vector<Obstacle> list;
  AddUnequal(base, head, &Run::machine, Obstacle::kMachine, true, &Any, list);
  AddUnequal(base, head, &Run::workload, Obstacle::kWorkload, true, &IsExitStatus, list);
  if (HaveOneTwice(base, head)) list.push_back({Obstacle::kSameFiles, "recording", "", ""});
  AddQuality(base, false, list);
  AddQuality(head, true, list);
  return list;
}

std::vector<Obstacle> Notes(std::span<const Run> base, std::span<const Run> head,
                            const Settings& settings) {
  std::vector<Obstacle> list;
  AddUnequal(base, head, &Run::workload, Obstacle::kWorkload, true, &IsNoExitStatus, list);
  AddUnequal(base, head, &Run::machine, Obstacle::kUnknownFact, false, &Any, list);
  AddUnequal(base, head, &Run::workload, Obstacle::kUnknownFact, false, &Any, list);
  if (settings.paired && base.size() != head.size()) {
    list.push_back(
        {Obstacle::kUnpaired, "runs", std::to_string(base.size()), std::to_string(head.size())});
  }
  if (!CountsAreExact(base) || !CountsAreExact(head)) {
    list.push_back({Obstacle::kNotCounted, "GPU work", "", ""});
  }
  return list;
}

}  // namespace gprofx::compare
