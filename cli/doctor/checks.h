// The checks of gprof-x doctor. Parsing is in pure functions; a Check...() function is the seam to
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
  kWarn,  // recording works, something will be missing
  kFail,  // recording does not work
};

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string detail;  // unescaped
  std::string fix;     // a command, or what to do; "" when nothing is to be done
  // Lines of sh that do it, made of nothing that was found; root's begin with $sudo. "" = by hand.
  std::string script = "";
};

// "6.1.0-13-amd64" -> {6, 1}
struct KernelVersion {
  int major = 0, minor = 0;
};
std::optional<KernelVersion> ParseKernelVersion(std::string_view release);

std::optional<int> ConfigHz(std::string_view kernel_config);  // from the line CONFIG_HZ=N

// "Python 3.11.2" -> {3, 11}; the same type serves.
std::optional<KernelVersion> ParsePythonVersion(std::string_view text);
bool IsSupportedPython(KernelVersion version);  // 3.8 to 3.15

// From the text of perf_event_paranoid and the error number (0 = worked) of trying as the agent
// does.
Check JudgePerf(std::optional<int> paranoid, int error);

struct PtraceFacts {
  int yama = -1;         // kernel.yama.ptrace_scope; -1 = the kernel has no such limit
  bool capable = false;  // CAP_SYS_PTRACE
  bool root = false;
  bool filtered = false;  // a system call filter refuses ptrace(2)
};
Check JudgePtrace(const PtraceFacts& facts);  // only what enters a running process needs it

struct LibcFacts {
  std::string glibc;     // its version; "" = no answer
  bool can_ask = false;  // gprofx-foreign is there
  bool glibc_loader = false, musl_loader = false;
};
Check JudgeLibc(const LibcFacts& facts);

// From the driver's parameters, and whether this user may administrate (CAP_SYS_ADMIN).
Check JudgeGpuCounters(std::string_view parameters, bool administrator);
// A libcupti that was found, and what its cuptiGetVersion says; 0 = nothing.
Check JudgeCupti(const std::string& path, uint32_t version);
// CUDA_INJECTION64_PATH as it is in our own environment, not empty.
Check JudgeInjection(const std::string& value, bool readable);
// Where CUPTI may lie, in the order in which a recorded program looks. `homes`: folders of CUDA
// toolkits; `packages`: folders of Python packages.
std::vector<std::string> CuptiCandidates(const std::string& chosen,
                                         const std::vector<std::string>& packages,
                                         const std::vector<std::string>& homes);

// kernel
Check CheckKernel();
Check CheckPerfEvents();
Check CheckTimerResolution();
Check CheckPtrace();
// this installation and folder
Check CheckAgent();
Check CheckDisk();
Check CheckLibc();
// what is going to be profiled
std::vector<Check> CheckPythons();
std::vector<Check> CheckCuda();

std::vector<Check> AllChecks();

constexpr size_t kMaxFile = size_t{1} << 20;  // bytes that a check reads of a file

struct OutputLimits {
  size_t most = 4096;       // bytes; a command that prints more has failed
  bool with_errors = true;  // its standard error too
  // Called in the new process, which then has next to no environment and no descriptor but the
  // standard ones. False: the command is not executed.
  std::function<bool()> confine = nullptr;
};
// Output of a command that takes at most `milliseconds`; nothing if it failed. No shell.
std::optional<std::string> CommandOutput(const std::vector<std::string>& command, int milliseconds,
                                         const OutputLimits& limits = {});

}  // namespace gprofx
