// Detects expensive copies and waits: pageable memory, many small copies, round trips,
// synchronisation.
#include <algorithm>
#include <map>
#include <set>

#include "core/base/arithmetic.h"
#include "core/findings/detectors.h"

namespace gprofx::findings {
namespace {

constexpr int64_t kSmall = 65536;  // smaller copies count as small, bytes

bool Synchronizes(const Scene& scene, const LineCall& call) {
  return call.waits && call.ops == 0 &&
         scene.profile.Text(call.name).find("Synchronize") != std::string_view::npos;
}

// Returns the call after the copy `call` if it waits for that copy at the same source line, as
// after cudaMemcpy and Tensor.to(); otherwise 0.
uint32_t WaitBehind(const Scene& scene, uint32_t call) {
  const uint32_t next = call + 1;
  if (next >= scene.line.calls.size() || !Synchronizes(scene, scene.line.calls[next])) return 0;
  const FrameId own = scene.LineOf(scene.line.calls[call].node);
  return own == scene.LineOf(scene.line.calls[next].node) ? next : 0;
}

struct Copies {
  std::vector<uint32_t> ops;
  int64_t bytes = 0, ns = 0;
};

std::string CopiesText(const Scene& scene, const Copies& copies) {
  return scene.PerStepText(static_cast<int64_t>(copies.ops.size()), "copies") + " of " +
         BytesText(static_cast<double>(copies.bytes) / static_cast<double>(copies.ops.size())) +
         ", " + scene.PerStepTime(copies.ns) + " of copying";
}

struct Bus {
  double rate = 0;  // bytes per ns
  std::string how;
};

Bus BusOf(const Scene& scene, uint8_t kind) {
  std::vector<TimedCopy> copies;
  for (const LineOp& op : scene.line.ops) {
    if (op.is_copy) copies.push_back({op.copy, op.bytes, op.duration()});
  }
  const CopyRate rate = PinnedRate(scene.profile, copies, kind);
  if (rate.measured) return {rate.bytes_per_ns, "the rate of pinned copies in this recording"};
  constexpr double kUnknown = 12.5;  // GB/s, used if the device is unknown
  const double link = rate.bytes_per_ns > 0 ? rate.bytes_per_ns : kUnknown;
  return {link, CountText(link) + " GB/s (the link speed of such a device)"};
}

// Returns for each call the index of the next call that puts work on a GPU; calls.size() = none.
std::vector<uint32_t> NextWithWork(const std::vector<LineCall>& calls) {
  std::vector<uint32_t> out(calls.size());
  auto next = static_cast<uint32_t>(calls.size());
  for (uint32_t i = next; i-- > 0;) {
    out[i] = next;
    if (calls[i].ops > 0) next = i;
  }
  return out;
}

}  // namespace

Candidates FindPageableCopies(const Scene& scene) {
  std::map<uint32_t, Copies> lines;
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& op = scene.line.ops[i];
    if (!IsPageable(op.copy) || op.bytes < kSmall) continue;
    Copies& copies = lines[scene.LineOf(op.node).value];
    copies.ops.push_back(i);
    copies.bytes = AddSaturated(copies.bytes, op.bytes);
    copies.ns += op.duration();
  }
  const Bus to_device = BusOf(scene, cupti::kHostToDevice),
            to_host = BusOf(scene, cupti::kDeviceToHost);
  Candidates out;
  for (const auto& [line, copies] : lines) {
    if (!scene.Repeats(static_cast<int64_t>(copies.ops.size()))) continue;
    Candidate made;
    made.line = FrameId{line};
    made.node = scene.line.ops[copies.ops[0]].node;
    const auto bus_of = [&](uint32_t i) -> const Bus& {
      return scene.line.ops[i].copy.kind == cupti::kHostToDevice ? to_device : to_host;
    };
    for (const uint32_t i : copies.ops) {
      const LineOp& op = scene.line.ops[i];
      const double ns = static_cast<double>(op.bytes) / bus_of(i).rate;
      const auto recorded = static_cast<double>(op.duration());
      made.cure.ops.push_back({i, static_cast<int64_t>(std::min(ns, recorded))});
      // Copies to the host are not made asynchronous: the host must still wait for what it reads.
      if (op.copy.kind != cupti::kHostToDevice) continue;
      made.cure.calls.push_back(op.call);
      if (const uint32_t wait = WaitBehind(scene, op.call)) made.cure.calls.push_back(wait);
    }
    made.summary =
        "Copies from or to pageable memory go through a buffer of the driver, and the host waits";
    made.evidence = {CopiesText(scene, copies),
                     BytesText(static_cast<double>(copies.bytes) * 1e9 /
                               static_cast<double>(std::max<int64_t>(copies.ns, 1))) +
                         "/s"};
    made.computed = "with the copies at " + bus_of(copies.ops.back()).how +
                    ", and without the waits of the host for copies to the GPU";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindSmallCopies(const Scene& scene) {
  std::map<uint32_t, Copies> lines;
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& op = scene.line.ops[i];
    // Use only copies to the device. FindSyncs reports values that the host reads back one by one.
    if (!op.is_copy || op.copy.kind != cupti::kHostToDevice || op.bytes >= kSmall) continue;
    Copies& copies = lines[scene.LineOf(op.node).value];
    copies.ops.push_back(i);
    copies.bytes = AddSaturated(copies.bytes, op.bytes);
    copies.ns += op.duration();
  }
  Candidates out;
  for (const auto& [line, copies] : lines) {
    const auto count = static_cast<int64_t>(copies.ops.size());
    if (line == 0 || count < 8 * scene.Steps()) continue;
    Candidate made;
    made.line = FrameId{line};
    made.node = scene.line.ops[copies.ops[0]].node;
    // After the repair, each step has one copy of all values. The last copy of a step remains and
    // not the first, because a copy waits for the GPU: the host then computes the values before it
    // while the GPU works.
    const double gone = 1 - static_cast<double>(scene.Steps()) / static_cast<double>(count);
    int64_t host_ns = 0, copy_ns = 0;
    std::set<uint32_t> classes;
    const auto each = static_cast<size_t>(count / scene.Steps());
    for (size_t k = 0; k < copies.ops.size(); ++k) {
      const uint32_t i = copies.ops[k];
      const LineOp& op = scene.line.ops[i];
      const bool stays = k % each == each - 1;
      const uint32_t wait = WaitBehind(scene, op.call);
      if (!stays) {
        made.cure.Gone(i);
        made.cure.calls.push_back(op.call);
        if (wait != 0) made.cure.calls.push_back(wait);
      }
      const uint32_t last = wait != 0 ? wait : op.call;
      for (uint32_t call = op.call; call <= last; ++call) {
        const LineCall& at = scene.line.calls[call];
        const HostClassTimes& times = scene.line.classes[at.before_class];
        const bool inside = scene.LineOf(times.after).value == line && times.mean() < kLaunchTime;
        if (inside) classes.insert(at.before_class);
      }
    }
    for (const uint32_t i : classes) {
      host_ns += scene.line.classes[i].ns;
      for (const HostPart& part : scene.host.of_class[i]) copy_ns += part.copy_ns;
    }
    const double part = scene.host.has_samples && host_ns > 0
                            ? static_cast<double>(copy_ns) / static_cast<double>(host_ns)
                            : 1;
    std::vector<ClassShare> shares;
    for (const uint32_t i : classes) shares.push_back({i, part * gone});
    made.cure.Take(shares);
    made.summary = "Many small copies are made one by one";
    made.evidence = {CopiesText(scene, copies), TimeText(host_ns / std::max<int64_t>(count, 1)) +
                                                    " of host time from one to the next, " +
                                                    PercentText(part) +
                                                    " of it in the copy (samples)"};
    made.computed =
        "without all but one of the copies of a step, and without the host time in them";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindPingPong(const Scene& scene) {
  struct Trips {
    Copies copies;
    Cure cure;
    NodeId node;
    std::string back;
  };
  std::map<uint32_t, Trips> lines;
  const auto function_of = [&](NodeId node) {
    const FrameId line = scene.LineOf(node);
    return line ? scene.profile.frame(line).function : FunctionId{};
  };
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& there = scene.line.ops[i];
    if (!there.is_copy || there.copy.kind != cupti::kDeviceToHost || there.bytes < 4096) continue;
    const FunctionId function = function_of(there.node);
    if (!function) continue;
    for (uint32_t k = i + 1; k < std::min<size_t>(i + 64, scene.line.ops.size()); ++k) {
      const LineOp& back = scene.line.ops[k];
      if (back.is_kernel && back.call == there.call) continue;
      // The same copy again: this is the next iteration.
      if (back.is_copy && back.node == there.node) break;
      if (!back.is_copy || back.copy.kind != cupti::kHostToDevice || back.bytes != there.bytes)
        continue;
      if (function_of(back.node) != function) break;
      Trips& trips = lines[scene.LineOf(there.node).value];
      trips.copies.ops.push_back(i);
      trips.copies.bytes = AddSaturated(trips.copies.bytes, there.bytes);
      trips.copies.ns += there.duration() + back.duration();
      trips.node = there.node;
      trips.back = PlaceOf(scene.profile, scene.LineOf(back.node)).Text();
      trips.cure.Gone(i);
      trips.cure.Gone(k);
      uint32_t last = back.call;
      if (const uint32_t wait = WaitBehind(scene, back.call)) last = wait;
      for (uint32_t call = there.call; call <= last; ++call) {
        const LineCall& at = scene.line.calls[call];
        const bool kernel = at.ops > 0 && scene.line.ops[at.first_op].is_kernel;
        if (!kernel) trips.cure.calls.push_back(call);
        if (call > there.call && !kernel) trips.cure.host.push_back({call, at.before_ns});
      }
      break;
    }
  }
  Candidates out;
  for (auto& [line, trips] : lines) {
    if (!scene.Repeats(static_cast<int64_t>(trips.copies.ops.size()))) continue;
    Candidate made;
    made.line = FrameId{line};
    made.node = trips.node;
    made.cure = std::move(trips.cure);
    made.summary = "Data goes to the host and comes back in the same step";
    made.evidence = {CopiesText(scene, trips.copies) + " there and back",
                     "copied back at " + trips.back};
    made.computed = "without both copies, the waits and the host time between them";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindSyncs(const Scene& scene) {
  struct Waits {
    Cure cure;
    NodeId node;
    std::map<std::string, int64_t> names;
    // By class of the host time before or after the read of a value: number of reads.
    std::map<uint32_t, int64_t> reads;
    int64_t count = 0, ns = 0, idle_ns = 0;
  };
  std::map<uint32_t, Waits> lines;
  const std::vector<LineCall>& calls = scene.line.calls;
  const std::vector<uint32_t> next_with_work = NextWithWork(calls);
  for (uint32_t i = 0; i < calls.size(); ++i) {
    const LineCall& call = calls[i];
    const bool small_read = call.waits && call.ops > 0 &&
                            scene.line.ops[call.first_op].copy.kind == cupti::kDeviceToHost &&
                            scene.line.ops[call.first_op].bytes < kSmall;
    if (!Synchronizes(scene, call) && !small_read) continue;
    Waits& waits = lines[scene.LineOf(call.node).value];
    waits.cure.calls.push_back(i);
    waits.node = call.node;
    ++waits.count;
    waits.ns += call.end - call.begin;
    if (call.name) ++waits.names[std::string(scene.profile.Text(call.name))];
    // The wait may belong to a copy that reads a value for the host. The cure then also removes the
    // copy.
    const uint32_t copy = small_read ? i : i > 0 ? i - 1 : i;
    const LineCall& before = calls[copy];
    if (before.ops > 0 && scene.line.ops[before.first_op].is_copy &&
        scene.line.ops[before.first_op].copy.kind == cupti::kDeviceToHost &&
        scene.line.ops[before.first_op].bytes < kSmall) {
      waits.cure.Gone(before.first_op);
      waits.cure.calls.push_back(copy);
      if (copy != i) waits.cure.host.push_back({i, call.before_ns});
      ++waits.reads[before.before_class];
      if (i + 1 < calls.size()) ++waits.reads[calls[i + 1].before_class];
    }
    // Measure how long the GPU is idle after the wait, until the next operation begins.
    if (const uint32_t next = next_with_work[i]; next < calls.size()) {
      const HostNs start = scene.line.ops[calls[next].first_op].start;
      waits.idle_ns += std::max<int64_t>(start - call.end, 0);
    }
  }
  Candidates out;
  for (auto& [line, waits] : lines) {
    if (!scene.Repeats(waits.count)) continue;
    Candidate made;
    // The cure also removes the host time that is spent on reading the value.
    std::vector<ClassShare> shares;
    for (const auto& [of, count] : waits.reads) {
      int64_t ns = 0;
      for (const HostPart& part : scene.host.of_class[of]) {
        if (part.reason == HostReason::kElements) ns += part.ns;
      }
      const int64_t whole = scene.line.classes[of].ns;
      if (whole > 0) shares.push_back({of, static_cast<double>(ns) / static_cast<double>(whole)});
    }
    waits.cure.Take(shares);
    made.line = FrameId{line};
    made.node = waits.node;
    made.cure = std::move(waits.cure);
    made.summary = "The host waits for the GPU, which then waits for the next launch";
    std::string names;
    for (const auto& [name, count] : waits.names) names += (names.empty() ? "" : ", ") + name;
    made.evidence = {
        scene.PerStepText(waits.count, "waits") + (names.empty() ? "" : " in " + names) + ", " +
            scene.PerStepTime(waits.ns),
        scene.PerStepTime(waits.idle_ns) + " from the end of a wait until the GPU works again"};
    made.computed = "without the waits, so that each launch comes as early as the host can make it";
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace gprofx::findings
