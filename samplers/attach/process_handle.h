// One process, held so that its number cannot come to mean another one.
//
// A PID is reused once its process was waited for. The handle is the process's folder in /proc,
// whose entries vanish with the process and never show its successor; unlike a pidfd it exists on
// every kernel. Files opened through it are those of this process. What was looked up by number is
// about this process if is_there() holds afterwards. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace gprofx::attach {

class ProcessHandle {
 public:
  // Call is_there() to learn whether there is such a process.
  explicit ProcessHandle(pid_t pid);

  pid_t pid() const { return pid_; }
  bool is_there() const;  // true for a zombie, too
  bool HasThread(pid_t tid) const;
  // A file of its folder in /proc; errno says why there is none.
  UniqueFd Open(const char* file, int flags) const;
  std::optional<std::string> Read(const char* file, size_t limit) const;
  // For pidfd_getfd(2) and poll(2); none on kernels before 5.3.
  UniqueFd PidFd() const;

 private:
  pid_t pid_;
  UniqueFd folder_;
};

}  // namespace gprofx::attach
