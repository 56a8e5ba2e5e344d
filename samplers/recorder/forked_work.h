// Runs work in a forked copy of this process and returns the result of the work as bytes. This
// process continues meanwhile.
//
// The copy has a snapshot of all memory, so nothing needs to be locked or kept unchanged. It is
// killed when this process or this object ends. This process must have only one thread. Only
// WaitForEnd blocks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/child_process.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx::recorder {

class ForkedWork {
 public:
  ForkedWork() = default;
  // Kills the copy if it still runs.
  ~ForkedWork() = default;
  ForkedWork(const ForkedWork&) = delete;
  ForkedWork& operator=(const ForkedWork&) = delete;

  // Runs `work` in a copy of this process. Must not be called while other work is running. `work`
  // may throw only std::bad_alloc. It may call `ready` once, to report that it no longer depends on
  // this process.
  using Work = std::function<std::string(const std::function<void()>& ready)>;
  Status Begin(const Work& work);
  Status Begin(const std::function<std::string()>& work);
  bool under_way() const { return static_cast<bool>(child_); }
  bool ready();  // true if the work has called `ready` or has ended
  // Descriptor to poll, or -1. Call Take when it is readable.
  int fd() const { return under_way() ? from_.get() : -1; }

  // Returns the result of the work, once, after the work has ended. Returns an error if the copy
  // died.
  std::optional<Result<std::string>> Take();
  void WaitForEnd();  // afterwards Take has a result
  // CPU time in ns of all work that has ended.
  int64_t cpu_ns() const { return cpu_ns_; }

 private:
  bool Read();
  std::optional<int> Reap();  // returns the copy's exit status, if it has ended

  ChildProcess child_;
  UniqueFd from_;
  std::string answer_;  // what the copy has sent; the first byte means that `ready` was called
  bool ended_ = false;
  int64_t cpu_ns_ = 0;
};

}  // namespace gprofx::recorder
