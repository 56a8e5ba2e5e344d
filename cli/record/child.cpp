#include "cli/record/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace gprofx::record {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::atomic<pid_t> g_child{0};  // the running child
std::atomic<bool> g_told_to_end{false};

void PassOn(int signal) {
  g_told_to_end.store(true);
  if (const pid_t child = g_child.load(); child > 0) kill(child, signal);
}

}  // namespace

SignalsLeftAlone::SignalsLeftAlone() {
  struct sigaction ignore {
  }, pass_on{};
  ignore.sa_handler = SIG_IGN;
  pass_on.sa_handler = PassOn;
  sigaction(SIGINT, &ignore, &interrupt_);
  sigaction(SIGQUIT, &ignore, &quit_);
  for (const int signal : {SIGTERM, SIGHUP}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaction(signal, &pass_on, nullptr);
  }
}

SignalsLeftAlone::~SignalsLeftAlone() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGQUIT, &quit_, nullptr);
  for (const int signal : {SIGTERM, SIGHUP}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == PassOn) ::signal(signal, SIG_DFL);
  }
}

sigset_t SignalsLeftAlone::Usual() const {
  sigset_t set;
  sigemptyset(&set);
  if (interrupt_.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
  if (quit_.sa_handler != SIG_IGN) sigaddset(&set, SIGQUIT);
  return set;
}

int StartChild(const std::string& program, std::vector<std::string> words,
               std::vector<std::string> environment, ChildOutput output,
               const SignalsLeftAlone& signals, pid_t& pid) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  if (posix_spawnattr_init(&attributes) != 0) return ENOMEM;
  if (posix_spawn_file_actions_init(&files) != 0) {
    posix_spawnattr_destroy(&attributes);
    return ENOMEM;
  }
  const sigset_t usual = signals.Usual();
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  if (output == ChildOutput::kNowhere) {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes, Pointers(words).data(),
                                Pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  g_child.store(error == 0 ? pid : 0);
  if (g_told_to_end.load() && error == 0) kill(pid, SIGTERM);
  return error;
}

int WaitForChild(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return kNoStatus;
  }
  g_child.store(0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool WasToldToEnd() { return g_told_to_end.load(); }

std::vector<std::string> EnvironmentWith(const std::string& setting) {
  const std::string_view begin = std::string_view(setting).substr(0, setting.find('=') + 1);
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    if (begin.empty() || !std::string_view(*word).starts_with(begin)) words.emplace_back(*word);
  }
  if (!begin.empty()) words.push_back(setting);
  return words;
}

}  // namespace gprofx::record
