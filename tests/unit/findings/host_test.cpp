// What the host does while the GPU waits: each detector finds what was put into a program, at its
// line, with what the repaired program saves.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string_view>

#include "seeded_program.h"

namespace gprofx::testing {

namespace {

constexpr char kLoader[] = "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py";

}  // namespace

TEST_CASE("small kernels, launched one by one, also where a trace has a length of each launch") {
  const bool imported = GENERATE(false, true);
  Check(
      [imported](ProgramMaker& make, bool bad) {
        make.imported = imported;
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

namespace {

// The host is off the CPU for `ns` in each step, in which `look` may see it.
Run Waits(int64_t ns, const std::function<void(ProgramMaker& make, int step)>& look) {
  int step = 0;
  return Make(
      [&](ProgramMaker& make, bool) {
        Busy(make, 1'000'000);
        make.Off(ns);
        look(make, ++step);
      },
      true);
}

}  // namespace

// A look falls into one step of four.
TEST_CASE("the loop sleeps: by the clock of the CPU, where it was seen to wait") {
  const Run run = Waits(5'000'000, [](ProgramMaker& make, int step) {
    if (step % 4 == 0) make.SeenWaiting(5'000'000, make.Line(7));
  });
  const Inefficiency* row = FindRow(run.report, "gpu-gap");
  REQUIRE(row != nullptr);
  CHECK(row->summary == "The GPU has nothing to do while the host sleeps or waits");
  CHECK(row->line == 7);
  CHECK(row->saving_ns == Approx(4'050'000).epsilon(0.1));
}

TEST_CASE("waits at two lines share the time that no sample explains") {
  const Run run = Waits(8'000'000, [](ProgramMaker& make, int step) {
    make.SeenWaiting(8'000'000, make.Line(step % 4 == 0 ? 9 : 7));
  });
  std::map<uint32_t, int64_t> saved;  // by line
  for (const Inefficiency& row : run.report.rows) {
    if (row.rule->id == std::string_view("gpu-gap")) saved[row.line] += row.saving_ns;
  }
  // Three quarters, and of the last one what the GPU does not hide.
  CHECK(saved[7] == Approx(6'000'000).epsilon(0.02));
  CHECK(saved[9] > 500'000);
  CHECK(saved[9] < 1'100'000);
}

// A flush of what was printed was seen once; the loader's short waits never.
TEST_CASE("one look does not say more than what samples of a loader do") {
  int step = 0;
  const Run run = Make(
      [&](ProgramMaker& make, bool) {
        Busy(make, 1'000'000);
        make.Host(40'000'000,
                  make.Node({make.Python("step", 7), make.Python("_next_data", 700, kLoader)}));
        make.Off(60'000'000);
        if (++step == 5) make.SeenWaiting(60'000'000, make.Line(9));
      },
      true);
  const Inefficiency* row = FindRow(run.report, "slow-loader");
  REQUIRE(row != nullptr);
  CHECK(row->line == 7);
  CHECK(row->saving_ns > 80'000'000);
}

TEST_CASE("a wait for data, seen in the loader") {
  const Run run = Waits(8'000'000, [](ProgramMaker& make, int) {
    make.SeenWaiting(8'000'000,
                     make.Node({make.Python("step", 7), make.Python("_next_data", 700, kLoader)}));
  });
  const Inefficiency* row = FindRow(run.report, "slow-loader");
  REQUIRE(row != nullptr);
  CHECK(row->line == 7);
}

// Two samples of a millisecond fell into what takes four of them in all.
TEST_CASE("samples that are missing by chance are no time off the CPU") {
  int step = 0;
  const Run run = Make(
      [&](ProgramMaker& make, bool) {
        make.Kernel(make.Line(1), kGemm, 50'000);
        make.Off(100'000);
        if (++step % 10 == 0) {
          make.Sample(1'000'000, make.Node({make.Python("step", 7), make.Native("compute")}));
        }
        make.Off(100'000);
      },
      true);
  const Inefficiency* row = FindRow(run.report, "gpu-gap");
  REQUIRE(row != nullptr);
  CHECK(row->summary == "The GPU has nothing to do while the host runs native code");
  CHECK(row->line == 7);
  CHECK(row->saving_ns == Approx(run.step_ns - 52'000).epsilon(0.1));
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
        make.Host(100'000,
                  make.Node({make.Python("step", 7), make.Python("_next_data", 700, kLoader)}));
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

// It wakes up every five milliseconds to ask again: by the clock of the wall, samples find it at
// work.
TEST_CASE("the wait for the interpreter's lock is one, asleep or awake") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const NodeId waits =
            make.Node({make.Python("step", 1), make.Native("PyEval_RestoreThread", "/bin/python3"),
                       make.Native("pthread_cond_timedwait", "/lib/libc.so.6")});
        for (int i = 0; i < 4; ++i) {
          make.Host(10'000, make.Line(1));
          if (bad) {
            make.Host(5'000'000, waits, kStateGilReleased);
            make.Other(5'000'000, make.Node({make.Python("spin", 7)}));
          }
          make.Kernel(make.Line(1), kGemm, 250'000);
        }
      },
      "lock-wait", 7, true);
}

// Who takes a free lock waits for nobody.
TEST_CASE("taking the interpreter's lock is no wait") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        Busy(make, 500'000);
        const NodeId takes = make.Node(
            {make.Python("step", 7), make.Native("PyEval_RestoreThread", "/bin/python3")});
        make.Host(3'000'000, takes, kStateGilReleased);
      },
      true);
  CHECK(FindRow(run.report, "lock-wait") == nullptr);
}

TEST_CASE("what native code does for calls of modules is theirs") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        const FrameId module = make.Python("Module._call_impl", 1, "/torch/nn/modules/module.py");
        Busy(make, 500'000);
        make.Host(3'000'000, make.Node({make.Python("step", 7), module}));
        make.Kernel(make.Line(9), kGemm, 10'000);
        const NodeId native =
            make.Node({make.Python("step", 7), module, make.Native("subtype_dealloc")});
        make.Host(1'000'000, native, kStateGilReleased);
      },
      true);
  const Inefficiency* row = FindRow(run.report, "interpreter");
  REQUIRE(row != nullptr);
  // The GPU works for half a millisecond of it.
  CHECK(row->saving_ns == Approx(3'500'000).epsilon(0.05));
  CHECK(FindRow(run.report, "gpu-gap") == nullptr);
}

}  // namespace gprofx::testing
