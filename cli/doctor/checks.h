// The checks of gprof-x doctor. The functions that parse and judge are pure. Only the Check...()
// functions access the machine.
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
  // Lines for sh that apply the fix. They contain no text from the machine, and commands for root
  // begin with $sudo. "" = it must be fixed by hand.
  std::string script = "";
};

// The first two numbers of a version: {6, 1} for "6.1.0-13-amd64".
struct KernelVersion {
  int major = 0, minor = 0;
};
std::optional<KernelVersion> ParseKernelVersion(std::string_view release);

std::optional<int> ConfigHz(std::string_view kernel_config);  // value of the line CONFIG_HZ=N

// Parses the output of `python -V`: {3, 11} for "Python 3.11.2".
std::optional<KernelVersion> ParsePythonVersion(std::string_view text);
bool IsSupportedPython(KernelVersion version);  // 3.8 to 3.15

// Judges whether the program can be sampled with perf events. `paranoid` is the value of
// perf_event_paranoid. `error` is the errno of opening a perf event as the agent (the library in
// recorded programs) does; 0 = success.
Check JudgePerf(std::optional<int> paranoid, int error);

struct PtraceFacts {
  int yama = -1;         // kernel.yama.ptrace_scope; -1 = the kernel has no such restriction
  bool capable = false;  // true if it has CAP_SYS_PTRACE
  bool root = false;
  bool filtered = false;  // true if a system call filter blocks ptrace(2)
};
Check JudgePtrace(const PtraceFacts& facts);  // ptrace is needed only to attach

struct LibcFacts {
  std::string glibc;     // version of glibc; "" = unknown
  bool can_ask = false;  // true if gprofx-foreign is installed, which can determine it
  bool glibc_loader = false, musl_loader = false;
};
Check JudgeLibc(const LibcFacts& facts);

// Judges whether the driver permits GPU counters. `parameters` are its module parameters;
// `administrator` is true if this user has CAP_SYS_ADMIN.
Check JudgeGpuCounters(std::string_view parameters, bool administrator);
// Judges a libcupti. `version` is the result of its cuptiGetVersion; 0 = none.
Check JudgeCupti(const std::string& path, uint32_t version);
// Judges the value of CUDA_INJECTION64_PATH in gprof-x's own environment; `value` is not empty.
Check JudgeInjection(const std::string& value, bool readable);
// Returns the possible paths of CUPTI, in the order in which a recorded program tries them. `homes`
// are folders of CUDA toolkits, `packages` folders of Python packages.
std::vector<std::string> CuptiCandidates(const std::string& chosen,
                                         const std::vector<std::string>& packages,
                                         const std::vector<std::string>& homes);

// Kernel.
Check CheckKernel();
Check CheckPerfEvents();
Check CheckTimerResolution();
Check CheckPtrace();
// This installation and the current folder.
Check CheckAgent();
Check CheckDisk();
Check CheckLibc();
// The programs to profile.
std::vector<Check> CheckPythons();
std::vector<Check> CheckCuda();

std::vector<Check> AllChecks();

constexpr size_t kMaxFile = size_t{1} << 20;  // maximum bytes that a check reads of a file

}  // namespace gprofx
