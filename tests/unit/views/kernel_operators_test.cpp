// The operators that tell kernels of one line apart.
#include <catch2/catch.hpp>

#include "core/views/gpu/kernel_operators.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

// Kernels that one line launches through operators, each in a stack of its own.
struct Trainer {
  ProfileMaker make;
  ThreadId thread = make.AddThread(1, 1, "p", "t");
  MetricId gpu = AddMetric();

  MetricId AddMetric() {
    make.profile.metrics.push_back({.name = kMetricGpu, .unit = "ns"});
    return MetricId{static_cast<uint32_t>(make.profile.metrics.size())};
  }

  FrameId Named(const std::string& name, FrameKind kind) {
    const FrameId frame = make.Native(name, {});
    make.profile.frames[frame.index()].kind = kind;
    return frame;
  }

  void Launch(FrameId line, const std::string& op, const std::string& kernel, int64_t ns) {
    NodeId node = make.profile.Child(make.profile.root(), line);
    if (!op.empty()) node = make.profile.Child(node, Named(op, FrameKind::kOperator));
    node = make.profile.Child(node, Named(kernel, FrameKind::kGpuKernel));
    make.profile.AddSelf(node, thread, gpu, ns);
  }

  std::vector<std::string> Operators() const {
    const Kept all(make.profile.nodes.size(), 1);
    GpuTable table = GpuRows(make.profile, all, GpuBy::kKernel);
    table.shown = table.rows.size();
    return OperatorsOfRows(make.profile, all, table);
  }
};

}  // namespace

TEST_CASE("kernels of one line are told apart by their operators") {
  Trainer in;
  const FrameId step = in.make.Python("step", "/home/u/train.py", 10, 5);
  in.Launch(step, "aten::mm", "gemm", 500);
  in.Launch(step, "aten::mul", "mul", 400);
  in.Launch(step, "aten::copy_", "copy", 300);
  in.Launch(step, "", "own", 200);
  CHECK(in.Operators() == std::vector<std::string>{"mm", "mul", "copy_", ""});
  // One with operators of two kinds has that with most time.
  in.Launch(step, "aten::add", "gemm", 50);
  CHECK(in.Operators()[0] == "mm");
}

TEST_CASE("where lines tell kernels apart, or operators are unknown, none are named") {
  Trainer lines;
  for (uint32_t i = 0; i < 5; ++i) {
    const FrameId line = lines.make.Python("f", "/home/u/train.py", 10 + i, 5);
    lines.Launch(line, "aten::mm", "k" + std::to_string(i), 500);
  }
  CHECK(lines.Operators().empty());
  Trainer unknown;
  const FrameId step = unknown.make.Python("step", "/home/u/train.py", 10, 5);
  for (int i = 0; i < 5; ++i)
    unknown.Launch(step, i == 0 ? "aten::mm" : "", "k" + std::to_string(i), 500);
  CHECK(unknown.Operators().empty());
  Trainer few;
  few.Launch(few.make.Python("step", "/home/u/train.py", 10, 5), "aten::mm", "gemm", 500);
  CHECK(few.Operators().empty());
}

}  // namespace gprofx::testing
