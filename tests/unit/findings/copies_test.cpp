// Copies, waits and memory: each detector finds what was put into a program, at its line, with what
// the repaired program saves.
#include <catch2/catch.hpp>
#include <ctime>

#include "seeded_program.h"

namespace gprofx::testing {

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

TEST_CASE("in a trace of another tool a copy that its call waited for is such a wait") {
  const Program program = [](ProgramMaker& make, bool bad) {
    make.imported = true;
    Busy(make, 3'000'000);
    make.Off(3'000);
    if (bad) make.Copy(make.Line(7), 4, kGpuToPageable, 1'000, true);
    make.Host(900'000, make.Node({make.Python("step", 8)}));
  };
  Check(program, "sync-in-step", 7);
  // What the host does there is nothing to move elsewhere: it waits.
  for (const Inefficiency& row : Make(program, true).report.rows) CHECK(row.line != 8);
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

// What the repaired program still does for each value it does while the GPU works.
TEST_CASE("values are made beside the work that their first copy waited for") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const NodeId copy =
            make.Node({make.Python("step", 7), make.Native("at::_ops::copy_::call(at::Tensor&)")});
        Busy(make, 2'000'000);
        for (int i = 1; i <= 100; ++i) {
          make.Host(12'000, make.Line(7));
          if (!bad && i < 100) continue;
          make.Host(4'000, copy, kStateGilReleased);
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

// A mean step is shorter than a trip of the slow ones.
TEST_CASE("data go to the host and come back in steps of different length") {
  int step = 0;
  const Run run = Make(
      [&](ProgramMaker& make, bool) {
        Busy(make, 100'000);
        make.Copy(make.Line(7), 1'000'000, kGpuToPageable, ++step % 2 == 0 ? 300'000 : 9'000'000,
                  true);
        make.Host(600'000, make.Line(8));
        make.Copy(make.Line(8), 1'000'000, kPageableToGpu, 400'000, true);
        Busy(make, 100'000);
      },
      true);
  const Inefficiency* row = FindRow(run.report, "ping-pong");
  REQUIRE(row != nullptr);
  CHECK(row->evidence[0].starts_with("1 copies a step"));
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

}  // namespace gprofx::testing
