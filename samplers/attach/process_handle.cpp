#include "samplers/attach/process_handle.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/file_io.h"

namespace gprofx::attach {

ProcessHandle::ProcessHandle(pid_t pid)
    : pid_(pid),
      folder_(open(("/proc/" + std::to_string(pid)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

bool ProcessHandle::is_there() const {
  return folder_ && faccessat(folder_.get(), "stat", F_OK, 0) == 0;
}

bool ProcessHandle::HasThread(pid_t tid) const {
  const std::string path = "task/" + std::to_string(tid) + "/stat";
  return folder_ && faccessat(folder_.get(), path.c_str(), F_OK, 0) == 0;
}

UniqueFd ProcessHandle::Open(const char* file, int flags) const {
  return UniqueFd(openat(folder_.get(), file, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

std::optional<std::string> ProcessHandle::Read(const char* file, size_t limit) const {
  const UniqueFd opened = Open(file, O_RDONLY);
  return opened ? ReadText(opened.get(), limit) : std::nullopt;
}

UniqueFd ProcessHandle::PidFd() const {
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!is_there()) process.Reset();  // the pidfd may be that of a later process with the same PID
  return process;
}

}  // namespace gprofx::attach
