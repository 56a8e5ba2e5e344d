#include "samplers/collector/processes/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"
#include "core/base/user_ids.h"
#include "samplers/wire/machine/machine.h"
#include "samplers/wire/thread_flags.h"

namespace gprofx {
namespace {

std::optional<bool> IsSameAsOurs(const std::string& process, const char* entry) {
  struct stat theirs {
  }, ours{};
  if (stat((process + entry).c_str(), &theirs) != 0) return std::nullopt;
  if (stat((std::string("/proc/self") + entry).c_str(), &ours) != 0) return std::nullopt;
  return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

// Returns word `index`, counted from 0, of a text whose words are separated by blanks, such as
// "NUMBER ARG0 ARG1 ...".
std::string_view Word(std::string_view text, int index) {
  while (index-- > 0) {
    const size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return {};
    text.remove_prefix(blank + 1);
  }
  return text.substr(0, text.find_first_of(" \n"));
}

}  // namespace

std::string ThreadPath(int64_t pid, int64_t tid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/" + file;
}

std::optional<std::string> ThreadName(int64_t pid, int64_t tid) {
  auto name = ReadSmallFile(ThreadPath(pid, tid, "comm"), 64);
  if (name && !name->empty() && name->back() == '\n') name->pop_back();
  return name;
}

std::vector<int64_t> ThreadsOf(int64_t pid) {
  std::vector<int64_t> tids;
  const std::string path = "/proc/" + std::to_string(pid) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return tids;
  while (const dirent* entry = readdir(folder.get())) {
    if (const auto tid = Number(entry->d_name)) tids.push_back(*tid);
  }
  return tids;
}

int64_t ThreadCountOf(int64_t pid) {
  struct stat info;
  if (stat(("/proc/" + std::to_string(pid) + "/task").c_str(), &info) != 0) return 0;
  // A process's task directory has two links plus one for each thread in it (fs/proc/base.c).
  return std::max<int64_t>(static_cast<int64_t>(info.st_nlink) - 2, 0);
}

std::string MapsOf(int64_t pid) {
  constexpr size_t kMax = size_t{64} << 20;
  return ReadSmallFile("/proc/" + std::to_string(pid) + "/maps", kMax).value_or("");
}

std::string ExecutableOf(int64_t pid) {
  char path[4096];
  const ssize_t bytes =
      readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
  return {path, bytes > 0 ? static_cast<size_t>(bytes) : 0};
}

char StateInStat(std::string_view stat) {
  const size_t name_end = stat.rfind(')');  // the name may contain blanks and brackets
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return 0;
  return stat[name_end + 2];
}

char ProcessState(int64_t pid) {
  const auto stat = ReadSmallFile("/proc/" + std::to_string(pid) + "/stat");
  return stat ? StateInStat(*stat) : '\0';
}

std::optional<int64_t> NumberForItself(std::string_view status) {
  constexpr std::string_view kName = "\nNSpid:";
  const size_t at = status.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view line =
      status.substr(at + kName.size(), status.find('\n', at + 1) - at - kName.size());
  return Number(line.substr(line.find_last_of(" \t") + 1));
}

int64_t ParentInStat(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= stat.size()) return 0;
  return Number(stat.substr(name_end + 4)).value_or(0);
}

bool IsKernelWorker(std::string_view stat) {
  constexpr int kFlags = 7;  // position of the word in the text after the name
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return false;
  const auto flags = static_cast<uint64_t>(Number(Word(stat.substr(name_end), kFlags)).value_or(0));
  return (flags & wire::kPfIoWorker) != 0;
}

int64_t ParentOf(int64_t pid) {
  const auto stat = ReadSmallFile("/proc/" + std::to_string(pid) + "/stat");
  return stat ? ParentInStat(*stat) : 0;
}

std::string ProgramInStat(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return "";
  // Positions of words in the text after the name: the start time of the process, and where its
  // program's code, stack and arguments begin.
  constexpr int kOfTheProgram[] = {20, 24, 26, 46};
  std::string program;
  for (const int word : kOfTheProgram) {
    program += Word(stat.substr(name_end), word);
    program += ' ';
  }
  return program;
}

std::string ProgramOf(int64_t pid) {
  const auto stat = ReadSmallFile("/proc/" + std::to_string(pid) + "/stat");
  return stat ? ProgramInStat(*stat) + ExecutableOf(pid) : "";
}

std::map<int64_t, int64_t> HostThreads(int64_t pid) {
  std::map<int64_t, int64_t> threads;
  for (const int64_t tid : ThreadsOf(pid)) {
    const auto status = ReadSmallFile(ThreadPath(pid, tid, "status"));
    const auto own = status ? NumberForItself(*status) : std::nullopt;
    if (own) threads.emplace(*own, tid);
  }
  return threads;
}

std::optional<ProcessUser> UserInStatus(std::string_view status) {
  auto ids = IdsInStatus(status);
  if (!ids) return std::nullopt;
  std::sort(ids->supplementary.begin(), ids->supplementary.end());
  return ProcessUser{ids->users.real, ids->groups.real, std::move(ids->supplementary)};
}

std::optional<ProcessUser> UserOf(int64_t pid) {
  constexpr size_t kMaxStatus = 1 << 16;
  const auto status = ReadSmallFile("/proc/" + std::to_string(pid) + "/status", kMaxStatus);
  return status ? UserInStatus(*status) : std::nullopt;
}

uint64_t MaskInStatus(std::string_view status, std::string_view name) {
  const std::string line = "\n" + std::string(name) + ":\t";
  const size_t at = status.find(line);
  if (at == std::string_view::npos) return 0;
  uint64_t mask = 0;
  std::from_chars(status.data() + at + line.size(), status.data() + status.size(), mask, 16);
  return mask;
}

bool HasCapability(int capability) {
  constexpr size_t kMaxStatus = 1 << 16;
  const auto status = ReadSmallFile("/proc/self/status", kMaxStatus);
  return status && (MaskInStatus(*status, "CapEff") >> capability & 1) != 0;
}

std::optional<int64_t> CpuInSchedstat(std::string_view schedstat) { return Number(schedstat); }
std::optional<int64_t> RunsInSchedstat(std::string_view schedstat) {
  return Number(Word(schedstat, 2));
}

namespace {

// True if the kernel restarts the system call after a signal handler, and the program cannot notice
// that. False for calls that transfer data: a handler makes them return less than requested, or
// fail. signal(7) lists the calls that fail with EINTR despite SA_RESTART.
bool RestartsUnseen(int64_t number, std::string_view syscall) {
  switch (number) {
    case SYS_wait4:
    case SYS_waitid:
    case SYS_flock:
      return true;
    case SYS_futex:  // not restarted if it has a timeout (fourth argument)
      return Word(syscall, 4) == "0x0";
    default:
      return false;
  }
}

}  // namespace

Waiting WaitingInSyscall(std::string_view syscall) {
  if (syscall.starts_with("running")) return Waiting::kNot;
  const auto number = Number(syscall);
  if (!number) return Waiting::kUnknown;
  if (*number < 0) return Waiting::kRestarts;  // blocked outside a system call, in a page fault
  return RestartsUnseen(*number, syscall) ? Waiting::kRestarts : Waiting::kInterrupts;
}

bool ReceivesAll(std::string_view syscall) {
  const int64_t number = Number(syscall).value_or(-1);
  if (number != SYS_recvfrom && number != SYS_recvmsg) return false;
  const std::string flags(Word(syscall, number == SYS_recvfrom ? 4 : 3));
  return (std::strtoull(flags.c_str(), nullptr, 16) & MSG_WAITALL) != 0;
}

bool ForgetsTime(std::string_view syscall) {
  const int64_t number = Number(syscall).value_or(-1);
  const auto is_endless = [&](int argument) {  // the argument is an int: a timeout in milliseconds
    const std::string text(Word(syscall, argument + 1));
    return static_cast<int32_t>(std::strtoull(text.c_str(), nullptr, 16)) < 0;
  };
  const auto is_null = [&](int argument) { return Word(syscall, argument + 1) == "0x0"; };
  switch (number) {
#ifdef SYS_poll
    case SYS_poll:
      return !is_endless(2);
    case SYS_epoll_wait:
      return !is_endless(3);
#endif
    case SYS_epoll_pwait:
      return !is_endless(3);
    case SYS_nanosleep:
      return is_null(1);
    case SYS_clock_nanosleep:
      return is_null(3) && Word(syscall, 2) != "0x1";  // without the flag TIMER_ABSTIME
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
      return true;
    default:
      return false;
  }
}

bool ReadsFromPipe(int64_t pid, int64_t tid, std::string_view syscall) {
  if (Number(syscall) != SYS_read) return false;
  const uint64_t fd = std::strtoull(std::string(Word(syscall, 1)).c_str(), nullptr, 16);
  const std::string path = ThreadPath(pid, tid, "fd/") + std::to_string(fd);
  char kind[64] = {};
  if (readlink(path.c_str(), kind, sizeof kind - 1) <= 0) return false;
  return std::string_view(kind).starts_with("pipe:[") ||
         std::string_view(kind).starts_with("anon_inode:");
}

std::string_view PlaceInSyscall(std::string_view syscall) {
  const size_t last = syscall.find_last_of(' ');
  if (last == std::string_view::npos || last == 0) return {};
  const size_t before = syscall.find_last_of(' ', last - 1);
  return before == std::string_view::npos ? std::string_view{} : syscall.substr(before + 1);
}

uint64_t ReturnInSyscall(std::string_view syscall) {
  const size_t last = syscall.find_last_of(' ');
  if (last == std::string_view::npos) return 0;
  return std::strtoull(std::string(syscall.substr(last + 1)).c_str(), nullptr, 16);
}

std::optional<bool> SeesOurFiles(int64_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  const std::optional<bool> mounts = IsSameAsOurs(process, "/ns/mnt");
  const std::optional<bool> root = IsSameAsOurs(process, "/root");
  if (mounts == false || root == false) return false;
  return mounts && root ? std::optional(true) : std::nullopt;
}

}  // namespace gprofx
