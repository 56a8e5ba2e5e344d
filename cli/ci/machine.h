// Checks how well this machine suits measurements. The result is only advice; the job runs in any
// case.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct CiMachine {
  std::optional<double> load;  // 1-minute load average before the job; nullopt = unknown
  std::string governor;        // CPU frequency governor; "" = unknown
  // True if frequencies above the CPU's base frequency are permitted; nullopt = unknown.
  std::optional<bool> turbo;
  int cpus = 0, usable = 0;  // number of CPUs; how many of them the job may use
};

CiMachine LookAtMachine();  // reads /proc, /sys and the CPU mask of this process

// Returns one line for each problem, with its remedy. Pure.
std::vector<std::string> MachineLines(const CiMachine& machine);

}  // namespace gprofx
