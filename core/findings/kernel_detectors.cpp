// Detects kernels that could be fused or could run faster.
#include <algorithm>
#include <map>
#include <span>

#include "core/analyses/work.h"
#include "core/findings/detectors.h"
#include "core/kernels/launch_work.h"

namespace gprofx::findings {
namespace {

// Returns the number of kernels in one iteration, if `run` is a loop that launches the same kernels
// in each iteration. If nothing repeats, returns the length of the run, or 1 if that exceeds
// kLongest. Iterations match if nearly all kernels do, because a call path may differ by accident
// (a truncated stack).
size_t TurnOf(const Scene& scene, const std::vector<uint32_t>& run) {
  constexpr size_t kLongest = 64;
  const auto node = [&](size_t i) { return scene.line.ops[run[i]].node; };
  for (size_t turn = 1; 2 * turn <= run.size() && turn <= kLongest; ++turn) {
    const size_t pairs = run.size() - turn;
    size_t others = 0;
    for (size_t i = turn; i < run.size() && 10 * others <= pairs; ++i) {
      others += node(i) != node(i - turn) ? 1 : 0;
    }
    if (10 * others <= pairs && (others == 0 || pairs > turn)) return turn;
  }
  // Nothing repeats. A run of more than kLongest kernels is too long to fuse into one.
  return run.empty() || run.size() > kLongest ? 1 : run.size();
}

}  // namespace

Candidates FindFusable(const Scene& scene) {
  constexpr int64_t kMin = 3'000;  // ns; shorter kernels are limited by launches
  struct Sequences {
    Cure cure;
    int64_t count = 0, kernels = 0, ns = 0;
    NodeId node;
    std::map<std::string, int64_t> names;
  };
  std::map<uint32_t, Sequences> lines;
  std::vector<uint32_t> run;
  const auto add = [&](std::span<const uint32_t> part) {
    int64_t least = INT64_MAX, most = 0, ns = 0;
    for (const uint32_t i : part) {
      const int64_t own = scene.line.ops[i].duration();
      least = std::min(least, own);
      most = std::max(most, own);
      ns += own;
    }
    if (part.size() < 3 || least < kMin || most > 5 * least) return;
    Sequences& into = lines[scene.at(scene.line.ops[part[0]].node).lines.any.value];
    into.node = scene.line.ops[part[0]].node;
    ++into.count;
    into.kernels += static_cast<int64_t>(part.size());
    into.ns += ns;
    for (size_t i = 0; i < part.size(); ++i) {
      ++into.names[scene.Kernel(scene.line.ops[part[i]]).what.what];
      if (i == 0) {
        into.cure.ops.push_back({part[i], least});
      } else {
        into.cure.Gone(part[i]);
      }
    }
  };
  const auto end = [&] {
    const size_t turn = TurnOf(scene, run);
    for (size_t i = 0; i < run.size(); i += turn) {
      add(std::span(run).subspan(i, std::min(turn, run.size() - i)));
    }
    run.clear();
  };
  // Collect sequences of kernels. Work on other streams does not interrupt a sequence; work of
  // other kinds on the same stream does.
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& op = scene.line.ops[i];
    const FrameId at = scene.at(op.node).lines.any;
    const bool fits = op.is_kernel && at && !scene.at(op.node).in_engine &&
                      scene.Kernel(op).what.family == KernelFamily::kElementwise;
    if (!run.empty()) {
      const LineOp& first = scene.line.ops[run[0]];
      if (op.stream != first.stream) continue;
      if (!fits || scene.at(first.node).lines.any != at) end();
    }
    if (fits) run.push_back(i);
  }
  end();
  Candidates out;
  for (auto& [line, found] : lines) {
    Candidate made;
    made.line = FrameId{line};
    made.node = found.node;
    made.cure = std::move(found.cure);
    made.summary = "Elementwise kernels of one line write and read memory between them";
    std::string names;
    for (const auto& [name, count] : found.names) names += (names.empty() ? "" : ", ") + name;
    made.evidence = {
        scene.PerStepText(found.count, "sequences") + " of " +
            CountText(static_cast<double>(found.kernels) / static_cast<double>(found.count)) +
            " kernels, " + scene.PerStepTime(found.ns),
        "kernels: " + names};
    made.computed =
        "with each sequence as long as its shortest kernel, which reads and writes memory once";
    out.push_back(std::move(made));
  }
  return out;
}

namespace {

// True if the name of a matrix product's kernel says that it runs on ordinary cores. False if it is
// not clear.
bool RunsOnOrdinaryCores(const KernelName& kernel) {
  const bool product =
      kernel.what.family == KernelFamily::kGemm || kernel.what.family == KernelFamily::kConvolution;
  if (!product) return false;
  const auto holds = [&](std::string_view part) {
    return kernel.full.find(part) != std::string_view::npos;
  };
  if (holds("tf32") || holds("tensorop") || holds("s1688") || holds("bf16") || holds("f16"))
    return false;
  return holds("sgemm") || holds("_ffma_") || holds("simt_s") || holds("scudnn");
}

}  // namespace

Candidates FindNoTensorCores(const Scene& scene) {
  const auto slow = analyses::PeaksOf(scene.DeviceName(), "f32"),
             fast = analyses::PeaksOf(scene.DeviceName(), "tf32");
  if (!slow || !fast) return {};
  struct Products {
    Cure cure;
    NodeId node;
    int64_t count = 0, ns = 0;
    std::string name;
  };
  const double part = slow->flop_per_s / fast->flop_per_s;
  if (part >= 1) return {};
  std::map<uint32_t, Products> lines;
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& op = scene.line.ops[i];
    if (!op.is_kernel) continue;
    const KernelName& kernel = scene.Kernel(op);
    if (!RunsOnOrdinaryCores(kernel)) continue;
    Products& into = lines[scene.LineOf(op.node).value];
    into.node = op.node;
    into.name = kernel.what.what;
    ++into.count;
    into.ns += op.duration();
    into.cure.ops.push_back({i, static_cast<int64_t>(part * static_cast<double>(op.duration()))});
  }
  Candidates out;
  for (auto& [line, found] : lines) {
    Candidate made;
    made.line = FrameId{line};
    made.node = found.node;
    made.cure = std::move(found.cure);
    made.summary = "Products of 32-bit matrices do not use tensor cores";
    made.evidence = {scene.PerStepText(found.count, "kernels") + " such as " + found.name + ", " +
                     scene.PerStepTime(found.ns)};
    made.computed =
        "with their time divided by the ratio of the device's peaks for tf32 and f32, " +
        CountText(fast->flop_per_s / slow->flop_per_s) + " to 1";
    out.push_back(std::move(made));
  }
  return out;
}

namespace {

int64_t SizeOf(std::string_view type) {
  if (type == "f64" || type == "i64") return 8;
  if (type == "f32" || type == "i32") return 4;
  if (type == "f16" || type == "bf16" || type == "i16") return 2;
  return 0;
}

}  // namespace

Candidates FindStridedAccess(const Scene& scene) {
  constexpr double kReached = 0.85;  // fraction of the memory bandwidth that good kernels reach
  constexpr double kTimes = 2;       // report kernels that are at least this much slower
  const auto rate = static_cast<double>(scene.DeviceBandwidth()) * kReached / 1e9;  // bytes a ns
  if (rate <= 0) return {};
  struct Kernels {
    Cure cure;
    NodeId node;
    int64_t count = 0, ns = 0, least_ns = 0;
    std::string name;
  };
  std::map<uint32_t, Kernels> lines;
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    const LineOp& op = scene.line.ops[i];
    if (!op.is_kernel) continue;
    const KernelWhat& what = scene.Kernel(op).what;
    // Leave out backward passes, in which the line to change is unknown.
    if (!what.variant.starts_with("strided") || scene.at(op.node).in_engine) continue;
    const int64_t size = SizeOf(what.what.substr(what.what.rfind(' ') + 1));
    if (size == 0 || !op.config) continue;
    const GpuKernelConfig& config = scene.profile.gpu.configs[op.config.index()];
    const int64_t elements =
        WorkOfLaunch(scene.Kernel(op).full, config, ThreadWork::kUnknown).elements;
    if (elements == 0) continue;
    // Assume that the kernel reads at most two tensors and writes one.
    const bool unary =
        what.family == KernelFamily::kCopy || what.what.find("scalar") != std::string::npos;
    const double bytes = static_cast<double>(elements * size * (unary ? 2 : 3));
    const auto least = static_cast<int64_t>(bytes / rate);
    if (static_cast<double>(op.duration()) < kTimes * static_cast<double>(least)) continue;
    Kernels& into = lines[scene.LineOf(op.node).value];
    into.node = op.node;
    into.name = what.what;
    ++into.count;
    into.ns += op.duration();
    into.least_ns += least;
    into.cure.ops.push_back({i, least});
  }
  Candidates out;
  for (auto& [line, found] : lines) {
    Candidate made;
    made.line = FrameId{line};
    made.node = found.node;
    made.cure = std::move(found.cure);
    made.summary = "A kernel reads or writes memory with large strides";
    made.evidence = {
        scene.PerStepText(found.count, "kernels") + " \"" + found.name + "\", " +
            scene.PerStepTime(found.ns),
        "their elements take " + scene.PerStepTime(found.least_ns) + " at the memory's bandwidth"};
    made.computed =
        "with those kernels at 85% of the memory bandwidth, if each element is read or written "
        "once";
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace gprofx::findings
