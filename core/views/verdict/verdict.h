// What to say first about a recording: where its time goes in the user's own code, or that the
// program waits. Numbers only; the printers make words of them. Pure.
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
  int64_t whole = 0;  // of the metric

  // Several processes: the program (by the short name of its processes) with most time.
  std::string program;  // unescaped; "" = there is one process
  int64_t program_ns = 0;
  size_t program_processes = 0;
  // Of several processes of that program: the one with most time.
  ProcessId largest;  // 0 = there is one
  int64_t largest_ns = 0;

  // CPU time of all threads in the shown range, and the length of the range; 0 = unknown.
  int64_t cpu_ns = 0, length_ns = 0;
  // The process with most CPU time with the GIL: its CPU time, that part of it, and its threads
  // with a twentieth of that part or more.
  int64_t python_cpu_ns = 0, with_gil_ns = 0;
  size_t busy_threads = 0;
  // Wall clock: time of all threads in which they wait; 0 = not recorded.
  int64_t waiting_ns = 0;
  OwnExcess late;  // of the slowest rank
};

// `metric`: the time of the recording's clock. `whole`: its sum. `length_ns`: of the shown range as
// far as it was recorded, 0 = unknown. `ranks`: unset if there are none.
TimeVerdict MakeVerdict(const Profile& profile, MetricId metric, int64_t whole, int64_t length_ns,
                        const std::optional<Ranks>& ranks = std::nullopt);

}  // namespace gprofx
