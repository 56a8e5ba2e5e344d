#include "formats/variability/profile_evidence.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "core/model/host_class.h"
#include "core/model/inherit.h"
#include "core/variability/survey.h"
#include "formats/database/stream_read.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr HostNs kNearClock = 1'500'000'000;  // GPU clocks are read once a second

size_t At(Witness witness) { return static_cast<size_t>(witness); }

bool NamesAllocator(std::string_view name) {
  static constexpr std::string_view kNames[] = {"cudaMalloc", "cudaFree",      "cuMemAlloc",
                                                "cuMemFree",  "cudaHostAlloc", "cuMemHostAlloc",
                                                "empty_cache"};
  return std::any_of(std::begin(kNames), std::end(kNames), [name](std::string_view one) {
    return name.find(one) != std::string_view::npos;
  });
}

class Reader {
 public:
  Reader(const ProfileFile& file, const Profile& profile,
         const std::vector<ProcessSteps>& processes)
      : file_(file), profile_(profile), processes_(processes), classes_(profile) {
    for (size_t i = 0; i < processes.size(); ++i) {
      place_[profile.phases.trains[i].process.value] = i;
      ProcessEvidence evidence;
      evidence.process = processes[i].process;
      evidence.steps.resize(processes[i].steps.size());
      for (auto& step : evidence.steps) step.fill(-1);
      evidence_.push_back(std::move(evidence));
    }
  }

  // Returns the evidence. If a stream cannot be read, its values are unknown; the other streams are
  // still read.
  Evidence Run(std::vector<std::string>& notes) {
    if (processes_.empty()) return {};
    const auto hear = [&](const char* what, Status read, std::initializer_list<Witness> witnesses) {
      if (read) return;
      for (const Witness witness : witnesses) Forget(witness);
      notes.push_back(std::string(what) + " cannot be read, so they explain no steps");
    };
    hear("waits of threads", ReadWaits(), {Witness::kReady, Witness::kFaults, Witness::kCpus});
    hear("CPU samples", ReadCalls(), {Witness::kLoader, Witness::kAllocator});
    hear("clocks of the GPU", ReadClocks(), {Witness::kClock});
    return std::move(evidence_);
  }

 private:
  // Returns the position of a process in processes_. No value if it has no steps.
  std::optional<size_t> PlaceOf(ProcessId process) const {
    const auto found = place_.find(process.value);
    if (found == place_.end()) return std::nullopt;
    return found->second;
  }
  std::optional<size_t> PlaceOf(ThreadId thread) const {
    return thread ? PlaceOf(profile_.thread(thread).process) : std::nullopt;
  }
  void Forget(Witness witness) {
    for (ProcessEvidence& process : evidence_) {
      for (auto& step : process.steps) step[At(witness)] = -1;
    }
  }
  void Begin(size_t place, Witness witness) {
    auto& steps = evidence_[place].steps;
    // The first step shows whether the steps are already initialized.
    if (steps.empty() || steps.front()[At(witness)] >= 0) return;
    for (auto& step : steps) step[At(witness)] = 0;
  }

  // Spreads `amount` evenly over [begin, end), and adds to each step the part that lies in it.
  // Times are limited to the length of the step.
  void Spread(size_t place, Witness witness, HostNs begin, HostNs end, int64_t amount) {
    const std::vector<TimeRange>& steps = processes_[place].steps;
    auto step = std::upper_bound(steps.begin(), steps.end(), begin,
                                 [](HostNs t, const TimeRange& one) { return t < one.end; });
    for (; step != steps.end() && step->begin < end; ++step) {
      const HostNs inside = std::min(end, step->end) - std::max(begin, step->begin);
      const double share = static_cast<double>(inside) / static_cast<double>(end - begin);
      int64_t& value =
          evidence_[place].steps[static_cast<size_t>(step - steps.begin())][At(witness)];
      const int64_t most = witness == Witness::kFaults ? INT64_MAX : step->end - step->begin;
      value = std::min(value + static_cast<int64_t>(share * static_cast<double>(amount)), most);
    }
  }

  Status ReadWaits() {
    static constexpr size_t kColumns[] = {column::kThreadWaitStart,  column::kThreadWaitDuration,
                                          column::kThreadWaitThread, column::kThreadWaitReady,
                                          column::kThreadWaitFaults, column::kThreadWaitCpus};
    const auto take = [this](const EventTable& rows) {
      for (size_t i = 0, all = rows.rows(); i < all; ++i) {
        const auto at = [&](size_t column) { return rows.column(column)[i]; };
        const auto place = PlaceOf(ThreadId{static_cast<uint32_t>(at(column::kThreadWaitThread))});
        const HostNs begin = Bounded(at(column::kThreadWaitStart));
        const int64_t duration = at(column::kThreadWaitDuration);
        if (!place || duration <= 0 || duration > kMaxMagnitude) continue;
        Begin(*place, Witness::kReady);
        Begin(*place, Witness::kFaults);
        const int64_t ready = std::clamp<int64_t>(at(column::kThreadWaitReady), 0, duration);
        Spread(*place, Witness::kReady, begin, begin + duration, ready);
        Spread(*place, Witness::kFaults, begin, begin + duration,
               std::clamp<int64_t>(at(column::kThreadWaitFaults), 0, 1'000'000'000));
        TakeCpus(*place, begin, begin + duration, at(column::kThreadWaitCpus));
      }
    };
    return Read(Stream::kThreadWaits, kColumns, take);
  }

  // Sets Witness::kCpus of the steps that overlap [begin, end) to the minimum of `cpus` over the
  // threads.
  void TakeCpus(size_t place, HostNs begin, HostNs end, int64_t cpus) {
    if (cpus <= 0) return;
    const std::vector<TimeRange>& steps = processes_[place].steps;
    auto step = std::upper_bound(steps.begin(), steps.end(), begin,
                                 [](HostNs t, const TimeRange& one) { return t < one.end; });
    for (; step != steps.end() && step->begin < end; ++step) {
      int64_t& value =
          evidence_[place].steps[static_cast<size_t>(step - steps.begin())][At(Witness::kCpus)];
      value = value < 0 ? cpus : std::min(value, cpus);
    }
  }

  // Reads the samples of main threads in a data loader or an allocator, waiting samples included.
  Status ReadCalls() {
    const auto take = [this](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) {
        const auto place = PlaceOf(row.thread);
        if (!place || !IsMain(row.thread)) continue;
        Begin(*place, Witness::kLoader);
        Begin(*place, Witness::kAllocator);
        const HostNs begin = row.time - static_cast<HostNs>(row.weight);
        if (row.weight == 0) continue;
        const HostClass what = classes_.Of(row.node, row.state);
        if (what == HostClass::kDataLoading) {
          Spread(*place, Witness::kLoader, begin, row.time, row.weight);
        } else if (what != HostClass::kProfiling && IsAllocator(row.node)) {
          Spread(*place, Witness::kAllocator, begin, row.time, row.weight);
        }
      }
    };
    const Result<int64_t> read = ReadSamples(file_, INT64_MIN, INT64_MAX, take);
    return read ? Ok() : Status(read.error());
  }

  bool IsMain(ThreadId thread) const {
    const Thread& row = profile_.thread(thread);
    return row.tid == profile_.process(row.process).pid;
  }

  bool IsAllocator(NodeId node) {
    ExtendDown(profile_.nodes, allocates_, [&](bool above, FrameId id) {
      const FunctionId function = profile_.frame(id).function;
      return above || (function && NamesAllocator(profile_.Text(profile_.function(function).name)));
    });
    return node && allocates_[node.index()];
  }

  // Sets Witness::kClock of each step to the clock reading nearest to the middle of the step. If a
  // process uses several GPUs, this is the minimum over them.
  Status ReadClocks() {
    static constexpr size_t kColumns[] = {column::kEnvironmentTime, column::kEnvironmentProcess,
                                          column::kEnvironmentDevice, column::kEnvironmentSmMhz};
    std::map<std::pair<size_t, int64_t>, std::map<HostNs, int64_t>> looks;  // by process and device
    const auto take = [&](const EventTable& rows) {
      for (size_t i = 0, all = rows.rows(); i < all; ++i) {
        const auto at = [&](size_t column) { return rows.column(column)[i]; };
        const auto place =
            PlaceOf(ProcessId{static_cast<uint32_t>(at(column::kEnvironmentProcess))});
        const int64_t mhz = at(column::kEnvironmentSmMhz);
        if (!place || mhz <= 0) continue;
        looks[{*place, at(column::kEnvironmentDevice)}].emplace(
            Bounded(at(column::kEnvironmentTime)), mhz);
      }
    };
    if (Status read = Read(Stream::kGpuEnvironment, kColumns, take); !read) return read;
    for (const auto& [of, clocks] : looks) {
      const size_t place = of.first;
      for (size_t i = 0; i < evidence_[place].steps.size(); ++i) {
        const TimeRange& step = processes_[place].steps[i];
        const HostNs middle = step.begin + (step.end - step.begin) / 2;
        auto look = clocks.lower_bound(middle);
        const bool before =
            look != clocks.begin() &&
            (look == clocks.end() || middle - std::prev(look)->first < look->first - middle);
        if (before) --look;
        if (std::abs(look->first - middle) > kNearClock && i > 0 &&
            middle > clocks.begin()->first && middle < clocks.rbegin()->first) {
          continue;  // a gap in the readings
        }
        int64_t& value = evidence_[place].steps[i][At(Witness::kClock)];
        value = value < 0 ? look->second : std::min(value, look->second);
      }
    }
    return Ok();
  }

  template <class Take>
  Status Read(Stream stream, std::span<const size_t> columns, const Take& take) {
    const Result<int64_t> read = ReadEvents(file_, stream, columns, INT64_MIN, INT64_MAX, take);
    return read ? Ok() : Status(read.error());
  }

  const ProfileFile& file_;
  const Profile& profile_;
  const std::vector<ProcessSteps>& processes_;
  HostClasses classes_;
  std::map<uint32_t, size_t> place_;  // by ProcessId::value: position in processes_
  std::vector<bool> allocates_;       // by NodeId::index(): it is in an allocator
  Evidence evidence_;
};

}  // namespace

Evidence ReadProfileEvidence(const ProfileFile& file, const Profile& profile,
                             const std::vector<ProcessSteps>& processes,
                             std::vector<std::string>& notes) {
  return Reader(file, profile, processes).Run(notes);
}

}  // namespace gprofx
