// Refers to one process. Stays safe if its PID is reused.
//
// A PID can be reused after its process was waited for. The handle holds the process's folder in
// /proc open, whose entries vanish with the process and never show a later one. Unlike a pidfd, it
// works on every kernel. Files opened through it belong to this process. Data that was looked up by
// PID is about this process if is_there() is true afterwards. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace gprofx::attach {

class ProcessHandle {
 public:
  // The process need not exist; is_there() tells.
  explicit ProcessHandle(pid_t pid);

  pid_t pid() const { return pid_; }
  bool is_there() const;  // also true for a zombie
  bool HasThread(pid_t tid) const;
  // Opens a file in the process's /proc folder. On failure the result is empty and errno is set.
  UniqueFd Open(const char* file, int flags) const;
  std::optional<std::string> Read(const char* file, size_t limit) const;
  // Returns a pidfd for pidfd_getfd(2) and poll(2); empty if there is none (kernels before 5.3).
  UniqueFd PidFd() const;

 private:
  pid_t pid_;
  UniqueFd folder_;
};

}  // namespace gprofx::attach
