#include "cli/terminal/pager.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "core/base/file_io.h"

namespace gprofx {

std::string WantsPager(bool is_terminal, int terminal_rows, size_t lines, const GetEnv& env) {
  if (!is_terminal || terminal_rows <= 0 || lines < static_cast<size_t>(terminal_rows)) return "";
  const char* term = env("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return "";
  const char* pager = env("PAGER");
  const std::string command = pager == nullptr ? "less" : pager;
  return command == "cat" ? "" : command;
}

bool ShowInPager(const std::string& pager, std::string_view text) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRX", 0);
    // PAGER is a shell command line by convention.
    execl("/bin/sh", "sh", "-c", pager.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  // The pager handles the keys of the terminal: Ctrl-C stops a search there, not the report.
  const auto pipe_before = signal(SIGPIPE, SIG_IGN), interrupt_before = signal(SIGINT, SIG_IGN);
  // A pager that quits early closes the pipe; the rest is not wanted then.
  WriteAll(ends[1], text.data(), text.size());
  close(ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  signal(SIGPIPE, pipe_before);
  signal(SIGINT, interrupt_before);
  return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

int TerminalRows(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

}  // namespace gprofx
