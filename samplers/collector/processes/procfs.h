// What the collector reads about other processes: names, threads, CPU time, and what a thread waits
// in.
//
// The parsers are pure. The readers open /proc and return nothing if the process is gone or may not
// be read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

std::string ThreadPath(int64_t pid, int64_t tid, const char* file);
std::optional<std::string> ThreadName(int64_t pid, int64_t tid);
std::vector<int64_t> ThreadsOf(int64_t pid);
// Returns the number of threads, at the cost of one system call; 0 = unknown.
int64_t ThreadCountOf(int64_t pid);
std::string MapsOf(int64_t pid);        // the text of its mappings; "" = it is gone
std::string ExecutableOf(int64_t pid);  // "" = it is gone, or its first thread is

// Returns 'R', 'S', 'T', 'Z' ...; 0 = gone. `stat` is the text of /proc/PID/stat.
char StateInStat(std::string_view stat);
char ProcessState(int64_t pid);
// True for a thread that the kernel created for itself in a process, such as io_uring's workers.
// `stat` is the text of /proc/PID/task/TID/stat.
bool IsKernelWorker(std::string_view stat);
// 0 = unknown.
int64_t ParentInStat(std::string_view stat);
int64_t ParentOf(int64_t pid);
// Identifies the program that runs under a PID. The text changes after an exec and if the PID is
// reused by another process; "" = gone.
std::string ProgramInStat(std::string_view stat);
std::string ProgramOf(int64_t pid);

// Returns the threads of a process: ids in our PID namespace by ids in its own.
std::map<int64_t, int64_t> HostThreads(int64_t pid);
// Returns the id that a process or thread has in its own PID namespace. `status` is the text of its
// file of that name.
std::optional<int64_t> NumberForItself(std::string_view status);

// The real user and group of a process, and its supplementary groups, sorted. The owner of its
// /proc folder is not used: it is root for a process that cannot be dumped, and any process can
// choose that.
struct ProcessUser {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};
  bool operator==(const ProcessUser&) const = default;
};
std::optional<ProcessUser> UserInStatus(std::string_view status);
std::optional<ProcessUser> UserOf(int64_t pid);  // none: it is gone

// Returns a bit set from a `status` file, such as SigBlk or CapEff; 0 = no such line. A program's
// name in that file may contain anything except a line break.
uint64_t MaskInStatus(std::string_view status, std::string_view name);
// True if this process has the capability (capabilities(7)) in its effective set.
bool HasCapability(int capability);

// Returns the CPU time in ns: the first field of schedstat.
std::optional<int64_t> CpuInSchedstat(std::string_view schedstat);
// Returns how often the thread was given a processor: the third field.
std::optional<int64_t> RunsInSchedstat(std::string_view schedstat);

// The state of a thread, from /proc/PID/task/TID/syscall.
enum class Waiting {
  kNot,         // running
  kRestarts,    // blocked in a call that resumes after a handler, unnoticed by the program
  kInterrupts,  // blocked in another call: a signal may end it, with EINTR or a partial result
  kUnknown,     // not readable
};
Waiting WaitingInSyscall(std::string_view syscall);
// True if the call would wait for its full timeout again after a restart: the kernel does not write
// back the remaining time, and a missing timeout cannot be seen from outside.
bool ForgetsTime(std::string_view syscall);
// Returns the place where the thread waits: its stack pointer and the return address of the call,
// which do not change when the call is restarted; "" = it runs, or the text is invalid.
std::string_view PlaceInSyscall(std::string_view syscall);
// Returns the return address in that place; 0 = none. `syscall`: the whole text, or the result of
// PlaceInSyscall.
uint64_t ReturnInSyscall(std::string_view syscall);

// True if the call receives everything that was asked for; a signal would end it with a part.
bool ReceivesAll(std::string_view syscall);
// True for a read(2) that waits on a pipe or an anonymous file, such as an eventfd. Such a read has
// transferred nothing yet. Reads the kind of the descriptor from /proc.
bool ReadsFromPipe(int64_t pid, int64_t tid, std::string_view syscall);

// Tells whether a path names the same file in the process as in ours. It does not in a container or
// after chroot. Nothing: the process has ended or must not be read.
std::optional<bool> SeesOurFiles(int64_t pid);

}  // namespace gprofx
