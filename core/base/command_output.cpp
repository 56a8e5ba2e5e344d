#include "core/base/command_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "core/base/child_process.h"
#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

// Starts a command that calls `confine` in the new process before execve(2). Standard output goes
// to `out`. Returns the pid, or 0 on failure.
pid_t StartConfined(std::vector<std::string> words, int out, const std::function<bool()>& confine) {
  const std::vector<char*> argv = Pointers(words);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const pid_t pid = fork();
  if (pid != 0) return pid > 0 ? pid : 0;
  char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
  char* const environment[] = {path, locale, nullptr};
  const bool connected = dup2(null.get(), STDIN_FILENO) == STDIN_FILENO &&
                         dup2(out, STDOUT_FILENO) == STDOUT_FILENO &&
                         dup2(null.get(), STDERR_FILENO) == STDERR_FILENO;
  if (connected && confine()) execve(argv[0], argv.data(), environment);
  _exit(127);
}

// Starts a command whose standard output goes to `out`. Returns the pid, or 0 on failure.
pid_t StartCommand(const std::vector<std::string>& command, int out, const OutputLimits& limits) {
  if (limits.confine) return StartConfined(command, out, limits.confine);
  Spawn spawn;
  spawn.Null(STDIN_FILENO);
  spawn.Duplicate(out, STDOUT_FILENO);
  if (limits.with_errors) {
    spawn.Duplicate(out, STDERR_FILENO);
  } else {
    spawn.Null(STDERR_FILENO);
  }
  pid_t pid = 0;
  return spawn.Start(command[0], command, pid) == 0 ? pid : 0;
}

int MillisecondsLeft(Clock::time_point deadline) {
  return static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count());
}

// Reads `from` to its end and appends the bytes to `text`. Returns false on an error, at the
// deadline, or once `text` has `most` bytes.
bool ReadToEnd(int from, Clock::time_point deadline, size_t most, std::string& text) {
  while (text.size() < most) {
    const int left = MillisecondsLeft(deadline);
    pollfd wait = {from, POLLIN, 0};
    if (left <= 0) return false;
    if (poll(&wait, 1, left) <= 0) continue;
    char buffer[4096];
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) return false;
  }
  return false;
}

}  // namespace

std::optional<CommandEnd> RunCommand(const std::vector<std::string>& command, int milliseconds,
                                     const OutputLimits& limits) {
  Pipe pipe = MakePipe();
  if (!pipe.out) return std::nullopt;
  ChildProcess child(StartCommand(command, pipe.in.get(), limits));
  pipe.in.Reset();
  if (!child) return std::nullopt;
  CommandEnd end;
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  end.was_killed = !ReadToEnd(pipe.out.get(), deadline, limits.most, end.output);
  if (end.was_killed) child.Kill();
  end.succeeded = Succeeded(child.Wait()) && !end.was_killed;
  return end;
}

std::optional<std::string> CommandOutput(const std::vector<std::string>& command, int milliseconds,
                                         const OutputLimits& limits) {
  std::optional<CommandEnd> end = RunCommand(command, milliseconds, limits);
  if (!end || !end->succeeded) return std::nullopt;
  return std::move(end->output);
}

}  // namespace gprofx
