// The checks of gprof-x doctor. Parsing is in pure functions; only the Check...() functions access
// the machine.
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
  std::string fix;     // a command or an instruction; "" = nothing to do
  // Lines of sh that apply the fix, without any text from the machine. Commands for root begin with
  // $sudo. "" = manual fix.
  std::string script = "";
};

// "6.1.0-13-amd64" -> {6, 1}
struct KernelVersion {
  int major = 0, minor = 0;
};
std::optional<KernelVersion> ParseKernelVersion(std::string_view release);

std::optional<int> ConfigHz(std::string_view kernel_config);  // from the line CONFIG_HZ=N

// "Python 3.11.2" -> {3, 11}
std::optional<KernelVersion> ParsePythonVersion(std::string_view text);
bool IsSupportedPython(KernelVersion version);  // 3.8 to 3.15

// Judges the value of perf_event_paranoid, and `error`, the errno of opening a perf event (0 =
// success). The event is opened as the agent, the library in recorded programs, opens it.
Check JudgePerf(std::optional<int> paranoid, int error);

struct PtraceFacts {
  int yama = -1;         // kernel.yama.ptrace_scope; -1 = the kernel has no such limit
  bool capable = false;  // has CAP_SYS_PTRACE
  bool root = false;
  bool filtered = false;  // a system call filter blocks ptrace(2)
};
Check JudgePtrace(const PtraceFacts& facts);  // needed only to attach

struct LibcFacts {
  std::string glibc;     // its version; "" = no answer
  bool can_ask = false;  // gprofx-foreign is installed
  bool glibc_loader = false, musl_loader = false;
};
Check JudgeLibc(const LibcFacts& facts);

// Judges the driver's parameters, and whether this user is an administrator (CAP_SYS_ADMIN).
Check JudgeGpuCounters(std::string_view parameters, bool administrator);
// Judges a libcupti and the result of its cuptiGetVersion; 0 = none.
Check JudgeCupti(const std::string& path, uint32_t version);
// Judges CUDA_INJECTION64_PATH of our own environment; `value` is not empty.
Check JudgeInjection(const std::string& value, bool readable);
// Returns the possible paths of CUPTI, in the order in which a recorded program searches. `homes`:
// folders of CUDA toolkits; `packages`: folders of Python packages.
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
