#include <linux/capability.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/doctor/checks.h"
#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {
namespace {

std::string KernelRelease() {
  utsname name = {};
  return uname(&name) == 0 ? name.release : "";
}

// Opens a perf event as the agent does, and closes it. Returns 0, or the errno.
int TryTaskClock() {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = 1'000'000;
  attr.disabled = 1;
  attr.exclude_kernel = 1;  // as samplers/agent/process/timers.cpp opens it
  attr.exclude_hv = 1;
  const UniqueFd event(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  return event ? 0 : errno;
}

std::optional<std::string> ReadGzip(const char* path) {
  gzFile file = gzopen(path, "rbe");
  if (file == nullptr) return std::nullopt;
  std::string text;
  char buffer[8192];
  int got = 0;
  while (text.size() < (size_t{1} << 20) && (got = gzread(file, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  gzclose(file);
  return text;
}

int64_t ThreadCpuTime() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Measures how often a CPU timer can expire. Sets it to 10 kHz, uses 60 ms of CPU time and counts
// the expirations. There is no signal handler: the signal stays blocked and is taken at the end,
// and the kernel counts further signals as overruns.
std::optional<int> MeasuredTimerHz() {
  constexpr int64_t kBurn = 60'000'000;
  sigset_t only = {}, before = {};
  sigemptyset(&only);
  sigaddset(&only, SIGRTMIN);
  if (pthread_sigmask(SIG_BLOCK, &only, &before) != 0) return std::nullopt;
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  timer_t timer = {};
  std::optional<int> rate;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
    const itimerspec every = {{0, 100'000}, {0, 100'000}};
    const timespec no_wait = {};
    int64_t ticks = 0;
    const int64_t start = ThreadCpuTime();
    if (timer_settime(timer, 0, &every, nullptr) == 0) {
      while (ThreadCpuTime() - start < kBurn) {
        if (sigtimedwait(&only, nullptr, &no_wait) > 0)
          ++ticks;  // overruns are late expirations, which do not count
      }
      rate = static_cast<int>(ticks * 1'000'000'000 / kBurn);
    }
    timer_delete(timer);
    while (sigtimedwait(&only, nullptr, &no_wait) > 0) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return rate;
}

}  // namespace

Check CheckKernel() {
  Check check{"kernel", Health::kOk, "Linux " + KernelRelease(), ""};
  const std::optional<KernelVersion> version = ParseKernelVersion(KernelRelease());
  const bool old = !version || version->major < 5 || (version->major == 5 && version->minor < 13);
  if (old) {
    check.health = Health::kWarn;
    check.detail += ": perf events across exec need 5.13; POSIX CPU timers are used instead";
    check.fix = "use Linux 5.13 or newer for the full sampling rate";
  }
  return check;
}

Check CheckPerfEvents() {
  std::optional<int> paranoid;
  if (const auto text = ReadSmallFile("/proc/sys/kernel/perf_event_paranoid")) {
    paranoid = atoi(text->c_str());
  }
  return JudgePerf(paranoid, TryTaskClock());
}

Check CheckTimerResolution() {
  Check check{"timer tick", Health::kOk, "", ""};
  std::optional<int> hz;
  if (const auto config = ReadGzip("/proc/config.gz")) hz = ConfigHz(*config);
  if (!hz) {
    if (const auto config = ReadSmallFile("/boot/config-" + KernelRelease(), kMaxFile))
      hz = ConfigHz(*config);
  }
  if (hz) {
    check.detail = "CONFIG_HZ is " + std::to_string(*hz);
  } else if ((hz = MeasuredTimerHz())) {
    check.detail = "a CPU timer fires " + std::to_string(*hz) + " times a second (measured)";
  } else {
    check.health = Health::kWarn;
    check.detail = "unknown: no kernel configuration, and a CPU timer could not be made";
    return check;
  }
  if (*hz < 900) check.detail += "; without perf events, this is the maximum sampling rate";
  return check;
}

Check CheckPtrace() {
  // No process has this PID, so the error ESRCH means that ptrace is permitted.
  constexpr pid_t kNobody = 0x7fffffff;
  PtraceFacts facts;
  if (const auto scope = ReadSmallFile("/proc/sys/kernel/yama/ptrace_scope")) {
    facts.yama = atoi(scope->c_str());
  }
  facts.capable = HasCapability(CAP_SYS_PTRACE);
  facts.root = geteuid() == 0;
  facts.filtered = ptrace(PTRACE_SEIZE, kNobody, nullptr, nullptr) != 0 && errno != ESRCH;
  return JudgePtrace(facts);
}

}  // namespace gprofx
