#include "samplers/recorder/forked_work.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "core/base/cpu_time.h"

namespace gprofx::recorder {
namespace {

constexpr int kLessUrgent = 5;

void Send(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(to, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(1);
    text.remove_prefix(static_cast<size_t>(wrote));
  }
}

[[noreturn]] void Serve(const ForkedWork::Work& work, int to, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (nice(kLessUrgent) < 0) errno = 0;  // best effort
  try {
    bool said = false;
    const auto ready = [&] {
      if (!std::exchange(said, true)) Send(to, "r");
    };
    const std::string answer = work(ready);
    ready();
    Send(to, answer);
  } catch (const std::exception&) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

ForkedWork::~ForkedWork() {
  if (!under_way()) return;
  kill(pid_, SIGKILL);
  Reap();
}

Status ForkedWork::Begin(const std::function<std::string()>& work) {
  return Begin([&](const std::function<void()>&) { return work(); });
}

Status ForkedWork::Begin(const Work& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  }
  UniqueFd from(ends[0]), to(ends[1]);
  fcntl(from.get(), F_SETFL, O_NONBLOCK);
  const pid_t self = getpid(), pid = fork();
  if (pid < 0) return Error{std::string("cannot start a process: ") + std::strerror(errno), ""};
  if (pid == 0) Serve(work, to.get(), self);
  pid_ = pid;
  from_ = std::move(from);
  answer_.clear();
  ended_ = false;
  return Ok();
}

bool ForkedWork::ready() { return !under_way() || Read() || !answer_.empty(); }

// Returns true at end of file.
bool ForkedWork::Read() {
  if (ended_) return true;
  char buffer[65536];
  while (true) {
    const ssize_t got = read(from_.get(), buffer, sizeof buffer);
    if (got > 0) {
      answer_.append(buffer, static_cast<size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      return ended_ = true;
    } else if (errno == EAGAIN) {
      return false;
    }
  }
}

void ForkedWork::Reap() {
  rusage used{};
  while (wait4(pid_, &status_, 0, &used) < 0 && errno == EINTR) {
  }
  cpu_ns_ += CpuNs(used);
  pid_ = 0;
  from_.Reset();
}

std::optional<Result<std::string>> ForkedWork::Take() {
  if (!under_way() || !Read()) return std::nullopt;
  Reap();
  if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0 || answer_.empty()) {
    return Result<std::string>(Error{"the work was broken off", "is memory short?"});
  }
  return Result<std::string>(answer_.substr(1));
}

void ForkedWork::WaitForEnd() {
  while (under_way() && !Read()) {
    pollfd waiting = {from_.get(), POLLIN, 0};
    poll(&waiting, 1, -1);
  }
}

}  // namespace gprofx::recorder
