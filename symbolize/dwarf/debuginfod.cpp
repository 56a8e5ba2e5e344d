#include "symbolize/dwarf/debuginfod.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxAnswer = 8192;

// Returns 0 if the helper cannot be started.
pid_t Start(const std::string& helper, const std::string& build_id, int out) {
  std::string words[] = {helper, "debuginfod", build_id};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawn(&child, helper.c_str(), &actions, nullptr, argv, environ) != 0) child = 0;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

// Reads the child's output until it exits. Returns false if it takes too long or writes too much.
bool ReadAnswer(int from, std::string& answer) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(kFetchSeconds);
  while (answer.size() < kMaxAnswer) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait = {from, POLLIN, 0};
    if (left <= 0) return false;
    if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char buffer[1024];
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) answer.append(buffer, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) return false;
  }
  return false;
}

bool EndedWell(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<std::string> FetchDebugFile(const std::string& build_id, const std::string& helper) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0') {
    return Error{"no debuginfod server is set", "set DEBUGINFOD_URLS"};
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{"no pipe to ask debuginfod", ""};
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t child = Start(helper, build_id, out.get());
  out.Reset();
  if (child == 0) return Error{"cannot start " + helper, "install gprof-x with its lib folder"};
  std::string answer;
  const bool in_time = ReadAnswer(in.get(), answer);
  if (!in_time) kill(child, SIGKILL);
  const bool found = EndedWell(child) && in_time;
  answer.resize(std::min(answer.find('\n'), answer.size()));
  if (found && answer.starts_with('/')) return answer;
  if (!in_time) answer = "it took too long";
  return Error{"no debug file from debuginfod: " + answer, ""};
}

}  // namespace gprofx
