// Detects what the host does while a GPU is idle: wait for data or a lock, copy memory, iterate
// over elements, compute or sleep.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/findings/detectors.h"

namespace gprofx::findings {
namespace {

struct Found {
  NodeId node;
  FrameId line;
  int64_t ns = 0;
  int64_t count = 0;      // number of intervals
  int64_t nearby_ns = 0;  // at lines that have no samples of their own
  std::vector<ClassShare> shares;
  std::map<uint32_t, std::pair<int64_t, NodeId>> lines;
};

// Selects host time. Collect() sums the host time for which it is true, by line or in one sum.
using Wanted = std::function<bool(const HostPart&, const HostClassTimes&)>;
std::map<uint32_t, Found> Collect(const Scene& scene, const Wanted& wanted, bool by_line) {
  std::map<uint32_t, Found> found;
  for (size_t i = 0; i < scene.host.of_class.size(); ++i) {
    const HostClassTimes& times = scene.line.classes[i];
    if (times.ns <= 0) continue;
    for (const HostPart& part : scene.host.of_class[i]) {
      if (part.ns <= 0 || !wanted(part, times)) continue;
      Found& into = found[by_line ? part.line.value : 0];
      if (into.shares.empty() || into.shares.back().of != i) {
        into.shares.push_back({static_cast<uint32_t>(i), 0});
      }
      into.shares.back().share += static_cast<double>(part.ns) / static_cast<double>(times.ns);
      into.ns += part.ns;
      into.count += times.count;
      if (part.nearby) into.nearby_ns += part.ns;
      auto& [ns, node] = into.lines[part.line.value];
      ns += part.ns;
      node = part.node;
    }
  }
  std::erase_if(found, [&](const auto& entry) { return entry.second.ns < scene.Floor(); });
  for (auto& [key, into] : found) {
    int64_t most = -1;
    for (const auto& [at, sum] : into.lines) {
      if (sum.first <= most) continue;
      most = sum.first;
      into.line = FrameId{at};
      into.node = sum.second;
    }
  }
  return found;
}

std::string LineText(const Scene& scene, FrameId line) {
  const std::string text = PlaceOf(scene.profile, line).Text();
  return text.empty() ? "code without a Python line" : text;
}

bool IsTraceOfPyTorch(const Profile& profile) {
  const auto from = profile.meta.find("imported_from");
  return from != profile.meta.end() && from->second.find("PyTorch") != std::string::npos;
}

// Adds to the evidence the three lines with the most time.
void AddLines(const Scene& scene, const Found& found, Candidate& out) {
  const bool has_lines = found.lines.size() > 1 || found.lines.begin()->first != 0;
  if (!has_lines && IsTraceOfPyTorch(scene.profile)) {
    out.evidence.push_back(
        "the trace has no Python stacks; torch.profiler records them with with_stack=True");
    return;
  }
  std::vector<std::pair<int64_t, uint32_t>> lines;
  for (const auto& [at, sum] : found.lines) lines.push_back({sum.first, at});
  std::sort(lines.rbegin(), lines.rend());
  for (size_t i = 0; i < std::min<size_t>(lines.size(), 3); ++i) {
    out.evidence.push_back(scene.PerStepTime(lines[i].first) + " at " +
                           LineText(scene, FrameId{lines[i].second}));
  }
}

Candidate Make(const Scene& scene, const Found& found) {
  Candidate out;
  out.node = found.node;
  out.line = found.line;
  out.cure.Take(found.shares);
  out.evidence.push_back(scene.PerStepTime(found.ns) +
                         " of host time between the calls of the launching thread");
  AddLines(scene, found, out);
  if (2 * found.nearby_ns > found.ns) {
    out.evidence.push_back(
        "there is no sample of CPU time, so the line is that of the previous call (record --clock "
        "wall shows the line)");
  }
  out.computed = "without that host time";
  return out;
}

bool IsLong(const HostClassTimes& times) { return times.mean() >= kLaunchTime; }

// Returns the lines that spend most of their host time on calling modules. Native code at these
// lines belongs to these calls, too: it creates and deletes objects and reads arguments.
std::set<uint32_t> LinesOfModules(const Scene& scene) {
  // By line: time of module calls, and total time.
  std::map<uint32_t, std::pair<int64_t, int64_t>> lines;
  for (size_t i = 0; i < scene.host.of_class.size(); ++i) {
    if (!IsLong(scene.line.classes[i])) continue;
    for (const HostPart& part : scene.host.of_class[i]) {
      auto& [modules_ns, all_ns] = lines[part.line.value];
      if (part.reason == HostReason::kModules) modules_ns += part.ns;
      all_ns += part.ns;
    }
  }
  std::set<uint32_t> out;
  for (const auto& [line, ns] : lines) {
    if (line != 0 && 2 * ns.first > ns.second) out.insert(line);
  }
  return out;
}

}  // namespace

Candidates FindSlowLoader(const Scene& scene) {
  Candidates out;
  const auto wanted = [](const HostPart& part, const HostClassTimes& times) {
    return part.reason == HostReason::kLoading && IsLong(times);
  };
  for (const auto& [key, found] : Collect(scene, wanted, false)) {
    if (!scene.Repeats(found.count)) continue;
    Candidate made = Make(scene, found);
    made.summary = "The step waits for its data";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindLockWaits(const Scene& scene) {
  Candidates out;
  const auto wanted = [](const HostPart& part, const HostClassTimes& times) {
    return part.reason == HostReason::kLock && IsLong(times);
  };
  for (const auto& [key, found] : Collect(scene, wanted, false)) {
    if (!scene.Repeats(found.count)) continue;
    Candidate made = Make(scene, found);
    made.summary = "The launching thread waits for a lock";
    if (!scene.host.holders.empty()) {
      const HostCode::Holder& holder = scene.host.holders[0];
      const Thread& thread = scene.profile.thread(holder.thread);
      made.summary =
          "The launching thread waits for the interpreter's lock, which another thread holds";
      made.evidence.push_back("thread " + std::to_string(thread.tid) + " (" +
                              std::string(scene.profile.Text(thread.name)) + ") ran Python at " +
                              LineText(scene, holder.line) + " meanwhile, " +
                              scene.PerStepTime(holder.ns));
      made.node = holder.node;
      made.line = holder.line;
    }
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindHostCopies(const Scene& scene) {
  Candidates out;
  const auto wanted = [](const HostPart& part, const HostClassTimes&) {
    return part.reason == HostReason::kMemoryCopy;
  };
  for (const auto& [key, found] : Collect(scene, wanted, true)) {
    Candidate made = Make(scene, found);
    made.summary = "Memory of the host is copied while the GPU waits";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindElementLoops(const Scene& scene) {
  Candidates out;
  // The Python code of the loop over the elements is at the same line.
  const auto elements = Collect(
      scene,
      [](const HostPart& part, const HostClassTimes& times) {
        return part.reason == HostReason::kElements && times.mean() >= 5 * kLaunchTime;
      },
      true);
  for (const auto& [key, some] : elements) {
    if (key == 0) continue;
    const auto all = Collect(
        scene,
        [&, line = key](const HostPart& part, const HostClassTimes& times) {
          return part.line.value == line && IsLong(times) &&
                 (part.reason == HostReason::kElements || part.reason == HostReason::kNative ||
                  part.reason == HostReason::kInterpreter || part.reason == HostReason::kModules);
        },
        true);
    const auto found = all.find(key);
    if (found == all.end() || some.ns * 5 < found->second.ns) continue;
    Candidate made = Make(scene, found->second);
    made.summary = "A Python loop goes through the elements of a tensor or an array";
    made.evidence.push_back(
        PercentText(static_cast<double>(some.ns) / static_cast<double>(found->second.ns)) +
        " of the line's samples take an element or a slice");
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindGpuGaps(const Scene& scene) {
  struct Cause {
    HostReason reason;
    const char* text;
  };
  static constexpr Cause kCauses[] = {
      {HostReason::kWaiting, "the host sleeps or waits"},
      {HostReason::kInterpreter, "the host runs Python"},
      {HostReason::kNative, "the host runs native code"},
      {HostReason::kUnknown, "the host launches nothing"},
  };
  Candidates out;
  // Left out: FindInterpreter reports them.
  const std::set<uint32_t> of_modules = LinesOfModules(scene);
  for (const Cause& cause : kCauses) {
    const bool runs =
        cause.reason == HostReason::kInterpreter || cause.reason == HostReason::kNative;
    const auto wanted = [&](const HostPart& part, const HostClassTimes& times) {
      if (runs && of_modules.contains(part.line.value)) return false;
      return part.reason == cause.reason && IsLong(times);
    };
    for (const auto& [key, found] : Collect(scene, wanted, true)) {
      if (!scene.Repeats(found.count)) continue;
      Candidate made = Make(scene, found);
      made.summary = std::string("The GPU has nothing to do while ") + cause.text;
      out.push_back(std::move(made));
    }
  }
  return out;
}

namespace {

struct LaunchBound {
  std::vector<ClassShare> all;
  int64_t ns = 0, python_ns = 0, known_ns = 0;
  std::map<uint32_t, std::pair<int64_t, NodeId>> lines;
  int64_t launches = 0, kernel_ns = 0, kernels = 0;
};

constexpr int64_t kShortKernel = 10'000;

// Finds classes of host time that limit the GPU: the kernels launched after the host time run, on
// average, for less time than the host time takes, or for less than kShortKernel.
LaunchBound FindLaunchBound(const Scene& scene) {
  LaunchBound out;
  const size_t classes = scene.line.classes.size();
  std::vector<int64_t> kernel_ns(classes), kernels(classes);
  for (const LineCall& call : scene.line.calls) {
    for (uint32_t k = call.first_op; k < call.first_op + call.ops; ++k) {
      if (!scene.line.ops[k].is_kernel) continue;
      kernel_ns[call.before_class] += scene.line.ops[k].duration();
      ++kernels[call.before_class];
    }
  }
  for (size_t i = 0; i < classes; ++i) {
    const HostClassTimes& times = scene.line.classes[i];
    if (times.ns <= 0 || IsLong(times) || kernels[i] == 0) continue;
    if (kernel_ns[i] / kernels[i] >= std::max(kShortKernel, times.mean())) continue;
    out.all.push_back({static_cast<uint32_t>(i), 1});
    out.ns += times.ns;
    out.launches += times.count;
    out.kernel_ns += kernel_ns[i];
    out.kernels += kernels[i];
    const FrameId at = scene.LineOf(times.before);
    auto& [sum, node] = out.lines[at.value];
    sum += times.ns;
    node = times.before;
    for (const HostPart& part : scene.host.of_class[i]) {
      if (part.reason == HostReason::kUnknown) continue;
      out.known_ns += part.ns;
      const bool python =
          part.reason == HostReason::kModules || part.reason == HostReason::kInterpreter;
      if (python) out.python_ns += part.ns;
    }
  }
  return out;
}

std::pair<FrameId, NodeId> Heaviest(const std::map<uint32_t, std::pair<int64_t, NodeId>>& lines) {
  std::pair<FrameId, NodeId> out;
  int64_t most = -1;
  for (const auto& [at, sum] : lines) {
    if (sum.first <= most) continue;
    most = sum.first;
    out = {FrameId{at}, sum.second};
  }
  return out;
}

}  // namespace

Candidates FindInterpreter(const Scene& scene) {
  const LaunchBound bound = FindLaunchBound(scene);
  const std::set<uint32_t> lines = LinesOfModules(scene);
  const bool mostly = bound.known_ns > 0 && 2 * bound.python_ns > bound.known_ns;
  const auto wanted = [&](const HostPart& part, const HostClassTimes& times) {
    const bool modules = part.reason == HostReason::kModules;
    const bool python = modules || part.reason == HostReason::kInterpreter;
    if (!IsLong(times)) return python && mostly;
    if (modules) return true;
    const bool runs = python || part.reason == HostReason::kNative;
    return runs && lines.contains(part.line.value);
  };
  Candidates out;
  for (const auto& [key, found] : Collect(scene, wanted, false)) {
    Candidate made = Make(scene, found);
    made.summary = "The host runs Python between launches";
    made.computed = "without the interpreter's part of the host time between launches";
    out.push_back(std::move(made));
  }
  return out;
}

Candidates FindSmallKernels(const Scene& scene) {
  const LaunchBound bound = FindLaunchBound(scene);
  if (bound.kernels < 8 * scene.Steps()) return {};
  Candidate out;
  std::tie(out.line, out.node) = Heaviest(bound.lines);
  out.cure.Take(bound.all);
  out.summary = "Kernels are shorter than the time that the host needs to launch them";
  out.evidence = {scene.PerStepText(bound.kernels, "kernels") + " of " +
                      TimeText(bound.kernel_ns / bound.kernels) + " each",
                  TimeText(bound.ns / std::max<int64_t>(bound.launches, 1)) +
                      " of host time from one launch to the next",
                  "most of it at " + LineText(scene, out.line)};
  out.computed =
      "without the host time between launches, as in a CUDA graph. Gaps between operations in a "
      "queue remain";
  return {out};
}

Cure RecordingCost(const Scene& scene) {
  Cure out;
  const auto wanted = [](const HostPart& part, const HostClassTimes&) {
    return part.reason == HostReason::kRecorder;
  };
  for (const auto& [key, found] : Collect(scene, wanted, false)) {
    out.Take(found.shares);
  }
  for (uint32_t i = 0; i < scene.line.calls.size(); ++i) {
    const LineCall& call = scene.line.calls[i];
    const auto part = scene.host.recorder_in_calls.find(call.node.value);
    if (part == scene.host.recorder_in_calls.end() || call.end <= call.begin) continue;
    const auto ns = static_cast<double>(call.end - call.begin);
    out.shorter.push_back({i, static_cast<int64_t>(part->second * ns)});
  }
  return out;
}

}  // namespace gprofx::findings
