#include "cli/ci/recording.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cli/ci/orphans.h"
#include "cli/record/output_name.h"
#include "core/base/child_process.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr int kPollMs = 200;
constexpr off_t kMaxOfLog = 4096;

std::vector<std::string> RecordArguments(const std::string& self, const CiRecording& recording) {
  if (recording.profile.empty()) {
    std::vector<std::string> argv = {"/bin/sh", "-c", "exec \"$@\"", "sh"};
    argv.insert(argv.end(), recording.command.begin(), recording.command.end());
    return argv;
  }
  std::vector<std::string> argv = {self, "record", "-q", "-o",
                                   record::AsOutputName(recording.profile)};
  argv.insert(argv.end(), recording.options.begin(), recording.options.end());
  argv.emplace_back("--");
  argv.insert(argv.end(), recording.command.begin(), recording.command.end());
  return argv;
}

// Returns the environment of this process. The variables in `more` ("NAME=value") are added or
// replaced.
std::vector<std::string> EnvironmentWith(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool is_replaced = std::any_of(more.begin(), more.end(), [&](const std::string& one) {
      return !name.empty() && one.starts_with(name);
    });
    if (!is_replaced) all.emplace_back(variable);
  }
  return all;
}

int Start(const std::vector<std::string>& words, const CiRecording& recording,
          const StopSignals& signals, pid_t& pid) {
  Spawn spawn;
  spawn.Null(STDIN_FILENO);
  if (recording.log.empty()) {
    // Write to standard error, because standard output is only for the verdict.
    spawn.Duplicate(STDERR_FILENO, STDOUT_FILENO);
  } else {
    spawn.Open(STDOUT_FILENO, recording.log.c_str(),
               O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0600);
    spawn.Duplicate(STDOUT_FILENO, STDERR_FILENO);
  }
  if (!recording.folder.empty()) spawn.ChangeFolder(recording.folder.c_str());
  spawn.MakeSession();
  spawn.BlockSignals(signals.before());
  std::vector<std::string> environment = EnvironmentWith(recording.environment);
  return spawn.Start(words[0], words, pid, Pointers(environment).data());
}

// Ends the sessions of `children`: sends SIGTERM, and SIGKILL after kPatience or another stop
// signal. Then ends programs that left the sessions.
void EndAll(std::span<CiChild> children, StopSignals& signals, const Orphans& orphans) {
  using Clock = std::chrono::steady_clock;
  const auto send = [&](int signal) {
    for (const CiChild& child : children) {
      kill(-child.pid, signal);
      if (signal == SIGTERM && !child.status) kill(child.pid, signal);
    }
  };
  send(SIGTERM);
  const Clock::time_point patience = Clock::now() + kPatience;
  while (TakeEnds(children) == Fate::kRuns && Clock::now() < patience && !signals.StoppedAgain()) {
    signals.Wait(kPollMs / 4);
  }
  send(SIGKILL);
  orphans.End(signals);
}

Status CheckFolder(const std::string& folder) {
  if (folder.empty() || access(folder.c_str(), X_OK) == 0) return Ok();
  return Error{ErrorId::kCannotRead,
               "cannot change to the folder '" + folder + "': " + strerror(errno),
               "check its name and permissions"};
}

// Starts all recordings. If one cannot be started, ends the others and returns an error.
Status StartAll(std::span<const CiRecording> recordings, const std::string& self,
                StopSignals& signals, const Orphans& orphans, std::vector<CiChild>& children) {
  for (const CiRecording& recording : recordings) {
    pid_t pid = 0;
    const int error = Start(RecordArguments(self, recording), recording, signals, pid);
    if (error == 0) {
      children.push_back({pid, {}});
      continue;
    }
    EndAll(children, signals, orphans);
    return Error{ErrorId::kRecordingFailed,
                 std::string("cannot start the recording: ") + strerror(error),
                 "check the permissions of the output folder"};
  }
  return Ok();
}

void RemoveProfile(const CiRecording& recording) {
  if (recording.profile.empty()) return;
  for (const char* more : {"", "-journal"}) unlink((recording.profile + more).c_str());
}

}  // namespace

Result<std::vector<CiRecordingEnd>> RecordTogether(std::span<const CiRecording> recordings,
                                                   StopSignals& signals, const Orphans& orphans) {
  const std::string self = OwnPath();
  if (self.empty()) {
    return Error{ErrorId::kBadInstallation, "cannot find the program file of gprof-x",
                 "check that /proc is mounted"};
  }
  for (const CiRecording& recording : recordings) {
    if (const Status is = CheckFolder(recording.folder); !is) return is.error();
  }
  std::vector<CiChild> children;
  if (const Status are = StartAll(recordings, self, signals, orphans, children); !are) {
    return are.error();
  }
  std::vector<CiRecordingEnd> ends(recordings.size());
  for (Fate fate = TakeEnds(children); fate != Fate::kEnded; fate = TakeEnds(children)) {
    if (fate == Fate::kUnknown) {
      return Error{ErrorId::kRecordingFailed, "cannot tell how the recording ended",
                   "do not let another program wait for it"};
    }
    if (!signals.Wait(kPollMs)) continue;
    EndAll(children, signals, orphans);
    for (size_t i = 0; i < ends.size(); ++i) {
      ends[i].stopped = true;
      RemoveProfile(recordings[i]);
    }
    return ends;
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    const int status = *children[i].status;
    ends[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ends.back().left_running = orphans.End(signals);
  for (CiRecordingEnd& end : ends) end.stopped = signals.Stopped();
  return ends;
}

Result<CiRecordingEnd> RecordOnce(const CiRecording& recording, StopSignals& signals,
                                  const Orphans& orphans) {
  Result<std::vector<CiRecordingEnd>> ends = RecordTogether({&recording, 1}, signals, orphans);
  if (!ends) return ends.error();
  return ends->front();
}

std::string LastLine(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return "";
  const off_t size = lseek(file.get(), 0, SEEK_END);
  lseek(file.get(), size > kMaxOfLog ? size - kMaxOfLog : 0, SEEK_SET);
  std::string text(static_cast<size_t>(kMaxOfLog), 0);
  text.resize(ReadUpTo(file.get(), text.data(), text.size()));
  const size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  text.resize(last + 1);
  const size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace gprofx
