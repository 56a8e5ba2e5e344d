// Work on a copy of this process, which goes on meanwhile: what the work returns comes back as
// bytes.
//
// The copy sees everything as it was when it began, so nothing has to be kept still or locked. It
// ends with this process, and with this object. The caller must have one thread. Blocks only in
// WaitForEnd.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx::recorder {

class ForkedWork {
 public:
  ForkedWork() = default;
  ~ForkedWork();  // kills what is under way
  ForkedWork(const ForkedWork&) = delete;
  ForkedWork& operator=(const ForkedWork&) = delete;

  // Not while another is under way. `work` may not throw past memory that is out. It may call what
  // it is given, once: from then on nothing that happens to this process matters to it.
  using Work = std::function<std::string(const std::function<void()>& ready)>;
  Status Begin(const Work& work);
  Status Begin(const std::function<std::string()>& work);
  bool under_way() const { return pid_ != 0; }
  bool ready();                                              // it said so, or has ended
  int fd() const { return under_way() ? from_.get() : -1; }  // readable: call Take

  // Once, when the work has ended. An error: it died on its way.
  std::optional<Result<std::string>> Take();
  void WaitForEnd();  // Take has an answer then
  // CPU time of all that have ended, in ns.
  int64_t cpu_ns() const { return cpu_ns_; }

 private:
  bool Read();
  void Reap();

  pid_t pid_ = 0;
  UniqueFd from_;
  std::string answer_;  // the first byte: `ready` was called
  bool ended_ = false;
  int status_ = 0;
  int64_t cpu_ns_ = 0;
};

}  // namespace gprofx::recorder
