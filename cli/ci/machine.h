// Checks how steady measurements on this machine will be. Only informs; refuses nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct CiMachine {
  std::optional<double> load;  // 1-minute load average before the job
  std::string governor;        // CPU frequency governor; "" = unknown
  std::optional<bool> turbo;   // frequencies above the base frequency are permitted
  int cpus = 0, usable = 0;    // number present; number that the job may use
};

CiMachine LookAtMachine();  // reads /proc, /sys and the CPU mask of this process

// Returns a line for each problem, with its remedy. Pure.
std::vector<std::string> MachineLines(const CiMachine& machine);

}  // namespace gprofx
