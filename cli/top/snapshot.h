// The contents of one interval of gprof-x top: plain values, ready to draw or to print as JSON.
//
// Times are ns. Shares of CPU time are relative to `interval_ns`, so 100 % is one core. Names are
// as recorded, not escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct TopRow {
  std::string name;             // function name, "python" or "native"
  std::string file;             // source file or library; may be empty
  uint32_t line = 0;            // 0 = unknown
  int64_t self = 0, total = 0;  // in the interval
  int64_t self_since_start = 0;
  uint32_t key = 0;  // identifies the row across intervals
};

struct TopKernel {
  std::string name;
  int64_t ns = 0, count = 0;   // kernels that ended in the GPU's interval
  std::string file, function;  // Python line that launched most of it; may be empty
  uint32_t line = 0;
};

struct TopShare {
  std::string what;  // "compute", "in cuStreamSynchronize"
  int64_t ns = 0;
};

// All GPUs together: time is busy if at least one GPU was busy. The interval ends with the latest
// records of GPU work.
struct TopGpu {
  int64_t interval_ns = 0;
  int64_t behind_ns = 0;  // time since the interval ended
  int64_t unseen_ns = 0;  // time without records, not included above
  int64_t busy_ns = 0, idle_ns = 0;
  std::vector<TopShare> busy, idle;  // parts of busy time; causes of idle time; largest first
  int devices = 0;
  std::string device;  // name of the first; "" = unknown
};

struct TopSteps {
  int64_t median_ns = 0, p95_ns = 0, last_ns = 0;
  size_t count = 0;
  std::string source;  // "markers", "optimizer", "launch period"
};

enum class TopTable { kFunctions, kLines, kNative, kKernels };
inline constexpr int kTopTables = 4;

struct Snapshot {
  std::string command;
  int64_t pid = 0;
  int64_t now_ns = 0, interval_ns = 0;
  bool wall_clock = false, runs = true;
  int64_t cpu_ns = 0;        // from samples of the interval; wall time with --clock wall
  int64_t python_ns = 0;     // of cpu_ns, with Python on the stack
  int64_t gil_ns = 0;        // of cpu_ns, while holding the interpreter's lock
  int64_t idle_ns = 0;       // of cpu_ns, waiting (--clock wall)
  int64_t profiling_ns = 0;  // not in cpu_ns: time of gprof-x and CUPTI in the process
  int64_t samples = 0, lost_ns = 0;
  size_t threads = 0;      // with samples
  std::string focus;       // only stacks with a matching frame; "" = all
  int64_t focus_ns = 0;    // part of cpu_ns
  int64_t unnamed_ns = 0;  // self time of native code whose names are pending
  std::vector<TopRow> functions, lines, native;
  std::vector<TopKernel> kernels;
  std::optional<TopGpu> gpu;  // unset: no GPU was used so far
  std::optional<TopSteps> steps;
};

}  // namespace gprofx
