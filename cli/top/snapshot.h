// Holds the contents of one interval of gprof-x top, ready to draw or to print as JSON. Plain data.
//
// Times are ns. Shares of CPU time are relative to `interval_ns`: 100 % is one core. Names are as
// recorded and not escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct TopRow {
  std::string name;             // name of a function, or "python" or "native"
  std::string file;             // source file or library; may be empty
  uint32_t line = 0;            // 0 = unknown
  int64_t self = 0, total = 0;  // time in the interval
  int64_t self_since_start = 0;
  uint32_t key = 0;  // the same for this row in all intervals
};

struct TopKernel {
  std::string name;
  int64_t ns = 0, count = 0;   // of kernels that ended in the GPU's interval
  std::string file, function;  // the Python line that launched most of it; may be empty
  uint32_t line = 0;
};

struct TopShare {
  std::string what;  // such as "compute" or "in cuStreamSynchronize"
  int64_t ns = 0;
};

// All GPUs together. They are busy while at least one of them is. The interval ends with the latest
// record of GPU work.
struct TopGpu {
  int64_t interval_ns = 0;
  int64_t behind_ns = 0;  // time since the interval ended
  int64_t unseen_ns = 0;  // time without records, which is not part of the values below
  int64_t busy_ns = 0, idle_ns = 0;
  std::vector<TopShare> busy, idle;  // kinds of work, and causes of idle time; largest first
  int devices = 0;
  std::string device;  // name of the first GPU; "" = unknown
};

struct TopSteps {
  int64_t median_ns = 0, p95_ns = 0, last_ns = 0;
  size_t count = 0;
  std::string source;  // how the steps were found: "markers", "optimizer" or "launch period"
};

enum class TopTable { kFunctions, kLines, kNative, kKernels };
inline constexpr int kTopTables = 4;

struct Snapshot {
  std::string command;
  int64_t pid = 0;
  int64_t now_ns = 0, interval_ns = 0;
  bool wall_clock = false, runs = true;
  // Sum of the samples in the interval: CPU time, or wall time with --clock wall.
  int64_t cpu_ns = 0;
  int64_t python_ns = 0;     // part of cpu_ns with Python on the stack
  int64_t gil_ns = 0;        // part of cpu_ns in which the thread held the interpreter's lock
  int64_t idle_ns = 0;       // part of cpu_ns in which the thread waited (--clock wall)
  int64_t profiling_ns = 0;  // time of gprof-x and CUPTI in the process; not part of cpu_ns
  int64_t samples = 0, lost_ns = 0;
  size_t threads = 0;      // number of threads with samples
  std::string focus;       // if not "", only stacks with a matching frame are shown
  int64_t focus_ns = 0;    // part of cpu_ns that matches the focus
  int64_t unnamed_ns = 0;  // self time of native code whose name is not known yet
  std::vector<TopRow> functions, lines, native;
  std::vector<TopKernel> kernels;
  std::optional<TopGpu> gpu;  // nullopt if no GPU has been used so far
  std::optional<TopSteps> steps;
};

}  // namespace gprofx
