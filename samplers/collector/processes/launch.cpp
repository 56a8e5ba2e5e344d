#include "samplers/collector/processes/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/child_process.h"
#include "core/base/file_io.h"
#include "samplers/collector/drain/signals.h"
#include "samplers/wire/layout.h"
#include "samplers/wire/preload.h"

namespace gprofx {

struct LauncherState::Saved {
  sigset_t mask;
  rlimit files, file_size;
  struct sigaction broken_pipe, file_too_large;
};

namespace {

void RaiseToHard(__rlimit_resource_t resource, rlimit& saved) {
  getrlimit(resource, &saved);
  rlimit raised = saved;
  raised.rlim_cur = raised.rlim_max;
  setrlimit(resource, &raised);
}

}  // namespace

LauncherState::LauncherState() : saved_(new Saved) {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int* signal = LauncherSignals(); *signal != 0; ++signal) sigaddset(&taken, *signal);
  sigprocmask(SIG_BLOCK, &taken, &saved_->mask);
  signal_fd_.Reset(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  RaiseToHard(RLIMIT_NOFILE, saved_->files);     // one descriptor per sampled thread
  RaiseToHard(RLIMIT_FSIZE, saved_->file_size);  // the shared memory is a large, sparse file
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &saved_->broken_pipe);
  sigaction(SIGXFSZ, &ignore, &saved_->file_too_large);
}

LauncherState::~LauncherState() {
  RestoreInChild();
  delete saved_;
}

void LauncherState::RestoreInChild() const {
  setrlimit(RLIMIT_NOFILE, &saved_->files);
  setrlimit(RLIMIT_FSIZE, &saved_->file_size);
  sigaction(SIGPIPE, &saved_->broken_pipe, nullptr);
  sigaction(SIGXFSZ, &saved_->file_too_large, nullptr);
  sigprocmask(SIG_SETMASK, &saved_->mask, nullptr);
}

namespace {

constexpr char kCudaVariable[] = "CUDA_INJECTION64_PATH=", kChainVariable[] = "GPROFX_CUDA_CHAIN=";

// Sets CUDA_INJECTION64_PATH to our library. The driver loads only the one library that this
// variable names. If another one was set before, passes its path in GPROFX_CUDA_CHAIN, and our
// library loads it.
void SetInjection(std::vector<std::string>& environment, const std::string& cuda) {
  std::string before, chain;
  std::vector<std::string> out;
  for (std::string& entry : environment) {
    if (entry.starts_with(kCudaVariable)) {
      before = entry.substr(sizeof kCudaVariable - 1);
    } else if (entry.starts_with(kChainVariable)) {
      chain = entry.substr(sizeof kChainVariable - 1);
    } else {
      out.push_back(std::move(entry));
    }
  }
  if (before == "none") {
    out.push_back(kCudaVariable + before);
  } else {
    // If our library was set before, this is a nested recording. The chain then stays unchanged.
    if (!before.empty() && before != cuda) chain = before;
    out.push_back(kCudaVariable + cuda);
    if (!chain.empty()) out.push_back(kChainVariable + chain);
  }
  environment = std::move(out);
}

constexpr char kNvtxVariable[] = "NVTX_INJECTION64_PATH=";

// Sets NVTX_INJECTION64_PATH to our library, unless the variable is set already. NVTX loads only
// one library, and ours does not forward calls.
void SetNvtx(std::vector<std::string>& environment, const std::string& nvtx) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(kNvtxVariable)) return;
  }
  environment.push_back(kNvtxVariable + nvtx);
}

// True if the list of preloaded libraries contains a sanitizer. A sanitizer that is not the first
// library of a program aborts it.
bool NamesSanitizer(const std::string& libraries) {
  bool names = false;
  wire::ForEachPreloaded(libraries.c_str(), [&names](const char* entry, size_t bytes) {
    names = names || wire::IsSanitizer(entry, bytes);
  });
  return names;
}

}  // namespace

std::string OtherNvtx(const std::string& nvtx) {
  const char* value = getenv("NVTX_INJECTION64_PATH");
  return value == nullptr || value == nvtx ? "" : value;
}

std::vector<std::string> ChildEnvironment(const std::vector<std::string>& base,
                                          const std::string& agent, const std::string& session,
                                          const std::string& cuda, const std::string& nvtx,
                                          const std::string& memory) {
  const std::string preload = "LD_PRELOAD=";
  const std::string variable = std::string(wire::kSessionVariable) + "=";
  std::vector<std::string> out;
  std::string before;
  for (const std::string& entry : base) {
    if (entry.starts_with(preload)) {
      before = entry.substr(preload.size());
    } else if (!entry.starts_with(variable)) {
      out.push_back(entry);
    }
  }
  const std::string ours = memory.empty() ? agent : agent + ":" + memory;
  const std::string libraries = before.empty()           ? ours
                                : NamesSanitizer(before) ? before + ":" + ours
                                                         : ours + ":" + before;
  out.push_back(preload + libraries);
  out.push_back(variable + session);
  if (!cuda.empty()) SetInjection(out, cuda);
  if (!nvtx.empty()) SetNvtx(out, nvtx);
  return out;
}

Result<Child> Launch(const LaunchRequest& request, const LauncherState& state, int& exec_errno) {
  exec_errno = 0;
  std::vector<std::string> texts;
  for (char** entry = environ; *entry != nullptr; ++entry) texts.emplace_back(*entry);
  if (!request.agent.empty())
    texts = ChildEnvironment(texts, request.agent, request.session, request.cuda, request.nvtx,
                             request.memory);
  std::vector<std::string> command = request.command;
  const std::vector<char*> environment = Pointers(texts), arguments = Pointers(command);

  Pipe pipe = MakePipe();
  if (!pipe.out) {
    return Error{ErrorId::kNoResources,
                 std::string("cannot create a pipe: ") + std::strerror(errno)};
  }
  const pid_t pid = fork();
  if (pid < 0) {
    return Error{ErrorId::kNoResources,
                 std::string("cannot start a process: ") + std::strerror(errno)};
  }
  if (pid == 0) {
    for (int fd = 0; fd < 3; ++fd) {
      const int given = request.stdio[static_cast<size_t>(fd)];
      if (given >= 0) dup2(given, fd);
    }
    state.RestoreInChild();
    // Use execvpe: like env(1) and shells, it also runs a text file without "#!", by /bin/sh.
    execvpe(request.program.c_str(), arguments.data(), environment.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t sent = write(pipe.in.get(), &error, sizeof error);
    _exit(127);
  }
  pipe.in.Reset();
  char* const to = reinterpret_cast<char*>(&exec_errno);
  if (ReadUpTo(pipe.out.get(), to, sizeof exec_errno) == sizeof exec_errno) {
    ChildProcess(pid).Wait();
    return Error{ErrorId::kCannotRun,
                 "cannot run '" + request.command[0] + "': " + std::strerror(exec_errno)};
  }
  exec_errno = 0;
  Child child;
  child.pid = pid;
  child.pidfd.Reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  return child;
}

}  // namespace gprofx
