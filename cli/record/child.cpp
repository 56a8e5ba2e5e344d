#include "cli/record/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/child_process.h"

namespace gprofx::record {
namespace {

std::atomic<pid_t> g_child{0};  // the running child; 0 = none
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
  Spawn spawn;
  spawn.ResetSignals(signals.Usual());
  if (output == ChildOutput::kNowhere) spawn.Null(STDOUT_FILENO);
  const int error = spawn.Start(program, std::move(words), pid, Pointers(environment).data());
  g_child.store(error == 0 ? pid : 0);
  if (g_told_to_end.load() && error == 0) kill(pid, SIGTERM);
  return error;
}

int WaitForChild(pid_t pid) {
  const std::optional<int> status = ChildProcess(pid).Wait();
  if (!status) return kNoStatus;
  g_child.store(0);
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
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
