#include "samplers/recorder/forked_work.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
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
  if (nice(kLessUrgent) < 0) errno = 0;  // a failure does no harm
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

Status ForkedWork::Begin(const std::function<std::string()>& work) {
  return Begin([&](const std::function<void()>&) { return work(); });
}

Status ForkedWork::Begin(const Work& work) {
  Pipe pipe = MakePipe();
  if (!pipe.out) {
    return Error{ErrorId::kNoResources,
                 std::string("cannot create a pipe: ") + std::strerror(errno)};
  }
  fcntl(pipe.out.get(), F_SETFL, O_NONBLOCK);
  const pid_t self = getpid(), pid = fork();
  if (pid < 0) {
    return Error{ErrorId::kNoResources,
                 std::string("cannot start a process: ") + std::strerror(errno)};
  }
  if (pid == 0) Serve(work, pipe.in.get(), self);
  child_ = ChildProcess(pid);
  from_ = std::move(pipe.out);
  answer_.clear();
  ended_ = false;
  return Ok();
}

bool ForkedWork::ready() { return !under_way() || Read() || !answer_.empty(); }

// Reads what the copy has written so far. Returns true when all was read.
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

std::optional<int> ForkedWork::Reap() {
  rusage used{};
  const std::optional<int> status = child_.Wait(&used);
  cpu_ns_ += CpuNs(used);
  from_.Reset();
  return status;
}

std::optional<Result<std::string>> ForkedWork::Take() {
  if (!under_way() || !Read()) return std::nullopt;
  if (!Succeeded(Reap()) || answer_.empty()) {
    return Result<std::string>(Error{ErrorId::kNoResources,
                                     "a child process of the recorder was killed",
                                     "check that memory suffices"});
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
