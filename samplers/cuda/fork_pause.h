// Keeps a fork child from inheriting locks of other libraries (NVML's, the dynamic loader's) in a
// locked state. Our thread makes a ForkPause before it takes such a lock, and a fork waits until
// the ForkPause is destroyed.
//
// ForkPause is only for our own thread. HoldForFork and ReleaseAfterFork are for pthread_atfork.
#pragma once

namespace gprofx::cuda {

// Delays forks during the lifetime of this object. It converts to false if a fork is already in
// progress; then the locks must not be taken.
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

// HoldForFork waits until an existing ForkPause is destroyed, but no longer than 20 ms. From the
// begin of HoldForFork until ReleaseAfterFork, a new ForkPause converts to false.
void HoldForFork();
void ReleaseAfterFork();

}  // namespace gprofx::cuda
