#include "cli/ci/machine.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/file_io.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

constexpr double kIdleLoad = 0.5;

std::string FirstWord(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  return text ? text->substr(0, text->find_first_of(" \n")) : "";
}

std::optional<bool> Turbo() {
  if (const std::string off = FirstWord("/sys/devices/system/cpu/intel_pstate/no_turbo");
      !off.empty()) {
    return off == "0";
  }
  if (const std::string on = FirstWord("/sys/devices/system/cpu/cpufreq/boost"); !on.empty()) {
    return on == "1";
  }
  return std::nullopt;
}

std::string LoadLine(const CiMachine& machine) {
  if (!machine.load) return "load of the last minute: unknown";
  return Format("load of the last minute: %.1f on %d CPUs", *machine.load, machine.cpus) +
         (*machine.load > kIdleLoad ? "; other work on the machine makes runs differ" : "");
}

std::string GovernorLine(const CiMachine& machine) {
  if (machine.governor.empty()) return "CPU frequency: unknown, as in most virtual machines";
  const std::string line = "CPU frequency: governor " + machine.governor;
  return machine.governor == "performance"
             ? line
             : line + "; 'cpupower frequency-set -g performance' makes runs more similar";
}

std::string TurboLine(const CiMachine& machine) {
  if (!machine.turbo) return "turbo: unknown";
  return *machine.turbo ? "turbo: on, so speed depends on temperature and on other cores"
                        : "turbo: off";
}

}  // namespace

CiMachine LookAtMachine() {
  CiMachine machine;
  if (const std::string load = FirstWord("/proc/loadavg"); !load.empty()) {
    machine.load = strtod(load.c_str(), nullptr);
  }
  machine.governor = FirstWord("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  machine.turbo = Turbo();
  machine.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.usable = machine.cpus;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) machine.usable = CPU_COUNT(&mask);
  return machine;
}

std::vector<std::string> MachineLines(const CiMachine& machine) {
  return {LoadLine(machine), GovernorLine(machine), TurboLine(machine),
          "CPUs: " + std::to_string(machine.usable) + " of " + std::to_string(machine.cpus) +
              " may be used"};
}

}  // namespace gprofx
