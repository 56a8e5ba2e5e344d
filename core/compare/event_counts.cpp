#include "core/compare/event_counts.h"

#include <algorithm>
#include <optional>

#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/kernels/cupti_kinds.h"
#include "core/kernels/work_names.h"

namespace gprofx::compare {
namespace {

constexpr Stream kStreams[] = {Stream::kKernels, Stream::kCopies, Stream::kSets, Stream::kCalls,
                               Stream::kSyncs};
constexpr size_t kMaxCells = 16 << 20;  // maximum number of names times steps

std::string SizeText(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

// Returns the name that rules use for a kind of copy, such as "H2D".
const char* Direction(uint32_t kind) {
  switch (kind) {
    case cupti::kHostToDevice:
    case cupti::kHostToArray:
      return "H2D";
    case cupti::kDeviceToHost:
    case cupti::kArrayToHost:
      return "D2H";
    case cupti::kArrayToArray:
    case cupti::kArrayToDevice:
    case cupti::kDeviceToArray:
    case cupti::kDeviceToDevice:
      return "D2D";
    case cupti::kHostToHost:
      return "H2H";
    case cupti::kPeerToPeer:
      return "P2P";
    default:
      return "other";
  }
}

int64_t At(const EventTable& rows, size_t column, size_t row) {
  const std::vector<int64_t>& values = rows.column(column);
  return row < values.size() ? values[row] : 0;
}

// True for calls that always have a record. The number of other calls is random, because they have
// a record only if they take long.
bool Synchronizes(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos || call == "cuMemcpy" ||
         call == "cudaMemcpy";
}

// Returns the count that at least two thirds of the steps have; no value if there is none.
std::optional<int64_t> UsualCount(std::span<const int64_t> steps) {
  const int64_t usual = Median(std::vector<int64_t>(steps.begin(), steps.end()));
  const auto equal = static_cast<size_t>(std::count(steps.begin(), steps.end(), usual));
  if (3 * equal < 2 * steps.size()) return std::nullopt;
  return usual;
}

}  // namespace

std::span<const Stream> EventCounts::Streams() { return kStreams; }

std::vector<size_t> EventCounts::Columns(Stream stream) {
  switch (stream) {
    case Stream::kKernels:
      return {column::kKernelStart,  column::kKernelLaunch,      column::kKernelThread,
              column::kKernelConfig, column::kKernelCorrelation, column::kKernelGraphNode};
    case Stream::kCopies:
      return {column::kCopyStart,  column::kCopyLaunch,      column::kCopyThread,
              column::kCopyBytes,  column::kCopyKind,        column::kCopySource,
              column::kCopyTarget, column::kCopyCorrelation, column::kCopyGraphNode};
    case Stream::kSets:
      return {column::kSetStart, column::kSetLaunch, column::kSetThread, column::kSetCorrelation,
              column::kSetGraphNode};
    case Stream::kCalls:
      return {column::kCallStart, column::kCallThread, column::kCallKind};
    case Stream::kSyncs:
      return {column::kSyncStart, column::kSyncThread};
    default:
      return {};
  }
}

EventCounts::EventCounts(const Profile& profile, bool with_steps)
    : profile_(profile),
      train_of_(profile.processes.size()),
      by_config_(profile.gpu.configs.size() + 1) {
  for (size_t i = 0; i < profile.gpu.configs.size(); ++i) {
    const GpuKernelConfig& config = profile.gpu.configs[i];
    if (!config.function) continue;
    by_config_[i + 1] =
        &names_["launches: " + std::string(profile.Text(profile.function(config.function).name)) +
                " [" + SizeText(config.grid) + ", " + SizeText(config.block) + "]"];
  }
  if (!with_steps) return;
  for (const StepTrain& train : profile.phases.trains) {
    if (train.steps.size() <= train.warm_up) continue;
    if (train.process && train.process.index() < train_of_.size()) {
      train_of_[train.process.index()] = static_cast<uint32_t>(trains_.size());
    }
    trains_.push_back({&train.steps, train.warm_up, steps_, train.warm_up});
    steps_ += train.steps.size() - train.warm_up;
  }
}

int64_t EventCounts::StepOf(int64_t time, int64_t thread) {
  if (trains_.empty()) return -1;
  uint32_t number = 0;
  if (thread > 0 && static_cast<uint64_t>(thread) <= profile_.threads.size()) {
    const ProcessId process = profile_.threads[static_cast<size_t>(thread) - 1].process;
    if (process && process.index() < train_of_.size()) number = train_of_[process.index()];
  }
  Train& train = trains_[number];
  const std::vector<TimeRange>& steps = *train.steps;
  const auto holds = [&](size_t i) { return steps[i].begin <= time && time < steps[i].end; };
  if (!holds(train.latest)) {
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), time,
                         [](int64_t when, const TimeRange& step) { return when < step.begin; });
    if (after == steps.begin()) return -1;
    const auto found = static_cast<size_t>(after - steps.begin()) - 1;
    if (!holds(found)) return -1;
    train.latest = found;
  }
  if (train.latest < train.first) return -1;
  return static_cast<int64_t>(train.place + train.latest - train.first);
}

void EventCounts::Count(Counter& counter, int64_t step, int64_t amount) {
  counter.total = AddSaturated(counter.total, amount);
  if (step < 0 || counter.unbounded) return;
  if (counter.by_step.empty()) {
    if (cells_ + steps_ > kMaxCells) {
      counter.unbounded = true;
      return;
    }
    cells_ += steps_;
    counter.by_step.resize(steps_);
  }
  int64_t& count = counter.by_step[static_cast<size_t>(step)];
  count = AddSaturated(count, amount);
}

// Counts replays of CUDA graphs. A replay is one call with many operations. It is counted when its
// first operation is found.
void EventCounts::AddGraphs(const EventTable& rows, std::span<const size_t> columns) {
  const size_t start = columns[0], launch = columns[1], thread = columns[2],
               correlation = columns[3], graph = columns[4];
  for (size_t i = 0; i < rows.column(graph).size(); ++i) {
    if (rows.column(graph)[i] == 0) continue;
    const auto by = static_cast<uint64_t>(At(rows, thread, i));
    uint64_t process = 0;
    if (by > 0 && by <= profile_.threads.size()) process = profile_.threads[by - 1].process.value;
    const auto number = static_cast<uint64_t>(At(rows, correlation, i)) & 0xffffffffu;
    if (!graphs_.insert(process << 32 | number).second) continue;
    const int64_t when = At(rows, launch, i) > 0 ? At(rows, launch, i) : At(rows, start, i);
    Count(sums_["graphs"], StepOf(when, At(rows, thread, i)), 1);
  }
}

void EventCounts::AddKernels(const EventTable& rows) {
  using namespace column;
  Counter& launches = sums_["launches"];
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    const auto config = static_cast<uint64_t>(At(rows, kKernelConfig, i));
    const int64_t launch = At(rows, kKernelLaunch, i), thread = At(rows, kKernelThread, i);
    const int64_t when = launch > 0 ? launch : At(rows, kKernelStart, i);
    const int64_t step = StepOf(when, thread);
    Count(launches, step, 1);
    if (config < by_config_.size() && by_config_[config] != nullptr) {
      Count(*by_config_[config], step, 1);
    }
  }
  AddGraphs(rows,
            {{kKernelStart, kKernelLaunch, kKernelThread, kKernelCorrelation, kKernelGraphNode}});
}

// Returns the counters of a kind of copy. Creates them on first use.
const EventCounts::CopyCounters& EventCounts::CountersOf(uint32_t kind, uint32_t source,
                                                         uint32_t target) {
  const std::array<uint32_t, 3> key = {kind, source, target};
  const auto [found, made] = copies_.try_emplace(key);
  if (!made) return found->second;
  const std::string name = CopyName(kind, source, target), of = std::string(" ") + Direction(kind);
  found->second.bytes = {&names_["bytes: " + name], &sums_["bytes"], &sums_["bytes" + of]};
  found->second.copies = {&names_["count: " + name], &sums_["copies"], &sums_["copies" + of]};
  return found->second;
}

void EventCounts::AddCopies(const EventTable& rows) {
  using namespace column;
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    const auto number = [&](size_t column) { return static_cast<uint32_t>(At(rows, column, i)); };
    const int64_t launch = At(rows, kCopyLaunch, i), thread = At(rows, kCopyThread, i);
    const int64_t when = launch > 0 ? launch : At(rows, kCopyStart, i);
    const CopyCounters& counters =
        CountersOf(number(kCopyKind), number(kCopySource), number(kCopyTarget));
    const int64_t step = StepOf(when, thread);
    for (Counter* bytes : counters.bytes) Count(*bytes, step, At(rows, kCopyBytes, i));
    for (Counter* copies : counters.copies) Count(*copies, step, 1);
  }
  AddGraphs(rows, {{kCopyStart, kCopyLaunch, kCopyThread, kCopyCorrelation, kCopyGraphNode}});
}

void EventCounts::AddSets(const EventTable& rows) {
  using namespace column;
  Counter& counter = names_["count: set memory"];
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    const int64_t launch = At(rows, kSetLaunch, i);
    const int64_t when = launch > 0 ? launch : At(rows, kSetStart, i);
    Count(counter, StepOf(when, At(rows, kSetThread, i)), 1);
  }
  AddGraphs(rows, {{kSetStart, kSetLaunch, kSetThread, kSetCorrelation, kSetGraphNode}});
}

void EventCounts::AddCalls(const EventTable& rows) {
  using namespace column;
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    const auto kind = static_cast<uint64_t>(At(rows, kCallKind, i));
    if (kind < 1 || kind > profile_.string_count()) continue;
    const auto [found, made] = calls_.try_emplace(kind);
    if (made) {
      const std::string_view name = profile_.Text(StringId{static_cast<uint32_t>(kind)});
      if (Synchronizes(name)) found->second = &names_["calls: " + std::string(name)];
    }
    if (found->second == nullptr) continue;
    const int64_t when = At(rows, kCallStart, i), thread = At(rows, kCallThread, i);
    const int64_t step = StepOf(when, thread);
    Count(sums_["syncs"], step, 1);
    Count(*found->second, step, 1);
  }
}

// Counts synchronization records. They are used only if there are no waiting calls, as in some
// imported traces.
void EventCounts::AddSyncs(const EventTable& rows) {
  using namespace column;
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    Count(syncs_, StepOf(At(rows, kSyncStart, i), At(rows, kSyncThread, i)), 1);
  }
}

void EventCounts::Add(const EventTable& rows) {
  switch (rows.stream()) {
    case Stream::kKernels:
      return AddKernels(rows);
    case Stream::kCopies:
      return AddCopies(rows);
    case Stream::kSets:
      return AddSets(rows);
    case Stream::kCalls:
      return AddCalls(rows);
    case Stream::kSyncs:
      return AddSyncs(rows);
    default:
      return;
  }
}

void EventCounts::Merge(const Counters& from, std::map<std::string, int64_t>& to, WorkDone& work,
                        bool each_step) const {
  for (const auto& [name, counter] : from) {
    if (!each_step) {
      if (counter.total != 0) to[name] = counter.total;
      continue;
    }
    if (counter.unbounded) {
      work.varying.insert(name);
      continue;
    }
    if (counter.by_step.empty()) continue;
    int64_t count = 0;  // count per step, summed over the processes
    bool varies = false;
    for (const Train& train : trains_) {
      const std::span steps(counter.by_step.data() + train.place,
                            train.steps->size() - train.first);
      const std::optional<int64_t> usual = UsualCount(steps);
      varies = varies || !usual;
      count = AddSaturated(count, usual.value_or(0));
    }
    if (varies) {
      work.varying.insert(name);
    } else if (count != 0) {
      to[name] = count;
    }
  }
}

void EventCounts::Put(WorkDone& work, bool each_step) const {
  Merge(names_, work.counts, work, each_step);
  Merge(sums_, work.sums, work, each_step);
  if (!sums_.contains("syncs")) Merge({{"syncs", syncs_}}, work.sums, work, each_step);
}

void EventCounts::Whole(WorkDone& work) const { Put(work, false); }

void EventCounts::EachStep(WorkDone& work) const { Put(work, true); }

}  // namespace gprofx::compare
