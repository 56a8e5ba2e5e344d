// The pure half of the checks.
#include <cerrno>
#include <charconv>
#include <cstring>

#include "cli/doctor/checks.h"

namespace gprofx {
namespace {

// A number at the start of `text`, which moves behind it.
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
  return version.major == 3 && version.minor >= 8 && version.minor <= 14;
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

Check JudgePerf(std::optional<int> paranoid, int error_with_kernel, int error_user_only) {
  Check check;
  check.name = "perf events";
  const std::string level = paranoid ? "kernel.perf_event_paranoid is " + std::to_string(*paranoid)
                                     : std::string("kernel.perf_event_paranoid cannot be read");
  if (error_with_kernel == 0) {
    check.detail = "task-clock works, kernel time included (" + level + ")";
    return check;
  }
  check.health = Health::kWarn;
  if (error_user_only == 0) {
    check.detail = "task-clock works for user code only (" + level + ")";
    check.fix = "sudo sysctl kernel.perf_event_paranoid=1";
    return check;
  }
  check.detail = std::string("task-clock does not open: ") + strerror(error_user_only) + " (" +
                 level + "); POSIX CPU timers are used instead";
  // Root in a container, and low levels, are refused by the container's system call filter and not
  // by the setting.
  const bool filter = error_user_only == ENOSYS || (paranoid && *paranoid <= 2);
  check.fix = filter ? "in a container: docker run --cap-add PERFMON "
                       "--security-opt seccomp=unconfined ..."
                     : "sudo sysctl kernel.perf_event_paranoid=1";
  return check;
}

}  // namespace gprofx
