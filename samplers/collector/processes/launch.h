// Starts the program with the agent in it, and otherwise exactly as its user would have.
//
// The program gets the launcher's original signal mask and dispositions, limits, descriptors and
// environment, plus LD_PRELOAD (the agent, and the library that sees PyTorch's memory where that is
// recorded, before what was there), GPROFX_SESSION and, where there
// is a GPU side, CUDA_INJECTION64_PATH, and NVTX_INJECTION64_PATH where there is none. It does not
// die with the launcher.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

struct LaunchRequest {
  std::vector<std::string> command;  // at least the program
  std::string program;               // its file, as found in PATH
  std::string agent;                 // path of the agent; empty: start without it
  std::string session;               // value of GPROFX_SESSION
  std::string cuda;                  // path of libgprofx-cuda.so; empty: the GPU is left alone
  std::string nvtx;                  // path of libgprofx-nvtx.so; empty: NVTX is left alone
  std::string memory;  // path of libgprofx-memory.so; empty: allocators are left alone
  std::array<int, 3> stdio = {-1, -1, -1};  // descriptors in place of ours; -1 = ours
};

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;  // none where the kernel has no pidfd_open
};

// Blocks the launcher's signals and raises its descriptor limit; undone in the child, and at the
// end.
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

// Error: exec failed; `exec_errno` says why (ENOENT: not found, else not executable).
Result<Child> Launch(const LaunchRequest& request, const LauncherState& state, int& exec_errno);

// The environment of the child: `base` ("NAME=value") with the variables set. A library that was in
// CUDA_INJECTION64_PATH is named in GPROFX_CUDA_CHAIN, for ours to load; "none" there means that
// nothing is to be injected, and stays.
std::vector<std::string> ChildEnvironment(const std::vector<std::string>& base,
                                          const std::string& agent, const std::string& session,
                                          const std::string& cuda = "",
                                          const std::string& nvtx = "",
                                          const std::string& memory = "");

// What NVTX_INJECTION64_PATH of our own environment names other than `nvtx`; "": nothing. Then the
// variable stays as it is, set to nothing included.
std::string OtherNvtx(const std::string& nvtx);

}  // namespace gprofx
