// Locks of others that our thread takes (NVML's, the dynamic loader's) are not copied as held into
// a fork child: who is about to take them says so, and a fork waits for its end.
//
// Our own thread only; Hold and Release are for pthread_atfork.
#pragma once

namespace gprofx::cuda {

// While it stands no fork goes on; or one does already, and nothing may be taken.
class ForkPause {
 public:
  ForkPause();
  ~ForkPause();
  ForkPause(const ForkPause&) = delete;
  ForkPause& operator=(const ForkPause&) = delete;
  explicit operator bool() const { return may_; }

 private:
  bool may_ = false;
};

// Waits for one that stands, 20 ms at most; from then on there is none.
void HoldForFork();
void ReleaseAfterFork();

}  // namespace gprofx::cuda
