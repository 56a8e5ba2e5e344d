// Access of the checks to files and commands.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "cli/doctor/checks.h"
#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

// Starts a command with output to `out`, after confine(). Returns 0 on failure.
pid_t SpawnConfined(char* const* argv, int out, const std::function<bool()>& confine) {
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const pid_t pid = fork();
  if (pid != 0) return pid > 0 ? pid : 0;
  char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
  char* const environment[] = {path, locale, nullptr};
  const bool connected = dup2(null.get(), STDIN_FILENO) == STDIN_FILENO &&
                         dup2(out, STDOUT_FILENO) == STDOUT_FILENO &&
                         dup2(null.get(), STDERR_FILENO) == STDERR_FILENO;
  if (connected && confine()) execve(argv[0], argv, environment);
  _exit(127);
}

// Starts `command` without input, with standard output, and standard error if requested, to `out`.
// Returns 0 on failure.
pid_t Spawn(const std::vector<std::string>& command, int out, const OutputLimits& limits) {
  std::vector<std::string> copy = command;
  std::vector<char*> argv;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (limits.confine) return SpawnConfined(argv.data(), out, limits.confine);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (limits.with_errors) {
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

int MillisecondsLeft(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(left.count());
}

}  // namespace

std::optional<std::string> CommandOutput(const std::vector<std::string>& command, int milliseconds,
                                         const OutputLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t pid = Spawn(command, out.get(), limits);
  out.Reset();
  if (pid == 0) return std::nullopt;

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  std::string text;
  bool ended = false;
  while (text.size() < limits.most) {
    const int left = MillisecondsLeft(deadline);
    pollfd wait = {in.get(), POLLIN, 0};
    if (left <= 0 || poll(&wait, 1, left) <= 0) break;
    char buffer[4096];
    const ssize_t got = read(in.get(), buffer, sizeof buffer);
    if (got <= 0) {
      ended = got == 0;
      break;
    }
    text.append(buffer, static_cast<size_t>(got));
  }
  if (!ended) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace gprofx
