// Computes what a report says first about a recording: in which part of the user's own code the
// time is spent, or that the program waits. The result is numbers; the printers make sentences of
// them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/profile.h"
#include "core/views/verdict/imports.h"
#include "core/views/verdict/own_code.h"

namespace gprofx {

struct TimeVerdict {
  OwnFunction own;
  Imports imports;
  int64_t whole = 0;  // sum of the metric over the shown range

  // If there are several processes: the program with the most time, by the short name of its
  // processes.
  std::string program;  // unescaped; "" if there is one process
  int64_t program_ns = 0;
  size_t program_processes = 0;
  // If that program has several processes: the process with the most time.
  ProcessId largest;  // 0 if the program has one process
  int64_t largest_ns = 0;

  // CPU time of all threads in the shown range, and the length of that range; 0 = unknown.
  int64_t cpu_ns = 0, length_ns = 0;
  // For the process with the most CPU time with the GIL: its CPU time, the part of that with the
  // GIL, and how many threads have more than a twentieth of that part.
  int64_t python_cpu_ns = 0, with_gil_ns = 0;
  size_t busy_threads = 0;
  // Time that all threads spent waiting. Known only in wall clock mode; 0 = not recorded.
  int64_t waiting_ns = 0;
  OwnExcess late;  // excess of the slowest rank over the others
};

// Returns the verdict. `metric` is the time of the recording's clock, and `whole` its sum.
// `length_ns` is the recorded part of the shown range, 0 = unknown. `ranks` is unset if there are
// no ranks.
TimeVerdict MakeVerdict(const Profile& profile, MetricId metric, int64_t whole, int64_t length_ns,
                        const std::optional<Ranks>& ranks = std::nullopt);

}  // namespace gprofx
