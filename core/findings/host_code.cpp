#include "core/findings/host_code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace gprofx::findings {
namespace {

constexpr double kExplained = 0.7;
// Fewer samples than expected may be chance, up to this many times the square root of their number.
constexpr double kChance = 2;
// Off-CPU time counts as waiting for the GIL if other threads held the GIL for more than this
// fraction of it. The fraction is less than one, because a thread that holds the GIL may itself
// wait for a CPU.
constexpr double kHeld = 0.3;
constexpr int64_t kMinOff = 50'000;  // ns; in shorter intervals a thread rarely leaves the CPU
constexpr int64_t kMaxOfLook = 4;    // a probe accounts for at most this many probe intervals

struct Waits {  // probes that found a thread waiting
  struct Line {
    int64_t looks = 0;
    NodeId node;
  };
  std::map<std::pair<uint32_t, bool>, Line> lines;  // by FrameId::value; true: in a data loader
  int64_t looks = 0;
};

struct Sums {                   // of one class of host time
  std::vector<uint32_t> parts;  // indices in Finder::parts_
  // Results of probes. `waits`: of the thread that makes the call after the host time.
  // `waits_before`: of the one that made the call before it. These differ if autograd's thread
  // makes calls while another thread waits for it.
  Waits waits, waits_before;
  int64_t ns = 0;
  int64_t held_ns = 0;  // time in which other threads held the GIL
  bool loading = false;
};

HostReason ReasonOf(const NodeTraits& traits, bool idle, uint8_t state) {
  if (traits.loading) return HostReason::kLoading;
  // A thread that waits for the GIL wakes up every few milliseconds, so some of its samples are not
  // idle.
  if (traits.waits_for_lock && (idle || traits.in_wait)) return HostReason::kLock;
  if (idle) return HostReason::kWaiting;
  if (traits.records) return HostReason::kRecorder;
  if (traits.copies_memory) return HostReason::kMemoryCopy;
  if (traits.element) return HostReason::kElements;
  if (traits.interprets && (state & kStateMask) != kStateGilReleased) {
    return traits.in_module ? HostReason::kModules : HostReason::kInterpreter;
  }
  return HostReason::kNative;
}

class Finder {
 public:
  Finder(const Profile& profile, const TimeLine& line, const std::vector<NodeTraits>& traits,
         const FindingEvents& events)
      : profile_(profile),
        line_(line),
        traits_(traits),
        events_(events),
        sums_(line.classes.size()),
        next_(profile.threads.size()),
        holders_(profile.frames.size() + 1) {
    const auto clock = profile.meta.find("clock");
    wall_ = clock != profile.meta.end() && clock->second == "wall";
  }

  HostCode Find() {
    HostCode out;
    const auto add = [this](std::span<const SampleRow> samples) {
      has_samples_ = has_samples_ || !samples.empty();
      for (const SampleRow& sample : samples) {
        weight_.Add(sample.weight);
        Add(sample);
      }
    };
    add(events_.samples);
    if (events_.read_samples) events_.read_samples(add);
    for (const WaitPlaceEvent& wait : events_.waits) AddWait(wait);
    if (!has_samples_) AddLoading();
    out.has_samples = has_samples_;
    out.recorder_in_calls = RecorderInCalls();
    out.of_class.resize(sums_.size());
    for (size_t i = 0; i < sums_.size(); ++i) out.of_class[i] = Divide(sums_[i], line_.classes[i]);
    for (const HostCode::Holder& holder : holders_) {
      if (holder.ns > 0) out.holders.push_back(holder);
    }
    std::sort(out.holders.begin(), out.holders.end(),
              [](const auto& a, const auto& b) { return a.ns > b.ns; });
    return out;
  }

 private:
  void Add(const SampleRow& sample) {
    if (!sample.thread || !sample.node) return;
    if (profile_.thread(sample.thread).process != line_.process) return;
    const auto next = NextCall(sample.thread, sample.time);
    if (next != line_.calls.begin()) AddToCall(*(next - 1), sample);
    if (next == line_.calls.end() || sample.time < next->before_begin) return;
    Sums& sums = sums_[next->before_class];
    const NodeTraits& traits = traits_[sample.node.index()];
    const bool idle = traits.idle || (sample.state & kStateIdle) != 0;
    const bool own = sample.thread == next->thread ||
                     (!wall_ && next != line_.calls.begin() && sample.thread == (next - 1)->thread);
    if (!own) {
      if (!idle && (sample.state & kStateMask) == kStateGilHeld) {
        sums.held_ns += sample.weight;
        AddHolder(sample);
      }
      return;
    }
    const HostReason reason = ReasonOf(traits, idle, sample.state);
    const FrameId at = traits.lines.python();
    HostPart& part = PartOf(next->before_class, reason, at);
    part.node = sample.node;
    part.ns += sample.weight;
    if (traits.copies_tensor) part.copy_ns += sample.weight;
    if (traits.recomputes || traits.asks_again) part.again_ns += sample.weight;
    sums.ns += sample.weight;
    sums.loading |= reason == HostReason::kLoading;
  }

  void AddWait(const WaitPlaceEvent& wait) {
    if (!wait.thread || !wait.node) return;
    if (profile_.thread(wait.thread).process != line_.process) return;
    const auto next = NextCall(wait.thread, wait.time);
    if (next == line_.calls.end() || wait.time < next->before_begin) return;
    Sums& sums = sums_[next->before_class];
    const bool own = wait.thread == next->thread;
    if (!own && (next == line_.calls.begin() || wait.thread != (next - 1)->thread)) return;
    const NodeTraits& traits = traits_[wait.node.index()];
    Waits& waits = own ? sums.waits : sums.waits_before;
    Waits::Line& line = waits.lines[{traits.lines.python().value, traits.loading}];
    line.node = wait.node;
    ++line.looks;
    ++waits.looks;
  }

  // Adds the times of the framework's ranges of loading. Imported traces have these and no samples.
  // Nested ranges of a thread are counted once.
  void AddLoading() {
    std::unordered_map<uint32_t, HostNs> until;  // by thread
    for (const LoadingRange& range : events_.loading) {
      HostNs& done = until.try_emplace(range.thread.value, range.begin).first->second;
      const TimeRange rest{std::max(range.begin, done), range.end};
      if (rest.begin >= rest.end) continue;
      done = rest.end;
      auto call = std::upper_bound(line_.calls.begin(), line_.calls.end(), rest.begin,
                                   [](HostNs t, const LineCall& c) { return t < c.begin; });
      for (; call != line_.calls.end() && call->before_begin < rest.end; ++call) {
        const int64_t ns =
            std::min(rest.end, call->begin) - std::max(rest.begin, call->before_begin);
        if (ns <= 0 || call->thread != range.thread) continue;
        const FrameId frame = profile_.node(range.node).frame;
        HostPart& part = PartOf(call->before_class, HostReason::kLoading, frame);
        part.node = range.node;
        part.ns += ns;
        sums_[call->before_class].ns += ns;
      }
    }
  }

  void AddToCall(const LineCall& call, const SampleRow& sample) {
    const bool inside = sample.thread == call.thread && sample.time < call.end && call.node;
    if (inside && traits_[sample.node.index()].records) recorder_[call.node.value] += sample.weight;
  }

  // Returns the fraction of the time in calls that the recorder took, by node of the call.
  std::unordered_map<uint32_t, double> RecorderInCalls() const {
    std::unordered_map<uint32_t, double> ns, out;
    for (const LineCall& call : line_.calls) {
      if (call.node && call.end > call.begin)
        ns[call.node.value] += static_cast<double>(call.end - call.begin);
    }
    for (const auto& [node, cost] : recorder_) {
      const double whole = ns[node];
      if (whole > 0) out[node] = std::min(static_cast<double>(cost) / whole, 1.0);
    }
    return out;
  }

  // Returns the first call of the thread that begins after `time`. The search starts at the result
  // for the previous sample, because samples and calls mostly come in order of time.
  std::vector<LineCall>::const_iterator NextCall(ThreadId thread, HostNs time) {
    const std::vector<LineCall>& calls = line_.calls;
    size_t& next = next_[thread.index()];
    if (next > 0 && calls[next - 1].begin > time) {
      const auto behind = std::upper_bound(calls.begin(), calls.end(), time,
                                           [](HostNs t, const LineCall& c) { return t < c.begin; });
      next = static_cast<size_t>(behind - calls.begin());
    }
    while (next < calls.size() && calls[next].begin <= time) ++next;
    return calls.begin() + static_cast<std::ptrdiff_t>(next);
  }

  HostPart& PartOf(uint32_t of_class, HostReason reason, FrameId line) {
    const uint64_t key = uint64_t{of_class} << 32 | line.value;
    const auto [found, is_new] =
        index_[static_cast<size_t>(reason)].try_emplace(key, static_cast<uint32_t>(parts_.size()));
    if (is_new) {
      sums_[of_class].parts.push_back(found->second);
      HostPart part;
      part.reason = reason;
      part.line = line;
      parts_.push_back(part);
    }
    return parts_[found->second];
  }

  void AddHolder(const SampleRow& sample) {
    const FrameId at = traits_[sample.node.index()].lines.python();
    HostCode::Holder& holder = holders_[at.value];
    holder.line = at;
    holder.node = sample.node;
    holder.thread = sample.thread;
    holder.ns += sample.weight;
  }

  // Returns the line of the call before the host time or, if there is none, of the call after it.
  // Used for classes without samples.
  FrameId LineAround(const HostClassTimes& times) const {
    if (times.after) return traits_[times.after.index()].lines.python();
    return times.before ? traits_[times.before.index()].lines.python() : FrameId{};
  }

  // True if `ns` of samples is too little for a thread that ran during all of the time `whole`.
  bool IsTooLittle(int64_t ns, int64_t whole) const {
    const auto seen = static_cast<double>(ns), all = static_cast<double>(whole);
    return seen < kExplained * all && seen < all - kChance * std::sqrt(all * weight_.mean());
  }

  static HostReason ReasonOfWait(const Sums& sums, int64_t off_ns, bool loading) {
    if (loading) return HostReason::kLoading;
    const bool held = static_cast<double>(sums.held_ns) > kHeld * static_cast<double>(off_ns);
    return held ? HostReason::kLock : HostReason::kWaiting;
  }

  // Distributes off-CPU time among the lines at which probes found the thread waiting. Returns how
  // many ns were distributed.
  static int64_t AddWaits(const Sums& sums, int64_t off_ns, std::vector<HostPart>& parts) {
    const Waits& waits = sums.waits.looks > 0 ? sums.waits : sums.waits_before;
    const int64_t told = std::min(off_ns, waits.looks * kWaitLookNs * kMaxOfLook);
    int64_t looks = 0, given = 0;
    for (const auto& [key, line] : waits.lines) {
      looks += line.looks;
      const auto until = static_cast<int64_t>(static_cast<__int128>(told) * looks / waits.looks);
      HostPart part;
      part.reason = ReasonOfWait(sums, off_ns, key.second);
      part.line = FrameId{key.first};
      part.node = line.node;
      part.ns = until - given;
      given = until;
      parts.push_back(part);
    }
    return told;
  }

  std::vector<HostPart> Divide(const Sums& sums, const HostClassTimes& times) const {
    std::vector<HostPart> parts;
    for (const uint32_t part : sums.parts) parts.push_back(parts_[part]);
    int64_t left = times.ns - sums.ns;
    const bool is_long = times.mean() >= kMinOff;
    const bool off = !wall_ && has_samples_ && is_long && IsTooLittle(sums.ns, times.ns);
    if (off) {
      // Number of parts from samples; they come before those from probes.
      const size_t sampled = parts.size();
      HostPart rest;
      rest.ns = left - AddWaits(sums, left, parts);
      if (rest.ns == 0) return parts;
      rest.line = LineAround(times);
      rest.node = times.after ? times.after : times.before;
      rest.nearby = true;
      // Use the line with the most samples of this class. If the class contains loading, use only
      // lines of loading.
      int64_t most = 0;
      for (size_t i = 0; i < sampled; ++i) {
        const HostPart& part = parts[i];
        const bool fits = part.line && (!sums.loading || part.reason == HostReason::kLoading);
        if (!fits || part.ns <= most) continue;
        most = part.ns;
        rest.nearby = !sums.loading;
        rest.line = part.line;
        rest.node = part.node;
      }
      rest.reason = ReasonOfWait(sums, left, sums.loading);
      parts.push_back(rest);
      return parts;
    }
    if (wall_ && static_cast<double>(sums.held_ns) > kHeld * static_cast<double>(times.ns)) {
      for (HostPart& part : parts) {
        if (part.reason == HostReason::kWaiting) part.reason = HostReason::kLock;
      }
    }
    if (parts.empty() || (!has_samples_ && left > 0)) {
      HostPart unknown;
      unknown.ns = left;
      unknown.line = LineAround(times);
      unknown.node = times.before;
      parts.push_back(unknown);
      return parts;
    }
    const double scale =
        static_cast<double>(times.ns) / static_cast<double>(std::max<int64_t>(sums.ns, 1));
    for (HostPart& part : parts) {
      part.ns = static_cast<int64_t>(static_cast<double>(part.ns) * scale);
      part.copy_ns = static_cast<int64_t>(static_cast<double>(part.copy_ns) * scale);
      part.again_ns = static_cast<int64_t>(static_cast<double>(part.again_ns) * scale);
    }
    return parts;
  }

  const Profile& profile_;
  const TimeLine& line_;
  const std::vector<NodeTraits>& traits_;
  const FindingEvents& events_;
  std::vector<Sums> sums_;
  std::vector<size_t> next_;  // by thread: position of the call after its latest sample
  // Time of the recorder in calls, by NodeId::value of the call.
  std::unordered_map<uint32_t, int64_t> recorder_;
  std::vector<HostPart> parts_;
  // For each reason, a map from class and line to the position in parts_.
  std::array<std::unordered_map<uint64_t, uint32_t>, kHostReasons> index_;
  std::vector<HostCode::Holder> holders_;  // by FrameId::value
  struct Weights {                         // of all samples
    double ns = 0, count = 0;
    void Add(int64_t weight) {
      ns += static_cast<double>(weight);
      ++count;
    }
    double mean() const { return count > 0 ? ns / count : 0; }
  };
  Weights weight_;
  bool wall_ = false, has_samples_ = false;
};

}  // namespace

HostCode FindHostCode(const Profile& profile, const TimeLine& line,
                      const std::vector<NodeTraits>& traits, const FindingEvents& events) {
  return Finder(profile, line, traits, events).Find();
}

}  // namespace gprofx::findings
