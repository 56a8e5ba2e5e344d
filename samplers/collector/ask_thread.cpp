#include "samplers/collector/ask_thread.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "core/base/file_io.h"
#include "samplers/collector/procfs.h"
#include "samplers/wire/layout.h"

namespace gprofx {
namespace {

std::string_view Field(std::string_view status, std::string_view name) {
  const size_t at = status.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + name.size());
  return rest.substr(0, rest.find('\n'));
}

bool Holds(std::string_view mask, int signal) {
  uint64_t bits = 0;
  std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
  return (bits >> (signal - 1) & 1) != 0;
}

}  // namespace

bool MayBeAsked(std::string_view status) {
  return Field(status, "\nState:\t").starts_with('R') &&
         !Holds(Field(status, "\nSigBlk:\t"), SIGPROF) &&
         Holds(Field(status, "\nSigCgt:\t"), SIGPROF);
}

bool AskThreadItself(int64_t pid, int64_t tid) {
  const auto status = ReadSmallFile(ThreadPath(pid, tid, "status"));
  if (!status || !MayBeAsked(*status)) return false;
  siginfo_t info;
  std::memset(&info, 0, sizeof info);
  info.si_signo = SIGPROF;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(wire::kBeginCookie);
  return syscall(SYS_rt_tgsigqueueinfo, static_cast<pid_t>(pid), static_cast<pid_t>(tid), SIGPROF,
                 &info) == 0;
}

}  // namespace gprofx
