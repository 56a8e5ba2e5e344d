#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/text.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

constexpr size_t kMinMarkers = 2;  // minimum number if a program numbers its steps
constexpr size_t kMinProfilerSteps = 1;

// How specific a name is, in ascending order.
enum class Word { kNone, kNamed, kNumbered, kProfiler };

bool IsSeparator(char c) {
  return std::string_view(" #_:=-[]().").find(c) != std::string_view::npos;
}

struct Reading {
  Word word = Word::kNone;
  std::string pattern;  // the name without its number
};

// Recognizes names of steps: "ProfilerStep#12", "step 12", "iteration_12/100",
// "[pl]run_training_batch". Names of optimizer or scheduler calls are not accepted, because these
// are only parts of a step.
Reading Read(std::string_view name) {
  if (name.size() > 200) return {};
  std::string_view stem = name;
  if (const size_t slash = stem.find('/');
      slash != std::string_view::npos &&
      std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(slash) + 1, stem.end(),
                  IsAsciiDigit)) {
    stem = stem.substr(0, slash);
  }
  const size_t before = stem.size();
  while (!stem.empty() && IsAsciiDigit(stem.back())) stem.remove_suffix(1);
  const bool is_numbered = stem.size() < before;
  while (!stem.empty() && IsSeparator(stem.back())) stem.remove_suffix(1);
  const std::string lower = AsciiLower(stem);
  const auto contains = [&](const char* part) { return lower.find(part) != std::string::npos; };
  if (contains("optim") || contains("sched") || contains("::") || contains("loader")) return {};
  static constexpr std::string_view kWords[] = {"step", "iteration", "iter", "batch"};
  const bool is_step = std::any_of(std::begin(kWords), std::end(kWords),
                                   [&](std::string_view word) { return lower.ends_with(word); });
  if (!is_step) return {};
  if (lower == "profilerstep") return {Word::kProfiler, lower};
  return {is_numbered ? Word::kNumbered : Word::kNamed, lower};
}

struct Train {
  Word word = Word::kNone;
  HostNs covered = 0;
  std::vector<TimeRange> ranges;
};

}  // namespace

std::string StepKind(std::string_view name) { return Read(name).pattern; }

std::vector<TimeRange> StepsByMarkers(const Profile& profile,
                                      std::span<const PhaseMarker> markers) {
  std::map<StringId, Reading> readings;
  std::map<std::pair<ThreadId, std::string>, Train> trains;
  for (const PhaseMarker& marker : markers) {
    if (marker.begin >= marker.end) continue;
    const auto [found, is_new] = readings.try_emplace(marker.name);
    if (is_new) found->second = Read(profile.Text(marker.name));
    if (found->second.word == Word::kNone) continue;
    Train& train = trains[{marker.thread, found->second.pattern}];
    // Ranges with the same name may be nested. Only the outer one is a step.
    if (!train.ranges.empty() && marker.begin < train.ranges.back().end) {
      if (marker.end <= train.ranges.back().end) continue;
      train.ranges.back().end = marker.begin;
    }
    train.word = found->second.word;
    train.covered += marker.end - marker.begin;
    train.ranges.push_back({marker.begin, marker.end});
  }
  const Train* best = nullptr;
  const auto worth = [](const Train& train) { return std::tuple(train.word, train.covered); };
  for (const auto& [key, train] : trains) {
    const size_t least = train.word == Word::kNamed      ? kMinSteps
                         : train.word == Word::kProfiler ? kMinProfilerSteps
                                                         : kMinMarkers;
    if (train.ranges.size() < least) continue;
    if (best == nullptr || worth(train) > worth(*best)) best = &train;
  }
  return best == nullptr ? std::vector<TimeRange>{} : best->ranges;
}

}  // namespace gprofx
