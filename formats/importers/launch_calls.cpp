#include "formats/importers/launch_calls.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace gprofx::importers {
namespace {

// Clocks of a GPU are converted to that of the host, so work may seem to begin before its call.
constexpr int64_t kClockError = 10'000;
constexpr size_t kMaxLaunchers = 256;  // processes that are looked at for one piece of work

bool IsEarlier(const LaunchCall& a, const LaunchCall& b) {
  return std::tie(a.correlation, a.process, a.start) < std::tie(b.correlation, b.process, b.start);
}

bool IsWithin(const LaunchCall& inner, const LaunchCall& outer) {
  return inner.thread == outer.thread && inner.start >= outer.start &&
         inner.start <= outer.start + outer.duration;
}

}  // namespace

void LaunchCalls::Sort() {
  std::stable_sort(calls_.begin(), calls_.end(), IsEarlier);
  const auto is_nested = [](const LaunchCall& outer, const LaunchCall& call) {
    return call.correlation == outer.correlation && call.process == outer.process &&
           IsWithin(call, outer);
  };
  calls_.erase(std::unique(calls_.begin(), calls_.end(), is_nested), calls_.end());
}

// The first call after all that began before or at `start`.
std::vector<LaunchCall>::const_iterator LaunchCalls::After(uint32_t correlation, ProcessId process,
                                                           int64_t start) const {
  LaunchCall wanted;
  wanted.correlation = correlation;
  wanted.process = process;
  wanted.start = start;
  return std::upper_bound(calls_.begin(), calls_.end(), wanted, IsEarlier);
}

LaunchCall* LaunchCalls::Find(ProcessId process, uint32_t correlation, int64_t start) {
  if (correlation == 0) return nullptr;
  const auto is_one = [&](const LaunchCall& call) {
    return call.correlation == correlation && call.process == process;
  };
  const auto after = After(correlation, process, start) - calls_.begin();
  if (after > 0 && is_one(calls_[static_cast<size_t>(after - 1)]))
    return &calls_[static_cast<size_t>(after - 1)];
  // By the clocks of some devices, work begins before its call.
  const bool is_late =
      static_cast<size_t>(after) < calls_.size() && is_one(calls_[static_cast<size_t>(after)]);
  return is_late ? &calls_[static_cast<size_t>(after)] : nullptr;
}

std::vector<ProcessId> LaunchCalls::Launchers(uint32_t correlation, int64_t start) const {
  std::vector<const LaunchCall*> found;
  ProcessId process;
  for (size_t i = 0; i < kMaxLaunchers; ++i) {
    const auto next = After(correlation, process, INT64_MAX);
    if (next == calls_.end() || next->correlation != correlation) break;
    process = next->process;
    const auto after = After(correlation, process, start + kClockError);
    if (after > next) found.push_back(&*(after - 1));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const LaunchCall* a, const LaunchCall* b) { return a->start > b->start; });
  std::vector<ProcessId> processes;
  for (const LaunchCall* call : found) processes.push_back(call->process);
  return processes;
}

std::vector<ProcessId> WorkOwners::Candidates(const WorkOrigin& origin, uint32_t correlation,
                                              int64_t start) const {
  std::vector<ProcessId> found;
  if (correlation != 0) found = calls_.Launchers(correlation, start);
  if (origin.group) {
    std::erase_if(found, [&](ProcessId process) {
      const auto group = groups_.find(process);
      return group == groups_.end() || group->second != origin.group;
    });
  }
  return found;
}

void WorkOwners::Add(const WorkOrigin& origin, uint32_t correlation, int64_t start) {
  Votes& votes = votes_[{origin.group, origin.device}];
  const std::vector<ProcessId> found = Candidates(origin, correlation, start);
  if (!found.empty()) ++votes.events;
  for (const ProcessId process : found) ++votes.explained[process];
}

// The processes that explain most of the work of a GPU, in order of their ids.
std::vector<ProcessId> WorkOwners::BestOf(const Votes& votes) const {
  int64_t most = 1;
  for (const auto& [_, explained] : votes.explained) most = std::max(most, explained);
  std::vector<ProcessId> best;
  for (const auto& [process, explained] : votes.explained) {
    if (explained == most) best.push_back(process);
  }
  std::stable_sort(best.begin(), best.end(), [this](ProcessId a, ProcessId b) {
    return profile_.process(a).pid < profile_.process(b).pid;
  });
  return best;
}

ProcessId WorkOwners::OfGroup(StringId group) const {
  for (const auto& [process, known] : groups_) {
    if (group && known == group) return process;
  }
  return home_;
}

// GPUs with the fewest processes to choose from come first.
void WorkOwners::Finish() {
  std::vector<std::tuple<size_t, Gpu, std::vector<ProcessId>>> order;
  for (const auto& [gpu, votes] : votes_) {
    std::vector<ProcessId> best = BestOf(votes);
    order.emplace_back(best.size(), gpu, std::move(best));
  }
  std::sort(order.begin(), order.end());
  std::set<ProcessId> taken;
  for (const auto& [_, gpu, best] : order) {
    Votes& votes = votes_[gpu];
    const auto is_free = [&](ProcessId process) { return !taken.contains(process); };
    auto chosen = std::find_if(best.begin(), best.end(), is_free);
    if (chosen == best.end()) chosen = best.begin();
    votes.owner = best.empty() ? OfGroup(gpu.first) : *chosen;
    votes.shared = !best.empty() && votes.explained[votes.owner] < votes.events;
    taken.insert(votes.owner);
  }
}

ProcessId WorkOwners::Of(const WorkOrigin& origin, uint32_t correlation, int64_t start) const {
  const auto votes = votes_.find({origin.group, origin.device});
  const bool is_shared = votes != votes_.end() && votes->second.shared;
  if (in_turns_ || is_shared) {
    const std::vector<ProcessId> found = Candidates(origin, correlation, start);
    if (in_turns_ && std::find(found.begin(), found.end(), origin.before) != found.end()) {
      return origin.before;
    }
    if (is_shared && !found.empty()) return found.front();
  }
  return votes == votes_.end() ? home_ : votes->second.owner;
}

}  // namespace gprofx::importers
