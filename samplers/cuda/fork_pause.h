// Keeps a fork child from inheriting foreign locks (NVML's, the dynamic loader's) in the held
// state. Our thread constructs a ForkPause before it takes such a lock, and a fork waits until the
// ForkPause is destroyed.
//
// ForkPause is for our own thread only; HoldForFork and ReleaseAfterFork are for pthread_atfork.
#pragma once

namespace gprofx::cuda {

// Delays forks while it exists. False if a fork is already in progress: the locks must not be
// taken.
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

// HoldForFork waits up to 20 ms until an existing ForkPause is destroyed. Any ForkPause constructed
// before ReleaseAfterFork is false.
void HoldForFork();
void ReleaseAfterFork();

}  // namespace gprofx::cuda
