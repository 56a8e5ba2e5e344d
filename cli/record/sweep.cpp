#include "cli/record/sweep.h"

#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>

#include "cli/record/output_name.h"
#include "samplers/collector/names.h"

namespace gprofx {
namespace {

constexpr size_t kMostValues = 1000;
constexpr int kCannotRecord = 125;
constexpr std::string_view kEnding = ".gprofx";

bool IsVariable(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::string& variable, const std::string& value) {
  const std::string begin = variable + "=";
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    if (!std::string_view(*word).starts_with(begin)) words.emplace_back(*word);
  }
  words.push_back(begin + value);
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

}  // namespace

Result<Sweep> ParseSweep(std::string_view text) {
  const Error wrong{"--sweep cannot be '" + std::string(text) + "'",
                    "it takes a variable and its values, such as 'BS=1 2 4 8'"};
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || !IsVariable(text.substr(0, equals))) return wrong;
  Sweep sweep{std::string(text.substr(0, equals)), {}};
  for (size_t at = equals + 1; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string value(text.substr(at, end - at));
    at = end + 1;
    if (value.empty()) continue;
    if (std::find(sweep.values.begin(), sweep.values.end(), value) == sweep.values.end())
      sweep.values.push_back(value);
  }
  if (sweep.values.empty() || sweep.values.size() > kMostValues) return wrong;
  std::set<std::string> files;
  for (const std::string& value : sweep.values) {
    if (!files.insert(SweepOutput("", value)).second) {
      return Error{"two values of --sweep '" + std::string(text) + "' would have one file",
                   "name one of them otherwise"};
    }
  }
  return sweep;
}

std::string SweepOutput(const std::string& output, const std::string& label) {
  std::string name = label;
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  const bool ends = output.size() > kEnding.size() && output.ends_with(kEnding);
  return output.substr(0, output.size() - (ends ? kEnding.size() : 0)) + "-" + name +
         std::string(kEnding);
}

int RunSweep(const Sweep& sweep, const std::vector<std::string>& options,
             const std::string& output, const std::vector<std::string>& command, bool quiet,
             const std::function<void(const std::string&)>& say) {
  int first_failure = 0;
  size_t failed = 0, done = 0;
  std::vector<std::string> compare = {"gprof-x", "analyze", "A1", "A15"};
  const SignalsLeftAlone signals;
  for (const std::string& value : sweep.values) {
    const std::string label = sweep.variable + "=" + value;
    const std::string file = SweepOutput(output, label);
    std::vector<std::string> words = {"gprof-x", "record", "-o", AsOutputName(file),
                                      "--label",   label};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    pid_t pid = 0;
    if (const int error =
            Start(words, EnvironmentWith(sweep.variable, value), signals.Usual(), pid);
        error != 0) {
      say("gprof-x record: cannot start a run: " + std::string(strerror(error)));
      return kCannotRecord;
    }
    const int status = WaitFor(pid);
    if (status != 0 && first_failure == 0) first_failure = status;
    if (status != 0) {
      ++failed;
      say("gprof-x: " + label + ": status " + std::to_string(status));
    }
    ++done;
    if (access(file.c_str(), R_OK) == 0) compare.push_back(file);
    if (status == 128 + SIGINT || status == 128 + SIGQUIT || g_told_to_end.load()) break;
  }
  if (quiet) return first_failure;
  std::string line = "gprof-x: " + std::to_string(done) + " of " +
                     std::to_string(sweep.values.size()) + " runs";
  if (failed != 0) line += ", " + std::to_string(failed) + " failed";
  say(line + " (compare: " + JoinCommand(compare) + ")");
  return first_failure;
}

}  // namespace gprofx
