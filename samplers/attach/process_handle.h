// Refers to one process, safely even if its PID is reused after the process was waited for.
//
// The handle holds the process's folder in /proc open. The entries of that folder vanish with the
// process and never show a later one. Unlike a pidfd, such a handle works on every kernel. Files
// opened through it belong to this process. Data that was looked up by PID is about this process if
// is_there() is true afterwards. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace gprofx::attach {

class ProcessHandle {
 public:
  // Makes a handle even if no such process exists; is_there() tells whether one does.
  explicit ProcessHandle(pid_t pid);

  pid_t pid() const { return pid_; }
  bool is_there() const;  // also true for a zombie
  bool HasThread(pid_t tid) const;
  // Opens a file in the process's /proc folder. On failure, returns an empty descriptor and sets
  // errno.
  UniqueFd Open(const char* file, int flags) const;
  std::optional<std::string> Read(const char* file, size_t limit) const;
  // Returns a pidfd for pidfd_getfd(2) and poll(2). Returns an empty one if the kernel has none
  // (before 5.3).
  UniqueFd PidFd() const;

 private:
  pid_t pid_;
  UniqueFd folder_;
};

}  // namespace gprofx::attach
