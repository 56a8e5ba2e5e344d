#include "cli/ci/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <string>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr int kPollEndMs = 20;
// Time in which programs may exit by themselves before they get a signal.
constexpr std::chrono::milliseconds kOwnEnd{100};

std::vector<pid_t> Children() {
  const std::string self = std::to_string(getpid());
  const std::optional<std::string> text =
      ReadSmallFile("/proc/self/task/" + self + "/children", size_t{1} << 16);
  std::vector<pid_t> children;
  const char* at = text ? text->c_str() : "";
  for (char* end = nullptr; *at != 0; at = end) {
    const long pid = strtol(at, &end, 10);
    if (end == at) break;
    if (pid > 1) children.push_back(static_cast<pid_t>(pid));
  }
  std::sort(children.begin(), children.end());
  return children;
}

}  // namespace

Orphans::Orphans() : before_(Children()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// Returns the programs that runs have left running. Reaps those that have ended in the meantime.
std::vector<pid_t> Orphans::Left() const {
  int status = 0;
  TakeEnds(0, status);
  const std::vector<pid_t> all = Children();
  std::vector<pid_t> left;
  std::set_difference(all.begin(), all.end(), before_.begin(), before_.end(),
                      std::back_inserter(left));
  return left;
}

size_t Orphans::End(StopSignals& signals) const {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::set<pid_t> asked;
  for (std::vector<pid_t> left = Left(); !left.empty(); left = Left()) {
    const std::chrono::steady_clock::duration past = std::chrono::steady_clock::now() - start;
    // A program that still runs cannot be killed. For example, it is in a system call on a broken
    // disk.
    if (past > 2 * kPatience) break;
    const bool patient = past < kPatience && !signals.StoppedAgain();
    for (const pid_t pid : left) {
      if (past < kOwnEnd && patient) break;
      const bool is_new = asked.insert(pid).second;
      if (!patient) {
        kill(pid, SIGKILL);
      } else if (is_new) {
        kill(pid, SIGTERM);
      }
    }
    signals.Wait(kPollEndMs);
  }
  return asked.size();
}

Fate TakeEnds(std::span<CiChild> children) {
  const auto has_ended = [](const CiChild& child) { return child.status.has_value(); };
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    for (CiChild& child : children) {
      if (ended > 0 && child.pid == ended) child.status = status;
    }
    if (ended > 0) continue;
    if (std::all_of(children.begin(), children.end(), has_ended)) return Fate::kEnded;
    return ended == 0 ? Fate::kRuns : Fate::kUnknown;
  }
}

Fate TakeEnds(pid_t pid, int& status) {
  CiChild child{pid, {}};
  const Fate fate = TakeEnds({&child, 1});
  if (child.status) status = *child.status;
  return fate;
}

}  // namespace gprofx
