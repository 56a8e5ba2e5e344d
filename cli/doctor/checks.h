// Declares the checks of gprof-x doctor. The functions that parse and judge are pure. Only the
// Check...() functions access the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

enum class Health {
  kOk,
  kWarn,  // recording works, but some data will be missing
  kFail,  // recording does not work
};

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string detail;  // unescaped
  std::string fix;     // a command or an instruction; "" = there is nothing to do
  // Lines for sh that apply the fix; "" = the user must fix it by hand. They contain no text from
  // the machine. Commands for root begin with $sudo.
  std::string script = "";
};

// The first two numbers of a version: {6, 1} for "6.1.0-13-amd64".
struct KernelVersion {
  int major = 0, minor = 0;
};
std::optional<KernelVersion> ParseKernelVersion(std::string_view release);

std::optional<int> ConfigHz(std::string_view kernel_config);  // the N of the line CONFIG_HZ=N

// Parses the output of `python -V`: {3, 11} for "Python 3.11.2".
std::optional<KernelVersion> ParsePythonVersion(std::string_view text);
bool IsSupportedPython(KernelVersion version);  // true for 3.8 to 3.15

// Judges whether programs can be sampled with perf events. `paranoid` is the value of
// perf_event_paranoid. `error` is the errno of an attempt to open a perf event as the agent (the
// library in recorded programs) does; 0 = success.
Check JudgePerf(std::optional<int> paranoid, int error);

struct PtraceFacts {
  int yama = -1;         // kernel.yama.ptrace_scope; -1 = the kernel has no such restriction
  bool capable = false;  // this process has CAP_SYS_PTRACE
  bool root = false;
  bool filtered = false;  // a system call filter blocks ptrace(2)
};
Check JudgePtrace(const PtraceFacts& facts);  // ptrace is needed only to attach

struct LibcFacts {
  std::string glibc;     // version of glibc; "" = unknown
  bool can_ask = false;  // gprofx-foreign is installed and can determine it
  bool glibc_loader = false, musl_loader = false;
};
Check JudgeLibc(const LibcFacts& facts);

// Judges whether the driver permits GPU counters. `parameters` are its module parameters;
// `administrator` is true if this user has CAP_SYS_ADMIN.
Check JudgeGpuCounters(std::string_view parameters, bool administrator);
// Judges the CUPTI library at `path`. `version` is the result of its cuptiGetVersion; 0 = unknown.
Check JudgeCupti(const std::string& path, uint32_t version);
// Judges the value of CUDA_INJECTION64_PATH in gprof-x's own environment; `value` is not empty.
Check JudgeInjection(const std::string& value, bool readable);
// Returns the possible paths of CUPTI, in the order in which a recorded program tries them. `homes`
// are folders of CUDA toolkits, `packages` folders of Python packages.
std::vector<std::string> CuptiCandidates(const std::string& chosen,
                                         const std::vector<std::string>& packages,
                                         const std::vector<std::string>& homes);

// Checks of the kernel.
Check CheckKernel();
Check CheckPerfEvents();
Check CheckTimerResolution();
Check CheckPtrace();
// Checks of this installation and of the current folder.
Check CheckAgent();
Check CheckDisk();
Check CheckLibc();
// Checks of what the programs to profile use.
std::vector<Check> CheckPythons();
std::vector<Check> CheckCuda();

std::vector<Check> AllChecks();

constexpr size_t kMaxFile = size_t{1} << 20;  // maximum bytes that a check reads of a file

}  // namespace gprofx
