// Refers to one process, safe against reuse of its PID.
//
// A PID is reused once its process has been waited for. The handle holds the process's folder in
// /proc, whose entries vanish with the process and never show its successor. Unlike a pidfd, it
// exists on every kernel. Files opened through it belong to this process. Data looked up by PID is
// about this process if is_there() is true afterwards. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace gprofx::attach {

class ProcessHandle {
 public:
  // Call is_there() to check that the process exists.
  explicit ProcessHandle(pid_t pid);

  pid_t pid() const { return pid_; }
  bool is_there() const;  // also true for a zombie
  bool HasThread(pid_t tid) const;
  // Opens a file in its /proc folder; errno is set on failure.
  UniqueFd Open(const char* file, int flags) const;
  std::optional<std::string> Read(const char* file, size_t limit) const;
  // For pidfd_getfd(2) and poll(2); empty on kernels before 5.3.
  UniqueFd PidFd() const;

 private:
  pid_t pid_;
  UniqueFd folder_;
};

}  // namespace gprofx::attach
