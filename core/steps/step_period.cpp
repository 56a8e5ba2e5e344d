// Finds steps by their launches alone. A loop has call paths that occur once in each pass. The
// count of each of them equals the number of passes, and between two occurrences of one there is
// exactly one of each other. Counts that several call paths share are therefore candidates. For
// each candidate, the passes are cut at its first path, and consecutive passes are compared. A
// candidate is kept if nearly all passes hold each of its paths once, if neighbours agree in nearly
// all launches and in most of the GPU time, and if the passes hold most of what the process ran.
//
// Loops are nested: layers in steps, steps in epochs. Launches alone do not tell which loop is that
// of the steps; two facts do. A loop below a torch module runs over layers. A loop in which the
// host waits for the GPU in each pass is the step loop; of two such loops it is the inner one,
// unless each pass of the outer one has the same few passes of it. If several loops are found and
// these facts do not decide, there are no steps.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/model/layer_path.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

constexpr double kPerfectPasses = 0.9;  // share of passes that have each call path once
constexpr double kAlike = 0.85;       // share of a pass's launches that the previous pass also has
constexpr double kAlikeInTime = 0.7;  // the same by GPU time; other work between passes counts
constexpr double kMaxOfTheRun = 0.5;  // minimum share of operations, and of GPU time, in passes
constexpr double kPassesWithWaits = 0.9;
constexpr size_t kMaxCandidates = 64;
constexpr size_t kMaxParts = 4;  // maximum number of inner passes in one step

using Symbols = std::vector<uint32_t>;  // one per operation, from 0

struct Candidate {
  size_t passes = 0;
  std::vector<uint32_t> symbols;  // symbols that occur this often
  size_t launches() const { return passes * symbols.size(); }
};

struct Loop {
  std::vector<size_t> begins;  // first operation of each pass
  size_t end = 0;              // after the last operation of the last pass
  size_t launches = 0;         // of the candidate's call paths
  size_t paths = 0;
  bool waits = false;  // the host waits in each pass
  bool in_module = false;
};

template <class Key>
Symbols Number(const std::vector<PhaseOperation>& operations, const Key& key) {
  std::unordered_map<uint32_t, uint32_t> numbers;
  Symbols symbols;
  symbols.reserve(operations.size());
  for (const PhaseOperation& operation : operations) {
    const auto next = static_cast<uint32_t>(numbers.size());
    symbols.push_back(numbers.try_emplace(key(operation), next).first->second);
  }
  return symbols;
}

std::vector<Candidate> CandidatesOf(const Symbols& symbols) {
  std::vector<size_t> counts;
  for (const uint32_t symbol : symbols) {
    if (symbol >= counts.size()) counts.resize(symbol + 1);
    ++counts[symbol];
  }
  std::map<size_t, Candidate> by_count;
  for (uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] < kMinSteps) continue;
    Candidate& candidate = by_count[counts[symbol]];
    candidate.passes = counts[symbol];
    candidate.symbols.push_back(symbol);
  }
  std::vector<Candidate> candidates;
  for (auto& [count, candidate] : by_count) candidates.push_back(std::move(candidate));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.launches() > b.launches(); });
  if (candidates.size() > kMaxCandidates) candidates.resize(kMaxCandidates);
  return candidates;
}

// Cuts the operations into passes at the first symbol of the candidate. Returns false if too many
// passes lack one of its symbols or have it twice.
bool Cut(const Symbols& symbols, const Candidate& candidate, Loop& loop) {
  std::vector<uint32_t> last_pass;  // by symbol: 0 = not in the candidate, else 1 + the pass
  for (const uint32_t symbol : candidate.symbols) {
    if (symbol >= last_pass.size()) last_pass.resize(symbol + 1);
    last_pass[symbol] = 1;
  }
  uint32_t anchor = 0;
  size_t perfect = 0, seen = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const uint32_t symbol = symbols[i];
    if (symbol >= last_pass.size() || last_pass[symbol] == 0) continue;
    if (loop.begins.empty()) anchor = symbol;
    if (symbol == anchor) {
      perfect += seen == candidate.symbols.size() ? 1 : 0;
      seen = 0;
      loop.begins.push_back(i);
    }
    const auto pass = static_cast<uint32_t>(loop.begins.size() + 1);
    seen += last_pass[symbol] == pass ? candidate.symbols.size() : 1;
    last_pass[symbol] = pass;
    loop.end = i + 1;
  }
  perfect += seen == candidate.symbols.size() ? 1 : 0;
  return static_cast<double>(perfect) >= kPerfectPasses * static_cast<double>(loop.begins.size());
}

// Returns the mean GPU time of an operation of each symbol. All are 1 if no times are known.
std::vector<double> MeanTimes(const std::vector<PhaseOperation>& operations,
                              const Symbols& symbols) {
  std::vector<double> sums, counts;
  double all = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] >= sums.size()) {
      sums.resize(symbols[i] + 1);
      counts.resize(symbols[i] + 1);
    }
    const auto ns = static_cast<double>(operations[i].end - operations[i].start);
    sums[symbols[i]] += ns;
    counts[symbols[i]] += 1;
    all += ns;
  }
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = all > 0 ? sums[i] / counts[i] : 1;
  return sums;
}

// Returns the weighted share of launches that a pass has in common with the previous pass, over all
// passes.
double Likeness(const Symbols& symbols, const Loop& loop, const std::vector<double>& weights) {
  std::unordered_map<uint32_t, size_t> before, now;
  double common = 0, all = 0;
  for (size_t pass = 0; pass < loop.begins.size(); ++pass) {
    const bool is_last = pass + 1 == loop.begins.size();
    const size_t end = is_last ? loop.end : loop.begins[pass + 1];
    now.clear();
    for (size_t i = loop.begins[pass]; i < end; ++i) ++now[symbols[i]];
    if (pass > 0 && !is_last) {
      for (const auto& [symbol, count] : now) {
        const auto found = before.find(symbol);
        all += weights[symbol] * static_cast<double>(count);
        if (found != before.end())
          common += weights[symbol] * static_cast<double>(std::min(count, found->second));
      }
    }
    std::swap(before, now);
  }
  return all == 0 ? 0 : common / all;
}

bool HoldsMost(const std::vector<PhaseOperation>& operations, const Loop& loop) {
  double inside = 0, all = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto ns = static_cast<double>(operations[i].end - operations[i].start);
    all += ns;
    if (i >= loop.begins[0] && i < loop.end) inside += ns;
  }
  const auto count = static_cast<double>(loop.end - loop.begins[0]);
  return inside >= kMaxOfTheRun * all &&
         count >= kMaxOfTheRun * static_cast<double>(operations.size());
}

bool WaitsInEachPass(const ProcessEvents& events, const Loop& loop) {
  size_t with = 0, wait = 0;
  for (size_t pass = 0; pass + 1 < loop.begins.size(); ++pass) {
    const HostNs begin = WhenLaunched(events.operations[loop.begins[pass]]);
    const HostNs end = WhenLaunched(events.operations[loop.begins[pass + 1]]);
    while (wait < events.waits.size() && events.waits[wait].begin < begin) ++wait;
    with += wait < events.waits.size() && events.waits[wait].begin < end ? 1 : 0;
  }
  return static_cast<double>(with) >=
         kPassesWithWaits * static_cast<double>(loop.begins.size() - 1);
}

// True if all launches of a pass are below a call of one torch module.
bool LiesInModule(const Profile& profile, const ProcessEvents& events, const Loop& loop) {
  const size_t pass = loop.begins.size() / 2;
  const size_t begin = loop.begins[pass];
  const size_t end = pass + 1 < loop.begins.size() ? loop.begins[pass + 1] : loop.end;
  NodeId common;
  for (size_t i = begin; i < end; ++i) {
    NodeId node = events.operations[i].node;
    if (!common) common = node;
    while (node && node != common) {  // parents have the smaller ids
      NodeId& deeper = node > common ? node : common;
      deeper = profile.node(deeper).parent;
      if (!common) return false;
    }
  }
  for (; common; common = profile.node(common).parent) {
    const Frame& frame = profile.frame(profile.node(common).frame);
    if (frame.kind != FrameKind::kPython || !frame.function) continue;
    const std::string_view file = profile.Text(profile.function(frame.function).file);
    if (file.ends_with("torch/nn/modules/module.py")) return true;
  }
  return false;
}

bool SameLoop(const Loop& a, const Loop& b) {
  const size_t less = std::min(a.begins.size(), b.begins.size());
  return std::max(a.begins.size(), b.begins.size()) <= less + std::max<size_t>(3, less / 4);
}

// Returns the loops without duplicates. A loop may have several candidates, because its first
// passes often take other paths. The one with most passes is kept, if more than one path supports
// it.
std::vector<Loop> OnePerLoop(std::vector<Loop> loops) {
  std::vector<Loop> kept;  // best supported first
  for (Loop& loop : loops) {
    const auto same = std::find_if(kept.begin(), kept.end(),
                                   [&](const Loop& other) { return SameLoop(loop, other); });
    if (same == kept.end()) {
      kept.push_back(std::move(loop));
    } else if (loop.begins.size() > same->begins.size() && loop.paths > 1) {
      *same = std::move(loop);
    }
  }
  return kept;
}

// True if nearly all passes of `outer` have the same small number of passes of `inner`. The inner
// passes are then grids or micro-batches of a step, and not tokens of a text. The last pass of
// `outer` may be incomplete and does not count.
bool IsPartOf(const Loop& inner, const Loop& outer) {
  // By number of inner passes; index 0 also counts larger numbers.
  std::array<size_t, kMaxParts + 1> passes{};
  auto at = std::lower_bound(inner.begins.begin(), inner.begins.end(), outer.begins[0]);
  for (size_t pass = 1; pass < outer.begins.size(); ++pass) {
    const auto end = std::lower_bound(at, inner.begins.end(), outer.begins[pass]);
    const auto parts = static_cast<size_t>(end - at);
    ++passes[parts <= kMaxParts ? parts : 0];
    at = end;
  }
  const size_t most = *std::max_element(passes.begin() + 2, passes.end());
  return static_cast<double>(most) >= kPerfectPasses * static_cast<double>(outer.begins.size() - 1);
}

const Loop* ChooseStep(const std::vector<Loop>& loops) {
  std::vector<const Loop*> left;
  for (const Loop& loop : loops) {
    if (!loop.in_module) left.push_back(&loop);
  }
  const auto fewer = [](const Loop* a, const Loop* b) {
    return a->begins.size() < b->begins.size();
  };
  if (left.size() > 1) {
    std::erase_if(left, [](const Loop* loop) { return !loop->waits; });
    if (left.empty()) return nullptr;
    // If the host waits in an inner loop, it also waits in the loops around it. The steps are the
    // passes of the innermost loop with waits (it has the most passes) or, if that is only a part
    // of others, of the innermost of them.
    std::sort(left.begin(), left.end(), fewer);
    const Loop* inner = left.back();
    const auto outer = std::find_if(left.rbegin() + 1, left.rend(),
                                    [&](const Loop* loop) { return IsPartOf(*inner, *loop); });
    return outer == left.rend() ? inner : *outer;
  }
  return left.empty() ? nullptr : left[0];
}

std::vector<TimeRange> StepsOf(const ProcessEvents& events, const Loop& loop) {
  std::vector<TimeRange> steps;
  for (size_t pass = 0; pass < loop.begins.size(); ++pass) {
    const HostNs begin = WhenLaunched(events.operations[loop.begins[pass]]);
    if (!steps.empty()) steps.back().end = begin;
    steps.push_back({begin, begin});
  }
  const HostNs last = WhenLaunched(events.operations[loop.end - 1]);
  steps.back().end = EndOfWork(events, loop.begins.back(), last);
  return steps;
}

std::vector<TimeRange> FindIn(const Profile& profile, const ProcessEvents& events,
                              const Symbols& symbols) {
  std::vector<Loop> loops;
  const std::vector<double> times = MeanTimes(events.operations, symbols);
  const std::vector<double> counts(times.size(), 1.0);
  for (const Candidate& candidate : CandidatesOf(symbols)) {
    Loop loop;
    loop.launches = candidate.launches();
    loop.paths = candidate.symbols.size();
    if (!Cut(symbols, candidate, loop) || !HoldsMost(events.operations, loop)) continue;
    if (Likeness(symbols, loop, counts) < kAlike) continue;
    if (Likeness(symbols, loop, times) < kAlikeInTime) continue;
    loop.waits = WaitsInEachPass(events, loop);
    // If a pass is a single repeated call, it is a step only if the host waits each time.
    if (loop.paths == 1 && loop.end - loop.begins[0] == loop.begins.size() && !loop.waits) continue;
    loop.in_module = LiesInModule(profile, events, loop);
    loops.push_back(std::move(loop));
  }
  loops = OnePerLoop(std::move(loops));
  const Loop* step = ChooseStep(loops);
  return step == nullptr ? std::vector<TimeRange>{} : StepsOf(events, *step);
}

}  // namespace

HostNs EndOfWork(const ProcessEvents& events, size_t first_operation, HostNs end) {
  HostNs of_work = end;
  for (size_t i = first_operation; i < events.operations.size(); ++i) {
    const PhaseOperation& operation = events.operations[i];
    if (WhenLaunched(operation) > end) break;
    of_work = std::max(of_work, operation.end);
  }
  HostNs of_waiting = of_work;
  for (const PhaseWait& wait : events.waits) {
    if (wait.begin >= end && wait.begin <= of_work) of_waiting = std::max(of_waiting, wait.end);
  }
  return of_waiting;
}

std::vector<TimeRange> StepsByLaunches(const Profile& profile, const ProcessEvents& events) {
  if (events.operations.size() < kMinSteps) return {};
  const Symbols nodes = Number(
      events.operations, [](const PhaseOperation& operation) { return operation.node.value; });
  std::vector<TimeRange> steps = FindIn(profile, events, nodes);
  if (!steps.empty()) return steps;
  // Identifies operations by their call path only: libraries choose kernels by sizes, which may
  // change from step to step.
  const Symbols paths = Number(events.operations, [&](const PhaseOperation& operation) {
    return operation.node ? CodeOf(profile, profile.node(operation.node).parent).value : 0;
  });
  return FindIn(profile, events, paths);
}

}  // namespace gprofx
