// The screen of gprof-x top at 80 columns, and its keys.
#include <catch2/catch.hpp>

#include "cli/terminal/text.h"
#include "cli/top/draw.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

Snapshot Training() {
  Snapshot s;
  s.command = "python train.py --epochs 3 --data /very/long/path/to/data --out /another/long/path";
  s.pid = 4242;
  s.now_ns = 3'725'000 * kMs;
  s.interval_ns = 1000 * kMs;
  s.cpu_ns = 1500 * kMs;
  s.python_ns = 1200 * kMs;
  s.gil_ns = 900 * kMs;
  s.threads = 3;
  s.functions = {{"forward", "/w/model.py", 42, 600 * kMs, 900 * kMs, 61'000 * kMs, 3},
                 {"main\n\x1b[2J", "/w/train.py", 7, 0, 1200 * kMs, 0, 4}};
  s.kernels = {{"void gemm<float>(float*)", 650 * kMs, 200, "/w/model.py", "forward", 44}};
  s.gpu = TopGpu{1000 * kMs,
                 400 * kMs,
                 0,
                 710 * kMs,
                 290 * kMs,
                 {{"compute", 710 * kMs}},
                 {{"in cuStreamSynchronize", 190 * kMs}, {"unexplained", 100 * kMs}},
                 1,
                 "NVIDIA H100"};
  s.steps = TopSteps{103 * kMs, 106 * kMs, 101 * kMs, 38, "optimizer"};
  return s;
}

std::string Drawn(const Snapshot& snapshot, const TopScreen& screen) {
  std::string text;
  for (const ScreenLine& line : DrawTop(snapshot, screen, 14, 80)) {
    CHECK(Columns(line.text) <= 80);
    text += line.text.substr(0, line.text.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the screen of top at 80 columns") {
  CHECK(Drawn(Training(), {}) ==
        "gprof-x top  1:02:05  pid 4242  python train.py --epochs 3 --data /very/long/p..\n"
        "CPU  150.0% in 3 threads: Python 120.0%, other 30.0%; GIL held 90.0%\n"
        "GPU   71.0% busy: compute 71.0%  (NVIDIA H100, until 400 ms ago)\n"
        "      29.0% idle: in cuStreamSynchronize 19.0%, unexplained 10.0%\n"
        "Step  103 ms (p95 106 ms, last 101 ms), 38 steps, by optimizer\n"
        "  self  total since start  PYTHON FUNCTION\n"
        " 60.0%  90.0%     61.0 s  forward (model.py:42)\n"
        "  0.0% 120.0%        0 s  main\\x0a\\x1b[2J (train.py:7)\n"
        "\n\n\n\n"
        "self: it or native code it calls runs; total: with all it calls; 100% = 1 core\n"
        "q quit  s sort:self  tab: f l n g  / focus  space pause  d dump  ? help\n");
}

TEST_CASE("keys of top") {
  TopScreen screen;
  screen.Press(TopKey::kKernels);
  CHECK(Drawn(Training(), screen).find(" 65.0%      200  3.25 ms  ") != std::string::npos);
  screen.Press(TopKey::kNextTable);
  CHECK(screen.table == TopTable::kFunctions);
  screen.Press(TopKey::kSort);
  const std::string by_total = Drawn(Training(), screen);
  CHECK(by_total.find("main") < by_total.find("forward"));
  screen.Press(TopKey::kFocus);
  screen.Type("a");
  screen.Type("b");
  screen.Press(TopKey::kErase);
  CHECK(screen.focus.empty());
  screen.Press(TopKey::kEnter);
  CHECK(screen.focus == "a");
  screen.Press(TopKey::kEscape);
  CHECK(screen.focus.empty());
  screen.Press(TopKey::kQuit);
  CHECK(screen.quits == 1);
  CHECK_FALSE(TopKeyOf('q', true));
}

}  // namespace gprofx::testing
