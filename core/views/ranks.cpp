#include "core/views/ranks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/base/arithmetic.h"
#include "core/gpu/gpu.h"
#include "core/kernels/kernel_family.h"
#include "core/model/processes.h"
#include "core/model/sources.h"
#include "core/views/naming/names.h"
#include "core/wall/wall_partition.h"

namespace gprofx {
namespace {

int64_t& FactOf(Rank& rank, RankFact fact) { return rank.facts[static_cast<size_t>(fact)]; }

// If `text` ends with `word` and a number, removes both and returns the number. Otherwise returns
// no value.
std::optional<int32_t> TakeNumber(std::string_view& text, std::string_view word) {
  const size_t last = text.find_last_not_of("0123456789");
  const size_t digits = last == std::string_view::npos ? 0 : last + 1;
  int32_t number = -1;
  const auto [end, error] =
      std::from_chars(text.data() + digits, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const std::string_view before = text.substr(0, digits);
  if (!before.ends_with(word)) return std::nullopt;
  text = before.substr(0, before.size() - word.size());
  return number;
}

// Names the recordings by their ranks. If one has no rank or a rank occurs twice, numbers them
// instead.
void NameSources(const std::vector<Source>& sources, std::vector<Rank>& ranks) {
  std::set<int32_t> numbers;
  std::set<std::string> hosts;
  for (const Source& source : sources) {
    numbers.insert(source.rank);
    hosts.insert(source.host);
  }
  const bool are_ranks = numbers.size() == sources.size() && numbers.count(-1) == 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    ranks[i].name =
        are_ranks ? "rank " + std::to_string(sources[i].rank) : "run " + std::to_string(i + 1);
    if (hosts.size() > 1) ranks[i].host = sources[i].host;
  }
}

void OfSources(const Profile& profile, const std::vector<Source>& sources, Ranks& result) {
  result.ranks.resize(sources.size());
  NameSources(sources, result.ranks);
  for (size_t i = 0; i < profile.threads.size(); ++i) {
    const ProcessId process = profile.threads[i].process;
    if (!process) continue;
    const size_t source = SourceOf(profile, process).index();
    if (source < sources.size()) result.of_thread[i] = static_cast<uint32_t>(source);
  }
}

// Fills in the processes that used a GPU. They are sorted by rank if each has one, otherwise by
// row.
void OfProcesses(const Profile& profile, Ranks& result) {
  const MetricId gpu = profile.FindMetric(kMetricGpu);
  const std::vector<ProcessId> last = LastPrograms(profile);
  std::map<ProcessId, uint32_t> uses;
  for (const Value& value : profile.values) {
    if (!gpu || value.metric != gpu || !value.thread || value.self <= 0) continue;
    const ProcessId process = profile.thread(value.thread).process;
    if (process) uses.try_emplace(last[process.index()]);
  }
  std::vector<std::pair<int32_t, ProcessId>> order;
  std::set<int32_t> numbers;
  for (const auto& [process, unset] : uses) {
    order.emplace_back(SplitRank(profile.Text(profile.process(process).name)).rank, process);
    numbers.insert(order.back().first);
  }
  const bool are_ranks = numbers.size() == order.size() && numbers.count(-1) == 0;
  if (are_ranks) std::sort(order.begin(), order.end());
  for (const auto& [number, process] : order) {
    uses[process] = static_cast<uint32_t>(result.ranks.size());
    const Process& row = profile.process(process);
    result.ranks.emplace_back().name =
        are_ranks ? "rank " + std::to_string(number)
                  : std::string(profile.Text(row.name)) + " (" + std::to_string(row.pid) + ")";
  }
  for (size_t i = 0; i < profile.threads.size(); ++i) {
    const ProcessId process = profile.threads[i].process;
    if (!process) continue;
    const auto found = uses.find(last[process.index()]);
    if (found != uses.end()) result.of_thread[i] = found->second;
  }
}

void AddFacts(const Profile& profile, Ranks& result) {
  const MetricId gpu = profile.FindMetric(kMetricGpu), cpu = profile.FindMetric("cpu"),
                 wait = profile.FindMetric(kMetricGpuWait);
  std::vector<uint8_t> communicates(profile.frames.size());
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    const Frame& frame = profile.frames[i];
    if (frame.kind != FrameKind::kGpuKernel) continue;
    communicates[i] = IsCommunicationKernel(FrameName(profile, frame)) ? 1 : 0;
  }
  for (const Value& value : profile.values) {
    if (!value.node || !value.thread || !value.metric) continue;
    const uint32_t at = result.of_thread[value.thread.index()];
    if (at == Ranks::kNone) continue;
    Rank& rank = result.ranks[at];
    const auto add = [&](RankFact fact) {
      FactOf(rank, fact) = AddSaturated(FactOf(rank, fact), std::max<int64_t>(value.self, 0));
    };
    if (value.metric == cpu) add(RankFact::kCpu);
    if (value.metric == wait) add(RankFact::kGpuWait);
    if (value.metric != gpu) continue;
    add(RankFact::kGpu);
    const FrameId frame = profile.node(value.node).frame;
    if (frame && communicates[frame.index()] != 0) add(RankFact::kCommunication);
  }
}

bool Differs(const Spread& spread) {
  return static_cast<double>(spread.most) * 0.99 > static_cast<double>(spread.least);
}

void FindSlowest(Ranks& result) {
  for (const RankFact fact : {RankFact::kCommunication, RankFact::kGpu, RankFact::kCpu}) {
    const size_t at = static_cast<size_t>(fact);
    const Spread& spread = result.facts[at];
    // A process without communication shows that the processes are not ranks of one job, which wait
    // for each other.
    if (spread.most == 0 || (fact == RankFact::kCommunication && spread.least == 0)) continue;
    if (!Differs(spread)) return;
    result.slowest_by = fact;
    const auto less = [at](const Rank& a, const Rank& b) { return a.facts[at] < b.facts[at]; };
    const auto slowest = fact == RankFact::kCommunication
                             ? std::min_element(result.ranks.begin(), result.ranks.end(), less)
                             : std::max_element(result.ranks.begin(), result.ranks.end(), less);
    result.slowest = static_cast<size_t>(slowest - result.ranks.begin());
    return;
  }
}

}  // namespace

Spread SpreadOf(const std::vector<int64_t>& by_rank) {
  Spread spread{by_rank.front(), 0, by_rank.front(), 0};
  double sum = 0;
  for (size_t i = 0; i < by_rank.size(); ++i) {
    sum += static_cast<double>(by_rank[i]);
    spread.least = std::min(spread.least, by_rank[i]);
    if (by_rank[i] <= spread.most) continue;
    spread.most = by_rank[i];
    spread.most_in = i;
  }
  const double mean = sum / static_cast<double>(by_rank.size());
  // A double at or above 2^63 cannot be converted to int64_t.
  spread.mean = mean >= 0x1p63 ? spread.most : static_cast<int64_t>(mean);
  return spread;
}

RankedName SplitRank(std::string_view name) {
  std::string_view program = name;
  (void)TakeNumber(program, " local ");
  const std::optional<int32_t> rank = TakeNumber(program, " rank ");
  return rank && !program.empty() ? RankedName{program, *rank} : RankedName{name};
}

int32_t RankOf(const Profile& profile, ProcessId process) {
  const int32_t own = SplitRank(profile.Text(profile.process(process).name)).rank;
  if (own >= 0 || profile.sources.empty()) return own;
  const size_t source = SourceOf(profile, process).index();
  return source < profile.sources.size() ? profile.sources[source].rank : -1;
}

std::optional<Ranks> FindRanks(const Profile& profile) {
  Ranks result;
  result.of_thread.assign(profile.threads.size(), Ranks::kNone);
  const std::vector<Source> sources = SourcesOf(profile);
  if (sources.size() > 1) {
    OfSources(profile, sources, result);
  } else {
    OfProcesses(profile, result);
  }
  if (result.ranks.size() < 2) return std::nullopt;
  AddFacts(profile, result);
  for (size_t fact = 0; fact < kRankFacts; ++fact) {
    std::vector<int64_t> values;
    for (const Rank& rank : result.ranks) values.push_back(rank.facts[fact]);
    result.facts[fact] = SpreadOf(values);
  }
  FindSlowest(result);
  return result;
}

std::vector<std::vector<int64_t>> SelfByRank(const Profile& profile, MetricId metric,
                                             const std::vector<uint32_t>& holder_of,
                                             const Groups& groups, const std::vector<Row>& rows,
                                             size_t shown, const Ranks& ranks) {
  std::vector<std::vector<int64_t>> table(shown, std::vector<int64_t>(ranks.ranks.size()));
  std::vector<uint32_t> row_of(groups.first.size() + 1, UINT32_MAX);  // by group
  for (size_t i = 0; i < shown; ++i) row_of[rows[i].group] = static_cast<uint32_t>(i);
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || !value.thread) continue;
    const uint32_t rank = ranks.of_thread[value.thread.index()];
    const uint32_t holder = holder_of[value.node.index()];
    if (rank == Ranks::kNone || holder == kNoHolder) continue;
    const uint32_t row = row_of[groups.of_node[holder]];
    if (row == UINT32_MAX) continue;
    table[row][rank] = AddSaturated(table[row][rank], value.self);
  }
  return table;
}

}  // namespace gprofx
