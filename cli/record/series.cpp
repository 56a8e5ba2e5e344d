#include "cli/record/series.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cli/record/output_name.h"
#include "samplers/collector/names.h"

namespace gprofx {
namespace {

constexpr int kCannotRecord = 125;
constexpr std::string_view kEnding = ".gprofx";

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::string& setting) {
  const std::string_view begin = std::string_view(setting).substr(0, setting.find('=') + 1);
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    if (begin.empty() || !std::string_view(*word).starts_with(begin)) words.emplace_back(*word);
  }
  if (!begin.empty()) words.push_back(setting);
  return words;
}

std::atomic<pid_t> g_run{0};  // the run that goes on
std::atomic<bool> g_told_to_end{false};

void PassOn(int signal) {
  g_told_to_end.store(true);
  if (const pid_t run = g_run.load(); run > 0) kill(run, signal);
}

// What Ctrl-C and Ctrl-\ send goes to the program that is recorded, too, which decides. What asks
// this process to end is passed on.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone() {
    struct sigaction ignore {}, pass_on {};
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
  ~SignalsLeftAlone() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
    for (const int signal : {SIGTERM, SIGHUP}) {
      struct sigaction now {};
      sigaction(signal, nullptr, &now);
      if (now.sa_handler == PassOn) ::signal(signal, SIG_DFL);
    }
  }
  SignalsLeftAlone(const SignalsLeftAlone&) = delete;
  SignalsLeftAlone& operator=(const SignalsLeftAlone&) = delete;

  // Those that were not ignored before are as usual in what is started.
  sigset_t Usual() const {
    sigset_t set;
    sigemptyset(&set);
    if (interrupt_.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
    if (quit_.sa_handler != SIG_IGN) sigaddset(&set, SIGQUIT);
    return set;
  }

 private:
  struct sigaction interrupt_ {}, quit_ {};
};

int Start(std::vector<std::string> words, std::vector<std::string> environment,
          const sigset_t& usual, pid_t& pid) {
  posix_spawnattr_t attributes;
  if (posix_spawnattr_init(&attributes) != 0) return ENOMEM;
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error = posix_spawn(&pid, "/proc/self/exe", nullptr, &attributes,
                                Pointers(words).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  g_run.store(error == 0 ? pid : 0);
  if (g_told_to_end.load() && error == 0) kill(pid, SIGTERM);
  return error;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return kCannotRecord;
  }
  g_run.store(0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> CommandOf(const SeriesRun& run, const std::vector<std::string>& options,
                                   const std::vector<std::string>& command) {
  std::vector<std::string> words = {"gprof-x", "record", "-o", AsOutputName(run.file),
                                    "--label",   run.label};
  for (const auto* more : {&options, &run.options}) {
    words.insert(words.end(), more->begin(), more->end());
  }
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

std::string FileOfRun(const std::string& output, const std::string& label) {
  std::string name = label;
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  const bool ends = output.size() > kEnding.size() && output.ends_with(kEnding);
  return output.substr(0, output.size() - (ends ? kEnding.size() : 0)) + "-" + name +
         std::string(kEnding);
}

int RunSeries(const std::vector<SeriesRun>& runs, const std::vector<std::string>& options,
              const std::vector<std::string>& command, std::vector<std::string> compare,
              bool quiet, const std::function<void(const std::string&)>& say) {
  int first_failure = 0;
  size_t failed = 0, done = 0;
  const SignalsLeftAlone signals;
  for (const SeriesRun& run : runs) {
    pid_t pid = 0;
    if (const int error = Start(CommandOf(run, options, command), EnvironmentWith(run.setting),
                                signals.Usual(), pid);
        error != 0) {
      say("gprof-x record: cannot start a run: " + std::string(strerror(error)));
      return kCannotRecord;
    }
    const int status = WaitFor(pid);
    if (status != 0 && first_failure == 0) first_failure = status;
    if (status != 0) {
      ++failed;
      say("gprof-x: " + run.label + ": status " + std::to_string(status));
    }
    ++done;
    if (access(run.file.c_str(), R_OK) == 0) compare.push_back(run.file);
    if (status == 128 + SIGINT || status == 128 + SIGQUIT || g_told_to_end.load()) break;
  }
  if (quiet) return first_failure;
  std::string line = "gprof-x: " + std::to_string(done) + " of " + std::to_string(runs.size()) +
                     " runs";
  if (failed != 0) line += ", " + std::to_string(failed) + " failed";
  say(line + " (compare: " + JoinCommand(compare) + ")");
  return first_failure;
}

}  // namespace gprofx
