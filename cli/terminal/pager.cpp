#include "cli/terminal/pager.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "core/base/child_process.h"
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
  Pipe pipe = MakePipe();
  if (!pipe.out) return false;
  Spawn spawn;
  spawn.Duplicate(pipe.out.get(), STDIN_FILENO);
  std::vector<char*> environment;
  for (char** word = environ; *word != nullptr; ++word) environment.push_back(*word);
  char options[] = "LESS=FRX";
  if (getenv("LESS") == nullptr) environment.push_back(options);
  environment.push_back(nullptr);
  // Run PAGER by a shell, because by convention it is a command line.
  pid_t pid = 0;
  if (spawn.Start("/bin/sh", {"sh", "-c", pager}, pid, environment.data()) != 0) return false;
  ChildProcess child(pid);
  pipe.out.Reset();
  // Ignore Ctrl-C, which stops a search in the pager and must not end the report.
  const auto pipe_before = signal(SIGPIPE, SIG_IGN), interrupt_before = signal(SIGINT, SIG_IGN);
  // If the user quits the pager early, the pipe is closed and the rest of the text is not written.
  WriteAll(pipe.in.get(), text.data(), text.size());
  pipe.in.Reset();
  const int status = child.Wait().value_or(0);
  signal(SIGPIPE, pipe_before);
  signal(SIGINT, interrupt_before);
  return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

int TerminalRows(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

}  // namespace gprofx
