// Implements the pure functions of the checks (checks.h).
#include <cerrno>
#include <charconv>
#include <cstring>

#include "cli/doctor/checks.h"

namespace gprofx {
namespace {

// Highest value of perf_event_paranoid that permits task-clock events of the agent's own threads
// with exclude_kernel.
constexpr int kEnoughParanoid = 2;
constexpr char kLowerParanoid[] =
    "# Lets each user sample their own programs, but not the kernel or programs of other users.\n"
    "$sudo sysctl -w kernel.perf_event_paranoid=2";
constexpr uint32_t kOldestCupti = 22;  // 12.4, as in samplers/cuda/cupti/cupti_api.cpp

// Parses a number at the start of `text` and removes it from there. Returns nullopt if there is
// none.
std::optional<int> TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<KernelVersion> MajorMinor(std::string_view text) {
  const std::optional<int> major = TakeNumber(text);
  if (!major || text.empty() || text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> minor = TakeNumber(text);
  if (!minor) return std::nullopt;
  return KernelVersion{*major, *minor};
}

}  // namespace

std::optional<KernelVersion> ParseKernelVersion(std::string_view release) {
  return MajorMinor(release);
}

std::optional<KernelVersion> ParsePythonVersion(std::string_view text) {
  constexpr std::string_view kWord = "Python ";
  if (text.substr(0, kWord.size()) != kWord) return std::nullopt;
  return MajorMinor(text.substr(kWord.size()));
}

bool IsSupportedPython(KernelVersion version) {
  return version.major == 3 && version.minor >= 8 && version.minor <= 15;
}

std::optional<int> ConfigHz(std::string_view kernel_config) {
  constexpr std::string_view kName = "CONFIG_HZ=";
  for (size_t pos = 0; (pos = kernel_config.find(kName, pos)) != std::string_view::npos;) {
    const bool line_start = pos == 0 || kernel_config[pos - 1] == '\n';
    pos += kName.size();
    if (!line_start) continue;
    std::string_view rest = kernel_config.substr(pos);
    return TakeNumber(rest);
  }
  return std::nullopt;
}

Check JudgePerf(std::optional<int> paranoid, int error) {
  Check check;
  check.name = "perf events";
  const std::string level = paranoid ? "kernel.perf_event_paranoid is " + std::to_string(*paranoid)
                                     : std::string("kernel.perf_event_paranoid cannot be read");
  if (error == 0) {
    check.detail = "task-clock works (" + level + ")";
    return check;
  }
  check.health = Health::kWarn;
  check.detail = std::string("task-clock does not open: ") + strerror(error) + " (" + level +
                 "); POSIX CPU timers are used instead";
  // Find out what refused the event. It was the system call filter of a container if the error is
  // ENOSYS, or if the level of perf_event_paranoid permits the event. Otherwise it was
  // perf_event_paranoid.
  const bool filter = error == ENOSYS || (paranoid && *paranoid <= kEnoughParanoid);
  check.fix = filter ? "in a container: docker run --cap-add PERFMON ..."
                     : "sudo sysctl kernel.perf_event_paranoid=2 (lets each user sample their own "
                       "programs, but not the kernel or other users)";
  if (!filter) check.script = kLowerParanoid;
  return check;
}

Check JudgePtrace(const PtraceFacts& facts) {
  Check check{"ptrace", Health::kOk, "only --pid and --attach need it: ", ""};
  const std::string scope = facts.yama < 0 ? "the kernel has no yama"
                                           : "yama ptrace_scope is " + std::to_string(facts.yama);
  if (facts.filtered) {
    check.detail += "a system call filter forbids it";
    check.fix = "in a container: docker run --cap-add SYS_PTRACE ...";
  } else if (facts.yama == 3) {
    check.detail += "it is forbidden until the next boot (" + scope + ")";
    check.fix = "by hand: kernel.yama.ptrace_scope=1 in /etc/sysctl.d, then reboot";
  } else if (facts.yama > 0 && !facts.capable) {
    check.detail += "you may not use it (" + scope + ")";
    check.fix = facts.root ? "in a container: docker run --cap-add SYS_PTRACE ..."
                           : "for one recording: sudo gprof-x record --pid PID (kernel.yama."
                             "ptrace_scope=0 would open each user's processes to all others of "
                             "that user)";
  } else {
    const char* whose = facts.capable ? "any process" : "your own processes";
    check.detail += std::string(whose) + " can be attached to (" + scope + ")";
    return check;
  }
  // Offer no script, because a person must decide whether to permit the counters to all users.
  check.health = Health::kWarn;
  return check;
}

Check JudgeLibc(const LibcFacts& facts) {
  if (!facts.glibc.empty()) return {"C library", Health::kOk, "glibc " + facts.glibc, ""};
  if (!facts.can_ask) {
    return {"C library", Health::kWarn, "unknown: gprofx-foreign, which detects it, is missing",
            "install all of gprof-x: cmake --install BUILD, or unpack the bundle again"};
  }
  if (facts.musl_loader && !facts.glibc_loader) return {"C library", Health::kOk, "musl", ""};
  return {"C library", Health::kWarn,
          std::string(facts.glibc_loader ? "a glibc that is older than 2.17, or broken"
                                         : "no glibc 2.17 or newer, no musl") +
              ": programs run without samples",
          "record on a machine, or in a container, with one of them"};
}

Check JudgeGpuCounters(std::string_view parameters, bool administrator) {
  const bool restricted = parameters.find("RmProfilingAdminOnly: 1") != std::string_view::npos;
  if (!restricted || administrator)
    return {"GPU counters", Health::kOk, "this user may read them", ""};
  return {
      "GPU counters", Health::kWarn,
      "only root (CAP_SYS_ADMIN) may sample inside kernels; kernels and copies are recorded",
      "record in a container with --cap-add SYS_ADMIN, or load the driver with "
      "NVreg_RestrictProfilingToAdminUsers=0 (lets every user watch the GPU work of all users)"};
}

Check JudgeCupti(const std::string& path, uint32_t version) {
  Check check{"CUPTI", Health::kOk, path, ""};
  if (version == 0) {
    check.detail += ", version unknown";
  } else {
    check.detail += ", version " + std::to_string(version);
  }
  if (version < kOldestCupti) {
    check.health = Health::kWarn;
    check.detail += ": the GPU is recorded with CUPTI of CUDA 12.4 (22) or newer";
    check.fix = "python3 -m pip install -U nvidia-cuda-cupti, or name another one in GPROFX_CUPTI";
  }
  return check;
}

Check JudgeInjection(const std::string& value, bool readable) {
  Check check{"GPU injection", Health::kWarn, "CUDA_INJECTION64_PATH is " + value,
              "unset CUDA_INJECTION64_PATH"};
  if (value == "none") {
    check.detail += ": the GPU is not recorded";
  } else if (!readable) {
    check.detail += ", which cannot be read";
  } else {
    check.detail += ", which is loaded, too: if it uses CUPTI, the GPU is not recorded";
  }
  return check;
}

std::vector<std::string> CuptiCandidates(const std::string& chosen,
                                         const std::vector<std::string>& packages,
                                         const std::vector<std::string>& homes) {
  std::vector<std::string> all;
  if (!chosen.empty()) all.push_back(chosen);
  for (const std::string& folder : packages) {
    all.push_back(folder + "/nvidia/cu13/lib/libcupti.so.13");
    all.push_back(folder + "/nvidia/cuda_cupti/lib/libcupti.so.12");
  }
  for (const std::string& home : homes) {
    all.push_back(home + "/extras/CUPTI/lib64/libcupti.so");
    all.push_back(home + "/lib64/libcupti.so");
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) all.emplace_back(name);
  return all;
}

}  // namespace gprofx
