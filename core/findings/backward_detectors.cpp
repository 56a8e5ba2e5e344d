// Detects slow code in backward passes: custom backward functions in Python, and recomputation.
#include <algorithm>
#include <map>

#include "core/findings/detectors.h"

namespace gprofx::findings {
namespace {

// Adds to `cure` the removal of a fraction of some code. This removes `part` of the time of its
// operations, and of the host time between its calls. inside(traits) is true for nodes of that
// code.
template <class Inside>
void TakeCode(const Scene& scene, const Inside& inside, double part, Cure& cure) {
  bool was = false;
  for (uint32_t i = 0; i < scene.line.calls.size(); ++i) {
    const LineCall& call = scene.line.calls[i];
    const bool is = call.node && inside(scene.at(call.node));
    if (is && was && !call.first_of_segment) {
      cure.host.push_back({i, static_cast<int64_t>(part * static_cast<double>(call.before_ns))});
    }
    was = is;
    for (uint32_t k = call.first_op; k < call.first_op + call.ops; ++k) {
      if (!inside(scene.at(scene.line.ops[k].node))) continue;
      const auto ns = static_cast<double>(scene.line.ops[k].duration());
      cure.ops.push_back({k, static_cast<int64_t>((1 - part) * ns)});
    }
  }
}

}  // namespace

Candidates FindSlowBackward(const Scene& scene) {
  // Time of a backward pass as a multiple of its forward pass.
  constexpr int64_t kMax = 4, kUsual = 2;
  struct Sums {
    int64_t ns = 0, gpu_ns = 0, launches = 0;
    std::map<uint32_t, std::pair<int64_t, NodeId>> lines;
  };
  std::map<FunctionId, Sums> backward, forward;
  FunctionId was_backward, was_forward;
  for (const LineCall& call : scene.line.calls) {
    const NodeTraits* traits = scene.Around(call.node);
    const FunctionId b = traits == nullptr ? FunctionId{} : traits->backward;
    const FunctionId f = traits == nullptr ? FunctionId{} : traits->forward;
    int64_t gpu_ns = 0;
    for (uint32_t k = call.first_op; k < call.first_op + call.ops; ++k) {
      gpu_ns += scene.line.ops[k].duration();
    }
    const auto add = [&](Sums& sums, bool follows) {
      const int64_t host = follows ? call.before_ns : 0;
      sums.ns += std::max(host, gpu_ns);
      sums.gpu_ns += gpu_ns;
      ++sums.launches;
      auto& [ns, node] = sums.lines[scene.LineOf(call.node).value];
      ns += std::max(host, gpu_ns);
      node = call.node;
    };
    if (b) add(backward[b], b == was_backward);
    if (f && !b) add(forward[f], f == was_forward);
    was_backward = b;
    was_forward = b ? FunctionId{} : f;
  }
  Candidates out;
  for (const auto& [function, sums] : backward) {
    const Function& of = scene.profile.function(function);
    const std::string_view name = scene.profile.Text(of.name);
    const std::string_view type = name.substr(0, name.size() - std::string_view("backward").size());
    const auto pair = std::find_if(forward.begin(), forward.end(), [&](const auto& entry) {
      const Function& other = scene.profile.function(entry.first);
      return other.file == of.file &&
             scene.profile.Text(other.name) == std::string(type) + "forward";
    });
    // There is no forward pass for comparison.
    if (pair == forward.end() || pair->second.ns <= 0) continue;
    if (sums.ns <= kMax * pair->second.ns) continue;
    Candidate made;
    int64_t most = -1;
    for (const auto& [line, sum] : sums.lines) {
      if (sum.first <= most) continue;
      most = sum.first;
      made.line = FrameId{line};
      made.node = sum.second;
    }
    const double part =
        1 - static_cast<double>(kUsual * pair->second.ns) / static_cast<double>(sums.ns);
    const auto& made_by = function;  // compilers of 2022 cannot capture structured bindings
    TakeCode(
        scene, [&](const NodeTraits& traits) { return traits.backward == made_by; }, part,
        made.cure);
    made.summary = std::string(name) + " takes " +
                   CountText(static_cast<double>(sums.ns) / static_cast<double>(pair->second.ns)) +
                   " times as long as its forward pass";
    made.evidence = {"backward: " + scene.PerStepTime(sums.ns) + ", " +
                         scene.PerStepText(sums.launches, "launches"),
                     "forward: " + scene.PerStepTime(pair->second.ns) + ", " +
                         scene.PerStepText(pair->second.launches, "launches")};
    made.computed = "with the backward pass shortened to twice the forward pass";
    out.push_back(std::move(made));
  }
  return out;
}

namespace {

// Returns bits for the calls before and after an interval of host time. They say whether a call is
// in the forward pass of a checkpoint, in a backward pass, or in recomputed code.
uint8_t Surroundings(const Scene& scene, const HostClassTimes& times) {
  const auto bits = [&](NodeId node) {
    const NodeTraits* at = scene.Around(node);
    if (at == nullptr) return 0;
    return (at->recomputes ? 1 : 0) | (at->in_engine ? 2 : 0) | (at->checkpoint ? 4 : 0);
  };
  return static_cast<uint8_t>(bits(times.after) << 3 | bits(times.before));
}

// Returns the fraction of each class of host time that is recomputation. If a class has no samples,
// it gets the fraction of all classes with the same Surroundings() together.
std::vector<ClassShare> SharesAgain(const Scene& scene) {
  struct Sums {
    int64_t again_ns = 0, known_ns = 0;
  };
  const auto of_class = [&](size_t i) {
    Sums sums;
    for (const HostPart& part : scene.host.of_class[i]) {
      sums.again_ns += part.again_ns;
      if (part.reason != HostReason::kUnknown) sums.known_ns += part.ns;
    }
    return sums;
  };
  std::vector<Sums> around(64);
  const std::vector<HostClassTimes>& classes = scene.line.classes;
  for (size_t i = 0; i < classes.size(); ++i) {
    const Sums own = of_class(i);
    Sums& into = around[Surroundings(scene, classes[i])];
    into.again_ns += own.again_ns;
    into.known_ns += own.known_ns;
  }
  std::vector<ClassShare> shares;
  for (uint32_t i = 0; i < classes.size(); ++i) {
    Sums sums = of_class(i);
    int64_t whole = classes[i].ns;
    if (sums.known_ns <= 0) {
      sums = around[Surroundings(scene, classes[i])];
      whole = sums.known_ns;
    }
    if (sums.again_ns <= 0 || classes[i].ns <= 0) continue;
    shares.push_back({i, static_cast<double>(sums.again_ns) / static_cast<double>(whole)});
  }
  return shares;
}

}  // namespace

Candidates FindRecomputation(const Scene& scene) {
  // By line that requests recomputation: GPU time of the recomputation, and a node.
  std::map<uint32_t, std::pair<int64_t, NodeId>> asked;
  int64_t ns = 0, count = 0, backward_ns = 0;
  for (const LineOp& op : scene.line.ops) {
    const NodeTraits& traits = scene.at(op.node);
    if (traits.recomputes) {
      ns += op.duration();
      ++count;
    } else if (traits.in_engine) {
      backward_ns += op.duration();
    } else if (traits.checkpoint) {
      auto& [sum, node] = asked[traits.checkpoint.value];
      sum += op.duration();
      node = op.node;
    }
  }
  if (count == 0) return {};
  Candidate made;
  int64_t most = -1;
  for (const auto& [line, sum] : asked) {
    if (sum.first <= most) continue;
    most = sum.first;
    made.line = FrameId{line};
    made.node = sum.second;
  }
  const std::vector<ClassShare> shares = SharesAgain(scene);
  made.cure.Take(shares);
  int64_t host_ns = 0;
  for (const ClassShare& part : shares) {
    host_ns +=
        static_cast<int64_t>(part.share * static_cast<double>(scene.line.classes[part.of].ns));
  }
  // All host time between two calls of recomputed code counts as recomputation. Samples are not
  // required, because intervals of a few microseconds rarely contain one.
  int64_t between_ns = 0;
  bool was = false;
  for (uint32_t i = 0; i < scene.line.calls.size(); ++i) {
    const LineCall& call = scene.line.calls[i];
    const bool is = call.node && scene.at(call.node).recomputes;
    if (is && was && !call.first_of_segment) {
      made.cure.host.push_back({i, call.before_ns});
      between_ns += call.before_ns;
    }
    was = is;
  }
  host_ns = std::max(host_ns, between_ns);
  for (uint32_t i = 0; i < scene.line.ops.size(); ++i) {
    if (!scene.at(scene.line.ops[i].node).recomputes) continue;
    made.cure.Gone(i);
    made.cure.calls.push_back(scene.line.ops[i].call);
  }
  made.summary = "The backward pass computes activations a second time";
  made.evidence = {scene.PerStepText(count, "operations") +
                       " of the forward pass run in the backward pass, " + scene.PerStepTime(ns),
                   "the backward pass itself: " + scene.PerStepTime(backward_ns),
                   scene.PerStepTime(host_ns) + " of host time for it"};
  made.computed =
      "without those operations, their launches and that host time. The activations must then stay "
      "in memory";
  return {made};
}

}  // namespace gprofx::findings
