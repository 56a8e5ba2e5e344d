// Recordings of real programs on an H200 (tests/data/gpu, from tests/workloads/gpu; made small by
// raw_shrink), decoded, attributed and resolved to lines without a GPU.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/model/totals.h"
#include "samplers/recorder/gpu/gpu_finish.h"
#include "tests/unit/collector/raw_replay.h"
#include "tests/unit/collector/raw_text.h"

namespace gprofx {
using namespace recorder;
namespace {

std::string FileOf(const std::string& name) { return "tests/data/gpu/" + name + ".raw"; }

struct Played : test::RawReplay {
  explicit Played(const std::string& name) : RawReplay(FileOf(name)) {}

  EventTable Finish() {
    const ReadModule read = [this](uint64_t hash) { return Code(hash); };
    return FinishPcSamples(run.pc(), read, {}, profile);
  }
  const EventTable& kernels() { return run.events().kernels; }
  NodeId KernelNode(size_t row) {
    return NodeId{static_cast<uint32_t>(kernels().column(column::kKernelNode)[row])};
  }
  std::string NameOf(NodeId node) const {
    const Frame& frame = profile.frame(profile.node(node).frame);
    return frame.function ? std::string(profile.Text(profile.function(frame.function).name)) : "";
  }
  FrameKind KindOf(NodeId node) const { return profile.frame(profile.node(node).frame).kind; }
  // Names of the Python functions above a node, innermost first.
  std::vector<std::string> PythonAbove(NodeId node) const {
    std::vector<std::string> names;
    for (NodeId at = node; at; at = profile.node(at).parent) {
      if (KindOf(at) == FrameKind::kPython) names.push_back(NameOf(at));
    }
    return names;
  }
  int64_t Total(const char* metric) const {
    const MetricId id = profile.FindMetric(metric);
    return id ? InclusiveByNode(profile, SelfByNode(profile, id)).at(0) : 0;
  }
  std::map<std::string, int64_t> SelfByKernel(const char* metric) const {
    std::map<std::string, int64_t> sums;
    const auto self = SelfByNode(profile, profile.FindMetric(metric));
    for (uint32_t i = 1; i <= profile.nodes.size(); ++i) {
      const NodeId node{i};
      if (KindOf(node) == FrameKind::kGpuKernel) sums[NameOf(node)] += self[node.index()];
    }
    return sums;
  }
};

int64_t Sum(const std::vector<int64_t>& numbers) {
  int64_t sum = 0;
  for (const int64_t number : numbers) sum += number;
  return sum;
}

// What holds for every recording.
void CheckSums(Played& played) {
  const PcTotals& pc = played.run.pc_totals();
  CHECK(pc.received == pc.exact + pc.proportional + pc.function_only + pc.unattributed);
  CHECK(pc.received > 0);
  CHECK(pc.dropped == 0);
  CHECK(pc.expected == pc.counted);
  CHECK(played.Total(kMetricPcSamples) == pc.received - pc.unattributed);
  const GpuEvents& events = played.run.events();
  CHECK(played.Total(kMetricGpu) == Sum(events.kernels.column(column::kKernelDuration)) +
                                        Sum(events.copies.column(column::kCopyDuration)) +
                                        Sum(events.sets.column(column::kSetDuration)));
  CHECK(played.Total(kMetricGpuOps) ==
        static_cast<int64_t>(events.kernels.rows() + events.copies.rows() + events.sets.rows()));
  CHECK(played.run.unlaunched() == 0);
  CHECK(played.counters.counters[wire::kGpuLaunchesLost] == 0);
  std::map<std::string, int64_t> quality;
  played.run.Publish(quality);
  CHECK(quality.at("gpu_bad_records") == 0);

  const int64_t samples = played.Total(kMetricPcSamples);
  const EventTable rows = played.Finish();
  CHECK(Sum(rows.column(column::kPcSamples)) == pc.counted);
  CHECK(played.Total(kMetricPcSamples) == samples);  // lines change no sum
  CHECK(played.profile.quality.at("gpu_cubins_missing") == 0);
  int64_t wall = 0;
  played.run.FinishWall(played.end);
  for (const WallPart& part : played.profile.gpu.wall) {
    CHECK(part.ns > 0);
    wall += part.ns;
  }
  CHECK(wall == played.end);
}

TEST_CASE("Recorded: kernels of 10, 20, 30 and 40 percent") {
  Played played("spin");
  std::map<std::string, int64_t> launches, time;
  for (size_t i = 0; i < played.kernels().rows(); ++i) {
    const std::string name = played.NameOf(played.KernelNode(i));
    ++launches[name];
    time[name] += played.kernels().column(column::kKernelDuration)[i];
    CHECK(played.kernels().column(column::kKernelLaunch)[i] > 0);
  }
  const auto samples = played.SelfByKernel(kMetricPcSamples);
  const auto all_time = static_cast<double>(played.Total(kMetricGpu));
  const auto all_samples = static_cast<double>(played.Total(kMetricPcSamples));
  CHECK(launches.size() == 4);
  for (const int share : {10, 20, 30, 40}) {
    const std::string name = "spin_" + std::to_string(share) + "()";
    CAPTURE(name);
    REQUIRE(launches[name] == 5);
    CHECK(100.0 * static_cast<double>(time[name]) / all_time == Approx(share).margin(1));
    REQUIRE(samples.contains(name));
    CHECK(100.0 * static_cast<double>(samples.at(name)) / all_samples == Approx(share).margin(3));
  }
  CheckSums(played);
}

TEST_CASE("Recorded: kernels of a replayed graph are below the replay and the capture") {
  Played played("graph");
  std::map<std::string, int> replayed;
  for (size_t i = 0; i < played.kernels().rows(); ++i) {
    if (played.kernels().column(column::kKernelGraphNode)[i] == 0) continue;
    const NodeId kernel = played.KernelNode(i);
    ++replayed[played.NameOf(kernel)];
    NodeId marker = kernel;
    int captured_frames = -1;
    while (marker && played.KindOf(marker) != FrameKind::kMarker) {
      marker = played.profile.node(marker).parent;
      ++captured_frames;
    }
    REQUIRE(marker);
    CHECK(played.NameOf(marker) == "[CUDA graph, captured at]");
    CHECK(captured_frames >= 3);
    // The launch: native frames up to the root.
    int launch_frames = 0;
    for (NodeId at = played.profile.node(marker).parent; at != played.profile.root();
         at = played.profile.node(at).parent) {
      ++launch_frames;
      CHECK(played.KindOf(at) == FrameKind::kNative);
    }
    CHECK(launch_frames >= 3);
  }
  CHECK(replayed ==
        std::map<std::string, int>{{"graph_scale(float*)", 20}, {"graph_shift(float*)", 40}});
  CheckSums(played);
}

TEST_CASE("Recorded: samples of a Triton kernel are at lines of its Python file") {
  Played played("triton");
  int kernels = 0;
  std::set<std::string> callers;
  for (size_t i = 0; i < played.kernels().rows(); ++i) {
    if (played.NameOf(played.KernelNode(i)) != "softmax_rows") continue;
    ++kernels;
    for (const std::string& name : played.PythonAbove(played.KernelNode(i))) {
      if (name.ends_with("_caller")) callers.insert(name);
    }
  }
  CHECK(kernels == 100);
  CHECK(callers == std::set<std::string>{"first_caller", "second_caller"});

  const int64_t in_kernel = played.SelfByKernel(kMetricPcSamples).at("softmax_rows");
  REQUIRE(in_kernel > 0);
  CheckSums(played);
  CHECK(played.SelfByKernel(kMetricPcSamples).at("softmax_rows") == 0);  // all went to lines
  const auto self = SelfByNode(played.profile, played.profile.FindMetric(kMetricPcSamples));
  std::map<std::string, int64_t> in_files;
  std::set<uint32_t> own_lines;
  for (uint32_t i = 1; i <= played.profile.nodes.size(); ++i) {
    const NodeId node{i};
    const Frame& frame = played.profile.frame(played.profile.node(node).frame);
    if (self[node.index()] == 0 || frame.kind != FrameKind::kGpuInstruction) continue;
    CHECK(played.NameOf(played.profile.node(node).parent) == "softmax_rows");
    const std::string file(played.profile.Text(frame.file));
    in_files[file.substr(file.rfind('/') + 1)] += self[node.index()];
    if (file.ends_with("/triton_kernel.py")) own_lines.insert(frame.line);
  }
  // tl.max and tl.sum are Triton code of its library, without a chain of calls in the line table.
  CHECK(in_files["triton_kernel.py"] + in_files["standard.py"] == in_kernel);
  CHECK(in_files["triton_kernel.py"] > in_kernel / 4);
  CHECK(own_lines == std::set<uint32_t>{12, 13, 14, 15, 16, 17, 18, 19});
}

TEST_CASE("Recorded: training steps of a transformer") {
  Played played("train");
  size_t with_python = 0, forward = 0, backward = 0, update = 0;
  const size_t count = played.kernels().rows();
  for (size_t i = 0; i < count; ++i) {
    CHECK(played.kernels().column(column::kKernelLaunch)[i] > 0);
    const std::vector<std::string> python = played.PythonAbove(played.KernelNode(i));
    const auto below = [&](std::string_view name) {
      return std::any_of(python.begin(), python.end(),
                         [name](const std::string& at) { return at.ends_with(name); });
    };
    with_python += python.empty() ? 0 : 1;
    forward += below("Block.forward") ? 1 : 0;
    backward += below("_engine_run_backward") ? 1 : 0;
    update += below("AdamW.step") || below("Adam.step") ? 1 : 0;
  }
  CHECK(count > 300);
  CHECK(static_cast<double>(with_python) >= 0.99 * static_cast<double>(count));
  CHECK(forward > 50);
  CHECK(backward > 50);
  CHECK(update > 0);
  CHECK(forward + backward + update <= count);
  CheckSums(played);
}

// Plays what may be nonsense. Whether it was a recording.
bool PlayAnything(const std::string& bytes) {
  try {
    test::RawReplay replay(test::SplitRaw(bytes));
    const PcTotals& pc = replay.run.pc_totals();
    CHECK(pc.received >= pc.exact);
    return !test::RawText(replay).Lines().empty();
  } catch (const std::runtime_error&) {
    return false;
  }
}

TEST_CASE("Recordings that were cut or damaged do no harm") {
  std::mt19937 random(1);
  int damaged = 0, recordings = 0;
  for (const char* name : {"spin", "graph", "triton", "train"}) {
    const int rounds = std::string(name) == "train" ? 10 : 40;
    const std::string packed = test::FileText(FileOf(name));
    const std::string whole = test::UnpackRaw(packed);
    const std::vector<test::RawPiece> pieces = test::SplitRaw(whole);
    for (int i = 0; i < rounds; ++i) {
      PlayAnything(whole.substr(0, random() % whole.size()));
      std::vector<test::RawPiece> fewer(pieces);
      fewer.resize(1 + random() % fewer.size());
      CHECK_NOTHROW(test::RawReplay(fewer));
      // Small chunks are as likely to be hit as large ones.
      std::string bad = whole;
      for (int flips = 1 << i % 6; flips > 0; --flips) {
        const test::RawPiece& piece = pieces[random() % pieces.size()];
        const auto begin =
            static_cast<size_t>(piece.data.data() - whole.data()) - sizeof piece.head;
        const size_t at = begin + random() % (sizeof piece.head + piece.data.size());
        bad[at] = static_cast<char>(bad[at] ^ 1 << random() % 8);
      }
      ++damaged;
      recordings += PlayAnything(bad) ? 1 : 0;
      bad = packed;
      bad[random() % bad.size()] ^= 0x10;
      try {
        PlayAnything(test::UnpackRaw(bad));
      } catch (const std::runtime_error&) {
      }
    }
  }
  CHECK(recordings > damaged / 4);
}

}  // namespace
}  // namespace gprofx
