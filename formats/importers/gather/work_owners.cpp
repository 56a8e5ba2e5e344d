#include "formats/importers/gather/work_owners.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "formats/importers/gather/launching_nodes.h"
#include "formats/importers/gather/match_in_time.h"

namespace gprofx::importers {
namespace {

// Maximum number of votes of processes for GPUs, and of pairs of a process and a GPU. Real traces
// need one vote per id, rank and GPU. Further votes of a hostile trace are ignored.
constexpr size_t kMaxVotes = size_t{1} << 25, kMaxPairs = size_t{1} << 20;
// A rule by position is used only if it gives work to nearly as many processes as the rule of time
// does, summed over all cases: at most one in kHundred fewer. The decision is for the whole file.
constexpr int64_t kHundred = 100;

int64_t Latest(int64_t start) { return start + kClockError; }

size_t Distinct(std::vector<ProcessId> processes) {
  std::sort(processes.begin(), processes.end());
  const auto end = std::unique(processes.begin(), processes.end());
  return static_cast<size_t>(end - processes.begin()) - (processes.empty() || processes[0] ? 0 : 1);
}

}  // namespace

void WorkOwners::Find(std::vector<OwnedWork>& work) {
  MakeCandidates(work);
  MakeCases(work);
  Vote();
  ChooseOwners();
  Compare();
  const Rule rule = Choose();
  for (const Case& one : cases_) Settle(rule, one);
}

// Collects the calls that may have launched work. In one rank, an id may belong to a launch, and in
// another to a call that launches nothing. If some calls with an id are known to launch work, the
// other calls with this id have launched nothing.
void WorkOwners::MakeCandidates(const std::vector<OwnedWork>& work) {
  const bool has_waits =
      std::any_of(work.begin(), work.end(), [](auto& one) { return one.is_wait; });
  LaunchingNodes launching(profile_);
  const auto add = [&](const LaunchCall& call, bool is_wait) {
    candidates_.push_back({call.correlation, is_wait, {}, call.start, call.process});
    const auto group = facts_.groups.find(call.process);
    if (group == facts_.groups.end() || !group->second) return;
    candidates_.push_back({call.correlation, is_wait, group->second, call.start, call.process});
  };
  for (auto begin = calls_.begin(); begin != calls_.end();) {
    const auto end = std::find_if(begin, calls_.end(), [&](const LaunchCall& call) {
      return call.correlation != begin->correlation;
    });
    const auto launches = [&](const LaunchCall& call) { return launching.Contains(call.node); };
    const bool some_launch = std::any_of(begin, end, launches);
    for (; begin != end; ++begin) {
      if (!some_launch || launches(*begin)) add(*begin, false);
      if (has_waits) add(*begin, true);
    }
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.correlation, a.is_wait, a.group, a.start, a.process) <
           std::tie(b.correlation, b.is_wait, b.group, b.start, b.process);
  });
}

void WorkOwners::AddFirsts(std::span<const Candidate> calls) {
  const auto begin = static_cast<std::ptrdiff_t>(firsts_.size());
  for (const Candidate& call : calls) firsts_.push_back({call.process, call.start});
  std::stable_sort(firsts_.begin() + begin, firsts_.end(),
                   [](const First& a, const First& b) { return a.process < b.process; });
  firsts_.erase(std::unique(firsts_.begin() + begin, firsts_.end(),
                            [](const First& a, const First& b) { return a.process == b.process; }),
                firsts_.end());
}

void WorkOwners::MakeCases(std::vector<OwnedWork>& work) {
  std::set<StringId> groups;  // labels of all processes; other labels are ignored
  for (const auto& [_, group] : facts_.groups) groups.insert(group);
  const auto key = [&](const OwnedWork& one) {
    const StringId group = groups.contains(one.group) ? one.group : StringId{};
    return std::tuple(one.correlation, one.is_wait, group);
  };
  for (OwnedWork& one : work) order_.push_back(&one);
  std::stable_sort(order_.begin(), order_.end(), [&](const OwnedWork* a, const OwnedWork* b) {
    return std::tuple(key(*a), a->start) < std::tuple(key(*b), b->start);
  });
  firsts_.reserve(candidates_.size());  // reserved up front, because the cases point into it
  for (size_t begin = 0, end; begin < order_.size(); begin = end) {
    const auto wanted = key(*order_[begin]);
    for (end = begin + 1; end < order_.size() && key(*order_[end]) == wanted;) ++end;
    const auto key_of = [](const Candidate& call) {
      return std::tuple(call.correlation, call.is_wait, call.group);
    };
    const auto first = std::lower_bound(
        candidates_.begin(), candidates_.end(), wanted,
        [&](const Candidate& call, const auto& other) { return key_of(call) < other; });
    const auto last = std::upper_bound(
        first, candidates_.end(), wanted,
        [&](const auto& other, const Candidate& call) { return other < key_of(call); });
    Case one;
    one.work = std::span(order_).subspan(begin, end - begin);
    if (std::get<0>(wanted) != 0) one.calls = std::span(first, last);
    one.group = std::get<2>(wanted);
    const size_t before = firsts_.size();
    AddFirsts(one.calls);
    one.processes = std::span(firsts_).subspan(before);
    cases_.push_back(one);
  }
}

bool WorkOwners::IsCandidate(const Case& one, const OwnedWork& work, ProcessId process) {
  const auto found =
      std::lower_bound(one.processes.begin(), one.processes.end(), process,
                       [](const First& first, ProcessId wanted) { return first.process < wanted; });
  return process && found != one.processes.end() && found->process == process &&
         found->start <= Latest(work.start);
}

void WorkOwners::Vote() {
  Budget budget{kMaxVotes, kMaxPairs};
  for (const Case& one : cases_) VoteIn(one, budget);
}

// Gives each process that may have launched a piece of work a vote for the GPU of that work.
void WorkOwners::VoteIn(const Case& one, Budget& budget) {
  std::vector<const OwnedWork*> work(one.work.begin(), one.work.end());
  const auto gpu_of = [](const OwnedWork* at) { return Gpu{at->group, at->device}; };
  std::stable_sort(work.begin(), work.end(),
                   [&](const OwnedWork* a, const OwnedWork* b) { return gpu_of(a) < gpu_of(b); });
  for (auto begin = work.begin(); begin != work.end();) {
    const auto end = std::find_if(
        begin, work.end(), [&](const OwnedWork* at) { return gpu_of(at) != gpu_of(*begin); });
    Owner& owner = gpus_[gpu_of(*begin)];
    for (const First& process : one.processes) {
      if (budget.votes == 0) break;
      --budget.votes;
      const auto after = std::partition_point(
          begin, end, [&](const OwnedWork* at) { return Latest(at->start) < process.start; });
      if (after == end) continue;
      const bool is_new = !owner.explained.contains(process.process);
      if (is_new && budget.pairs == 0) continue;
      budget.pairs -= is_new ? 1 : 0;
      owner.explained[process.process] += end - after;
    }
    begin = end;
  }
}

// Returns the processes that explain most of the work of a GPU, in the order of their pids.
std::vector<ProcessId> WorkOwners::BestOf(const Owner& owner) const {
  int64_t most = 1;
  for (const auto& [_, explained] : owner.explained) most = std::max(most, explained);
  std::vector<ProcessId> best;
  for (const auto& [process, explained] : owner.explained) {
    if (explained == most) best.push_back(process);
  }
  std::stable_sort(best.begin(), best.end(), [this](ProcessId a, ProcessId b) {
    return profile_.process(a).pid < profile_.process(b).pid;
  });
  return best;
}

ProcessId WorkOwners::OfGroup(StringId group) const {
  const auto found = first_of_group_.find(group);
  return group && found != first_of_group_.end() ? found->second : facts_.home;
}

// Chooses the process of each GPU. GPUs with the fewest candidates come first.
void WorkOwners::ChooseOwners() {
  for (const auto& [process, group] : facts_.groups) first_of_group_.try_emplace(group, process);
  std::vector<std::tuple<size_t, Gpu, std::vector<ProcessId>>> order;
  for (const auto& [gpu, owner] : gpus_) {
    std::vector<ProcessId> best = BestOf(owner);
    order.emplace_back(best.size(), gpu, std::move(best));
  }
  std::sort(order.begin(), order.end());
  std::set<ProcessId> taken, settled;  // settled: processes that own a GPU without a guess
  for (const auto& [_, gpu, best] : order) {
    Owner& owner = gpus_[gpu];
    const auto is_free = [&](ProcessId process) { return !taken.contains(process); };
    const auto is_open = [&](ProcessId process) { return !settled.contains(process); };
    auto chosen = std::find_if(best.begin(), best.end(), is_free);
    if (chosen == best.end()) chosen = best.begin();
    owner.process = best.empty() ? OfGroup(gpu.first) : *chosen;
    const bool is_only_one =
        std::count_if(best.begin(), best.end(), is_open) == 1 && is_open(owner.process);
    owner.is_guess = best.size() > 1 && !is_only_one;
    taken.insert(owner.process);
    if (!owner.is_guess) settled.insert(owner.process);
  }
}

ProcessId WorkOwners::ByGpu(const OwnedWork& work) const {
  return gpus_.at({work.group, work.device}).process;
}

std::vector<ProcessId> WorkOwners::ByTime(const Case& one) {
  std::vector<int64_t> calls, work;
  for (const Candidate& call : one.calls) calls.push_back(call.start);
  for (const OwnedWork* at : one.work) work.push_back(at->start);
  std::vector<ProcessId> owners;
  for (const size_t call : MatchInTime(calls, work)) {
    owners.push_back(call == kNoCall ? ProcessId{} : one.calls[call].process);
  }
  return owners;
}

// Returns by one rule the owner of each piece of work in a case; 0 if the rule does not decide.
std::vector<ProcessId> WorkOwners::By(Rule rule, const Case& one) const {
  if (rule == kTime) return ByTime(one);
  std::vector<ProcessId> owners;
  for (const OwnedWork* work : one.work) {
    const ProcessId process = rule == kBefore  ? work->before
                              : rule == kAfter ? work->after
                                               : ByGpu(*work);
    owners.push_back(IsCandidate(one, *work, process) ? process : ProcessId{});
  }
  return owners;
}

void WorkOwners::Compare() {
  covered_.assign(kRules, {});
  for (const Case& one : cases_) {
    if (one.calls.empty()) continue;
    for (const Rule rule : {kBefore, kAfter, kGpu, kTime}) {
      std::vector<ProcessId> owners = By(rule, one);
      std::sort(owners.begin(), owners.end());
      owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
      for (const ProcessId process : owners) {
        if (!process) continue;
        ++covered_[rule].cases[process];
        ++covered_[rule].all;
      }
    }
  }
}

WorkOwners::Rule WorkOwners::Choose() const {
  const Covered& time = covered_[kTime];
  const auto loses_a_process = [&](Rule rule) {
    const int64_t lost = time.all - covered_[rule].all;
    return std::any_of(time.cases.begin(), time.cases.end(), [&](const auto& process) {
      const auto found = covered_[rule].cases.find(process.first);
      const int64_t cases = found == covered_[rule].cases.end() ? 0 : found->second;
      return 2 * cases <= process.second && 2 * lost >= process.second;
    });
  };
  const Rule place = covered_[kAfter].all > covered_[kBefore].all ? kAfter : kBefore;
  const bool tells_all = (time.all - covered_[place].all) * kHundred <= time.all;
  if (facts_.in_turns && tells_all && !loses_a_process(place)) return place;
  return loses_a_process(kGpu) ? kTime : kGpu;
}

// Returns the process that the position in the file suggests for `work`, even if that process has
// no call with the id. Returns 0 if the rule gives this process no work in any case.
ProcessId WorkOwners::PlaceOf(Rule rule, const Case& one, const OwnedWork& work) const {
  const ProcessId place = rule == kBefore ? work.before : rule == kAfter ? work.after : ProcessId{};
  const auto group = facts_.groups.find(place);
  const bool is_other = one.group && (group == facts_.groups.end() || group->second != one.group);
  return is_other || !covered_[rule].cases.contains(place) ? ProcessId{} : place;
}

void WorkOwners::Settle(Rule rule, const Case& one) {
  const std::vector<ProcessId> by_time = ByTime(one), by_rule = By(rule, one);
  const bool is_short = Distinct(by_rule) < Distinct(by_time);
  int64_t second = INT64_MAX;  // time from which there are several candidates
  if (one.processes.size() > 1) {
    std::vector<First> firsts(one.processes.begin(), one.processes.end());
    std::nth_element(firsts.begin(), firsts.begin() + 1, firsts.end(),
                     [](const First& a, const First& b) { return a.start < b.start; });
    second = firsts[1].start;
  }
  for (size_t i = 0; i < one.work.size(); ++i) {
    OwnedWork& work = *one.work[i];
    const ProcessId place = PlaceOf(rule, one, work);
    for (const ProcessId owner : {by_rule[i], place, by_time[i], ByGpu(work)}) {
      if (!work.owner) work.owner = owner;
    }
    const bool is_sure =
        place || (rule == kGpu && by_rule[i] && !gpus_.at({work.group, work.device}).is_guess);
    work.is_guess = second <= Latest(work.start) && (is_short || !is_sure);
  }
}

}  // namespace gprofx::importers
