// A recording of our own for tests of the parts that write to the shared memory.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "samplers/agent/process/session.h"

namespace gprofx::agent {

class TestMemory {
 public:
  TestMemory() {
    fd_ = memfd_create("gprofx-test", MFD_CLOEXEC);
    if (ftruncate(fd_, static_cast<off_t>(wire::FileBytes())) != 0) std::abort();
    control_ = static_cast<wire::ControlPage*>(
        mmap(nullptr, wire::kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    control_->facts.magic = wire::kMagic;
    control_->facts.version = wire::kVersion;
    control_->facts.control_bytes = wire::kControlBytes;
    control_->facts.region_bytes = wire::kRegionBytes;
    control_->facts.collector_pid = getpid();
    control_->facts.start_ns = MonotonicNs();
    control_->facts.plan.python = 1;
    control_->facts.plan.follow_children = 1;
    control_->facts.plan.posix_period_ns = 4000000;
    control_->facts.plan.tick_ns = 4000000;
    control_->facts.plan.nominal_period_ns = 4000000;
    control_->sampling = 1;
  }
  ~TestMemory() {
    munmap(control_, wire::kControlBytes);
    close(fd_);
  }
  std::string Path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  wire::ControlPage& control() { return *control_; }

 private:
  int fd_;
  wire::ControlPage* control_;
};

// What `test` returns in a process of its own, for what is chosen once for the life of a process.
inline int StatusInChild(int (*test)()) {
  const pid_t child = fork();
  if (child == 0) _exit(test());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gprofx::agent
