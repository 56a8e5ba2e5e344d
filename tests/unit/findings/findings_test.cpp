// Each detector finds what was put into a program, at its line, with what the repaired program
// saves; and nothing in the repaired one.
#include "core/findings/findings.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <functional>
#include <numeric>
#include <set>

#include "program_maker.h"

namespace gprofx::testing {
namespace {

using Program = std::function<void(ProgramMaker& make, bool bad)>;

constexpr int kSteps = 20;

struct Run {
  FindingReport report;
  double step_ns = 0;
};

Run Make(const Program& program, bool bad, bool wall = false) {
  ProgramMaker make;
  make.wall = wall;
  for (int i = 0; i < kSteps; ++i) {
    make.Step();
    program(make, bad);
  }
  Run run;
  run.report = make.Find();
  run.step_ns = make.step_ns();
  return run;
}

int64_t Sum(const FindingReport& report) {
  return std::accumulate(report.rows.begin(), report.rows.end(), int64_t{0},
                         [](int64_t sum, const Inefficiency& row) { return sum + row.saving_ns; });
}

void Check(const Program& program, const char* rule, uint32_t line, bool wall = false) {
  const Run bad = Make(program, true, wall), good = Make(program, false, wall);
  INFO(rule << ": " << bad.step_ns << " ns a step, repaired " << good.step_ns);
  const Inefficiency* row = FindRow(bad.report, rule);
  for (const Inefficiency& each : bad.report.rows)
    UNSCOPED_INFO(each.rule->id << " " << each.line << " " << each.saving_ns);
  REQUIRE(row != nullptr);
  CHECK(row == &bad.report.rows[0]);
  CHECK(row->line == line);
  CHECK(static_cast<double>(row->saving_ns) == Approx(bad.step_ns - good.step_ns).epsilon(0.2));
  CHECK_FALSE(row->summary.empty());
  CHECK_FALSE(row->evidence.empty());
  CHECK(Sum(bad.report) <= static_cast<int64_t>(bad.step_ns));
  CHECK(FindRow(good.report, rule) == nullptr);
}

// Work that keeps the GPU busy for `ns` in few launches.
void Busy(ProgramMaker& make, int64_t ns) {
  for (int i = 0; i < 4; ++i) {
    make.Host(10'000, make.Line(1));
    make.Kernel(make.Line(1), kGemm, ns / 4);
  }
}

}  // namespace

TEST_CASE("a sync within the step") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 3'000'000);
        if (bad) {
          make.Copy(make.Line(7), 4, kGpuToPageable, 1'000, false);
          make.Wait(make.Line(7));
        }
        make.Host(900'000, make.Node({make.Python("step", 8)}));
      },
      "sync-in-step", 7);
}

TEST_CASE("copies from pageable memory") {
  Check(
      [](ProgramMaker& make, bool bad) {
        if (bad) {
          make.Copy(make.Line(7), 38'000'000, kPageableToGpu, 6'000'000, true);
        } else {
          make.Copy(make.Line(7), 38'000'000, kPinnedToGpu, 720'000, false);
        }
        Busy(make, 2'000'000);
      },
      "pageable-copy", 7);
}

TEST_CASE("many small copies of one line") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const NodeId copy =
            make.Node({make.Python("step", 7), make.Native("at::_ops::copy_::call(at::Tensor&)")});
        Busy(make, 300'000);
        for (int i = 0; i < (bad ? 100 : 1); ++i) {
          make.Host(8'000, copy, kStateGilReleased);
          make.Copy(copy, 4, kPageableToGpu, 1'000, true);
        }
      },
      "small-copies", 7);
}

TEST_CASE("data go to the host and come back") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 1'000'000);
        if (bad) {
          make.Copy(make.Line(7), 1'000'000, kGpuToPageable, 400'000, true);
          make.Host(600'000, make.Line(8));
          make.Copy(make.Line(8), 1'000'000, kPageableToGpu, 400'000, true);
        }
        Busy(make, 1'000'000);
      },
      "ping-pong", 7);
}

TEST_CASE("GPU memory is taken and given back in every step") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 1'000'000);
        if (bad) {
          make.Call(make.Line(7), "cuMemFree", 1'200'000);
          make.Call(make.Line(5), "cuMemAlloc", 300'000);
        }
      },
      "allocator-churn", 7);
}

TEST_CASE("small kernels, launched one by one") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const NodeId add = make.Node({make.Python("step", 7), make.Native("launch")});
        for (int i = 0; i < 200; ++i) {
          if (bad || i == 0) make.Host(10'000, add, kStateGilReleased);
          make.Kernel(make.Line(7), kAdd, 2'000);
        }
      },
      "small-kernels", 7);
}

TEST_CASE("Python between launches is the interpreter's, not the launches'") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const NodeId launch = make.Node({make.Python("step", 3), make.Native("launch")});
        for (int i = 0; i < 50; ++i) {
          if (bad) make.Host(60'000, make.Line(7));
          make.Host(20'000, launch, kStateGilReleased);
          make.Kernel(make.Line(3), kAdd, 4'000);
        }
      },
      "interpreter", 7);
}

TEST_CASE("the loop sleeps: seen by the clock of the wall at its line") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 1'000'000);
        if (bad) make.Host(5'000'000, make.Node({make.Python("step", 7), make.Idle()}), kStateIdle);
      },
      "gpu-gap", 7, true);
}

TEST_CASE("the loop sleeps: by the clock of the CPU no sample is there") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        Busy(make, 1'000'000);
        make.Off(5'000'000);
      },
      true);
  const Inefficiency* row = FindRow(run.report, "gpu-gap");
  // The line of the call before it: no other is known.
  REQUIRE(row != nullptr);
  CHECK(row->line == 1);
  CHECK(row->saving_ns == Approx(4'050'000).epsilon(0.1));
}

TEST_CASE("a loop over elements") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 500'000);
        for (int i = 0; bad && i < 10; ++i) {
          make.Host(200'000,
                    make.Node({make.Python("step", 7),
                               make.Native("at::_ops::select_int::call(at::Tensor const&)")}),
                    kStateGilReleased);
          make.Host(100'000, make.Line(7));
        }
      },
      "slice-loop", 7);
}

TEST_CASE("memory of the host is copied") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 1'000'000);
        if (bad)
          make.Host(4'000'000,
                    make.Node({make.Python("step", 7),
                               make.Native("__memmove_avx512_unaligned_erms", "/lib/libc.so.6")}));
      },
      "host-copy", 7);
}

TEST_CASE("the step waits for its loader") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 1'000'000);
        if (!bad) return;
        make.Host(
            100'000,
            make.Node(
                {make.Python("step", 7),
                 make.Python("_next_data", 700,
                             "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py")}));
        make.Off(8'000'000);
      },
      "slow-loader", 7);
}

TEST_CASE("another thread holds the interpreter's lock") {
  Check(
      [](ProgramMaker& make, bool bad) {
        for (int i = 0; i < 4; ++i) {
          make.Host(10'000, make.Line(1));
          if (bad) {
            make.Off(5'000'000);
            make.Other(5'000'000, make.Node({make.Python("spin", 7)}));
          }
          make.Kernel(make.Line(1), kGemm, 250'000);
        }
      },
      "lock-wait", 7);
}

TEST_CASE("elementwise kernels of one line") {
  Check(
      [](ProgramMaker& make, bool bad) {
        // Operations of one line differ in their position in it.
        for (int i = 0; i < (bad ? 8 : 1); ++i) {
          const NodeId part =
              make.Node({make.Python("step", 7), make.Native("op" + std::to_string(i))});
          make.Host(5'000, make.Line(7));
          make.Kernel(part, kAdd, 100'000);
        }
        Busy(make, 400'000);
      },
      "fusable", 7);
}

TEST_CASE("two elementwise kernels of one line are usual") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        for (int i = 0; i < 2; ++i) make.Kernel(make.Line(7), kAdd, 100'000);
        Busy(make, 400'000);
      },
      true);
  CHECK(run.report.rows.empty());
}

TEST_CASE("products without tensor cores") {
  Check(
      [](ProgramMaker& make, bool bad) {
        make.Host(5'000, make.Line(7));
        if (bad) {
          make.Kernel(make.Line(7), "ampere_sgemm_128x64_nn", 2'700'000);
        } else {
          make.Kernel(make.Line(7),
                      "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_cublas", 400'000);
        }
      },
      "no-tensor-cores", 7);
}

TEST_CASE("a kernel with large strides") {
  // 67,108,864 elements of 4 bytes; two read and one written take 0.28 ms at 85 % of 3,352 GB/s.
  constexpr char kStrided[] =
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
      "CUDAFunctor_add<float> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> "
      "const&)::"
      "{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
      ">"
      "(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})";
  Check(
      [&](ProgramMaker& make, bool bad) {
        make.Host(5'000, make.Line(7));
        make.Kernel(make.Line(7), bad ? kStrided : kAdd, bad ? 1'000'000 : 283'000, 1, 131'072);
      },
      "stall-hot-spot", 7);
}

TEST_CASE("a backward pass in Python, row by row") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const FrameId engine = make.Native(
            "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> "
            "const&)");
        make.Host(20'000, make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)}));
        make.Kernel(make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)}), kAdd,
                    20'000);
        Busy(make, 1'000'000);
        const NodeId row = make.Node({engine, make.Python("Scale.backward", 7)});
        for (int i = 0; i < (bad ? 300 : 1); ++i) {
          make.Host(20'000, row);
          make.Kernel(row, kAdd, bad ? 4'000 : 20'000);
        }
        make.Wait(make.Line(9), "cuCtxSynchronize");
      },
      "slow-backward", 7);
}

TEST_CASE("a forward pass that takes no time is not compared with") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        const NodeId forward = make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)});
        make.Kernel(forward, kAdd, 0);
        Busy(make, 1'000'000);
        const NodeId row = make.Node(
            {make.Native("torch::autograd::Engine::thread_main(std::shared_ptr<"
                         "torch::autograd::GraphTask> const&)"),
             make.Python("Scale.backward", 7)});
        for (int i = 0; i < 300; ++i) {
          make.Host(20'000, row);
          make.Kernel(row, kAdd, 4'000);
        }
        make.Wait(make.Line(9), "cuCtxSynchronize");
      },
      true);
  CHECK_FALSE(run.report.rows.empty());
  CHECK(FindRow(run.report, "slow-backward") == nullptr);
}

TEST_CASE("activations are computed a second time") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const FrameId engine = make.Native(
            "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> "
            "const&)");
        const FrameId checkpoint =
            make.Python("checkpoint", 480, "/opt/site-packages/torch/utils/checkpoint.py");
        const FrameId again =
            make.Python("recompute_fn", 1500, "/opt/site-packages/torch/utils/checkpoint.py");
        const NodeId first =
            make.Node({make.Python("step", 7), checkpoint, make.Python("Block.forward", 20)});
        for (int i = 0; i < 4; ++i) {
          make.Host(5'000, first);
          make.Kernel(first, kGemm, 200'000);
        }
        for (int i = 0; i < 4; ++i) {
          make.Host(10'000, make.Node({engine}));
          if (bad) {
            make.Kernel(make.Node({engine, again, make.Python("Block.forward", 20)}), kGemm,
                        200'000);
            make.Host(5'000, make.Node({engine}));
          }
          make.Kernel(make.Node({engine}), kGemm, 400'000);
        }
      },
      "recomputation", 7);
}

TEST_CASE("communication that nothing hides") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 2'000'000);
        make.Host(5'000, make.Line(7));
        make.Kernel(make.Line(7),
                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                    1'000'000, bad ? 1 : 2);
        Busy(make, 2'000'000);
      },
      "exposed-communication", 7);
}

TEST_CASE("a program that the GPU limits has no findings") {
  const Run run = Make([](ProgramMaker& make, bool) { Busy(make, 5'000'000); }, false);
  CHECK(run.report.rows.empty());
  CHECK(run.report.reason.empty());
}

TEST_CASE("findings on the same gap share it") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        Busy(make, 1'000'000);
        make.Wait(make.Line(3));
        make.Host(500'000, make.Line(4));
        make.Call(make.Line(5), "cuMemFree", 500'000);
        make.Call(make.Line(6), "cuMemAlloc", 500'000);
        make.Wait(make.Line(7));
      },
      true);
  CHECK(run.report.rows.size() >= 2);
  CHECK(Sum(run.report) <= run.report.idle_ns + 1000);
}

TEST_CASE("records of a part of the time stand for all of it") {
  ProgramMaker part, whole;
  part.traced = 0.3;
  for (ProgramMaker* make : {&part, &whole}) {
    for (int i = 0; i < 50; ++i) {
      make->Step();
      Busy(*make, 1'000'000);
      make->Wait(make->Line(7));
      make->Host(500'000, make->Line(8));
    }
  }
  const FindingReport some = part.Find(), all = whole.Find();
  const Inefficiency* row = FindRow(some, "sync-in-step");
  const Inefficiency* truth = FindRow(all, "sync-in-step");
  REQUIRE(row != nullptr);
  REQUIRE(truth != nullptr);
  CHECK(row->saving_ns == Approx(truth->saving_ns).epsilon(0.1));
  CHECK(some.step_ns == Approx(all.step_ns).epsilon(0.1));
}

TEST_CASE("without a GPU, and without steps") {
  const Profile profile;
  const GpuWorkEvents work;
  const FindingReport none = FindInefficiencies(AnalysisContext(profile, work, "run"), {});
  CHECK(none.rows.empty());
  CHECK(none.reason == "no work of a GPU is in this profile");

  ProgramMaker make;
  for (int i = 0; i < 50; ++i) {
    Busy(make, 100'000);
    make.Wait(make.Line(7));
    make.Host(400'000, make.Line(8));
  }
  const FindingReport whole = make.Find();
  CHECK(whole.steps == 0);
  CHECK_FALSE(whole.rows.empty());
  CHECK(Sum(whole) <= whole.step_ns);
}

TEST_CASE("times that cannot be are no reason to fail") {
  ProgramMaker make;
  for (int i = 0; i < 10; ++i) {
    make.Step();
    Busy(make, 1'000'000);
    make.Call(make.Line(3), "cuMemAlloc", int64_t{1} << 58);
    make.Call(make.Line(3), "cuMemFree", int64_t{1} << 58);
    make.Wait(make.Line(7));
  }
  CHECK_FALSE(make.Find().reason.empty());
}

TEST_CASE("copies of more bytes than there are stay large") {
  ProgramMaker make;
  for (int i = 0; i < kSteps; ++i) {
    make.Step();
    make.Copy(make.Line(7), INT64_MAX - i, kPageableToGpu, 6'000'000, true);
    make.Host(5'000'000, make.Line(6));
    make.Copy(make.Line(8), INT64_MAX - i, kGpuToPageable, 6'000'000, true);
    make.Copy(make.Line(9), INT64_MAX - i, kPageableToGpu, 6'000'000, true);
  }
  const FindingReport report = make.Find();
  REQUIRE_FALSE(report.rows.empty());
  for (const Inefficiency& row : report.rows) {
    for (const std::string& text : row.evidence) CHECK(text.find("of -") == std::string::npos);
    CHECK(row.saving_ns <= report.step_ns);
  }
}

TEST_CASE("what lies before, behind and long between steps is no step's time") {
  for (const bool traced : {false, true}) {
    ProgramMaker make;
    make.whole = true;
    if (traced) make.traced = 0.999;
    for (int i = 0; i < 3; ++i) {  // start-up
      make.Kernel(make.Line(20), kGemm, 1'000'000);
      make.Wait(make.Line(20));
      make.Off(500'000'000);
    }
    for (int i = 0; i < kSteps; ++i) {
      if (i == 10) {
        make.Kernel(make.Line(30), kGemm, 4'000'000);  // an evaluation
        make.Wait(make.Line(30));
        make.Off(5'000'000'000);
      }
      make.Off(1'000'000);  // a loader, which is not in the marked steps
      make.Step();
      Busy(make, 9'000'000);
      make.Wait(make.Line(7));
      make.EndStep();
    }
    if (!traced) make.Off(3'000'000'000);
    const FindingReport report = make.Find();
    INFO(report.step_ns << " ns, traced " << traced);
    CHECK(report.reason.empty());
    CHECK(report.steps >= kSteps - 1);
    CHECK(report.step_ns == Approx(10'000'000).epsilon(0.1));
    CHECK(report.idle_ns < 1'500'000);
  }
}

// Time of the CPU, so that a loaded machine changes little: with a look at all events for each of
// them it is minutes, and without it less than a second.
TEST_CASE("many copies and waits take time by their number") {
  constexpr int kMany = 150'000;
  ProgramMaker copies, waits;
  copies.Step();
  const NodeId line = copies.Line(7);
  for (int i = 0; i < kMany; ++i) copies.Copy(line, 100'000, kPageableToGpu, 50'000, true);
  waits.Step();
  Busy(waits, 1'000'000);
  const NodeId wait = waits.Line(7);
  for (int i = 0; i < kMany; ++i) waits.Wait(wait);
  const std::clock_t begin = std::clock();
  CHECK(FindRow(copies.Find(), "pageable-copy") != nullptr);
  CHECK(waits.Find().reason.empty());
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);
}

TEST_CASE("every rule has its words") {
  CHECK(FindingRules().size() == 18);
  std::set<std::string> ids;
  for (const FindingRule& rule : FindingRules()) {
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(std::string(rule.title).empty());
    CHECK_FALSE(std::string(rule.advice).empty());
  }
  CHECK_FALSE(RulesLeftOut().empty());
}

}  // namespace gprofx::testing
