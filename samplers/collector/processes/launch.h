// Starts the program with the agent in it. Everything else is as if its user had started it.
//
// The program gets the launcher's original signal mask, signal actions, limits, descriptors and
// environment. Some variables are added:
//  - LD_PRELOAD: the agent, and the library that records PyTorch's memory if that is enabled. They
//    come before the entries that the variable had.
//  - GPROFX_SESSION.
//  - CUDA_INJECTION64_PATH if the GPU is recorded.
//  - NVTX_INJECTION64_PATH if NVTX is recorded and the variable is not set already.
//
// The program does not end with the launcher.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

struct LaunchRequest {
  std::vector<std::string> command;  // the program and its arguments
  std::string program;               // path of the program's file, as found in PATH
  std::string agent;                 // path of the agent; empty: the program starts without it
  std::string session;               // value of GPROFX_SESSION
  std::string cuda;                  // path of libgprofx-cuda.so; empty: the GPU is not recorded
  std::string nvtx;                  // path of libgprofx-nvtx.so; empty: NVTX is not recorded
  std::string memory;  // path of libgprofx-memory.so; empty: allocators are not recorded
  std::array<int, 3> stdio = {-1, -1, -1};  // descriptors to use instead of ours; -1 = ours
};

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;  // empty if the kernel has no pidfd_open
};

// Blocks the signals of the launcher and raises its descriptor limit. The destructor undoes that in
// the launcher, RestoreInChild in the child.
class LauncherState {
 public:
  LauncherState();
  ~LauncherState();
  LauncherState(const LauncherState&) = delete;
  LauncherState& operator=(const LauncherState&) = delete;

  int signal_fd() const { return signal_fd_.get(); }
  void RestoreInChild() const;  // async-signal-safe

 private:
  struct Saved;
  Saved* saved_;
  UniqueFd signal_fd_;
};

// Starts the program. If exec fails, returns an error and sets `exec_errno`: ENOENT if the program
// was not found, otherwise why it cannot be executed.
Result<Child> Launch(const LaunchRequest& request, const LauncherState& state, int& exec_errno);

// Returns the environment for the child: the entries of `base` ("NAME=value") with our variables
// set. If CUDA_INJECTION64_PATH names another library, passes that in GPROFX_CUDA_CHAIN, and our
// library loads it. The value "none" means that nothing may be injected, and is kept.
std::vector<std::string> ChildEnvironment(const std::vector<std::string>& base,
                                          const std::string& agent, const std::string& session,
                                          const std::string& cuda = "",
                                          const std::string& nvtx = "",
                                          const std::string& memory = "");

// Returns the value of NVTX_INJECTION64_PATH in our environment if it differs from `nvtx`,
// otherwise "". The recorder does not change the variable if it is set, even to an empty value.
std::string OtherNvtx(const std::string& nvtx);

}  // namespace gprofx
