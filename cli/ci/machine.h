// What a look at the machine says about how even measurements on it will be. It stops nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gprofx {

struct CiMachine {
  std::optional<double> load;  // average of the last minute, before the job
  std::string governor;        // of the CPUs' frequency; "" = unknown
  std::optional<bool> turbo;   // frequencies above the base one are permitted
  int cpus = 0, usable = 0;    // that are there; that the job may use
};

CiMachine LookAtMachine();  // reads /proc, /sys and the mask of this process

// A line for each point, with what would make it better. Pure.
std::vector<std::string> MachineLines(const CiMachine& machine);

}  // namespace gprofx
