// Runs work in a forked copy of this process and returns its result as bytes. This process
// continues meanwhile.
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
  // Kills running work.
  ~ForkedWork() = default;
  ForkedWork(const ForkedWork&) = delete;
  ForkedWork& operator=(const ForkedWork&) = delete;

  // Runs `work` in a copy of this process. Must not be called while work is running. `work` may
  // throw only std::bad_alloc. It may call `ready` once, to report that it no longer depends on
  // this process.
  using Work = std::function<std::string(const std::function<void()>& ready)>;
  Status Begin(const Work& work);
  Status Begin(const std::function<std::string()>& work);
  bool under_way() const { return static_cast<bool>(child_); }
  bool ready();  // true if `ready` was called or the work has ended
  // Descriptor to poll, or -1; when it is readable, call Take.
  int fd() const { return under_way() ? from_.get() : -1; }

  // Returns the result once, after the work has ended. It is an error if the copy died.
  std::optional<Result<std::string>> Take();
  void WaitForEnd();  // afterwards Take has a result
  // CPU time of all ended work, in ns.
  int64_t cpu_ns() const { return cpu_ns_; }

 private:
  bool Read();
  std::optional<int> Reap();  // returns the copy's exit status

  ChildProcess child_;
  UniqueFd from_;
  std::string answer_;  // the first byte means that `ready` was called
  bool ended_ = false;
  int64_t cpu_ns_ = 0;
};

}  // namespace gprofx::recorder
