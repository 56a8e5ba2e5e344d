// Reads data about other processes from /proc: names, threads, CPU time, and what a thread waits
// for.
//
// The parsers are pure. The readers open files in /proc and return an empty result if the process
// has ended or may not be read.
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
// Returns the number of threads of a process; 0 = unknown. Makes one system call.
int64_t ThreadCountOf(int64_t pid);
std::string MapsOf(int64_t pid);        // text of /proc/PID/maps; "" if it has ended
std::string ExecutableOf(int64_t pid);  // path; "" if the process or its first thread has ended

// Returns the state of a process: 'R', 'S', 'T', 'Z' and others. Returns 0 if it has ended. `stat`
// is the text of /proc/PID/stat.
char StateInStat(std::string_view stat);
char ProcessState(int64_t pid);
// True for a thread that the kernel created for its own work in a process, such as io_uring's
// workers. `stat` is the text of /proc/PID/task/TID/stat.
bool IsKernelWorker(std::string_view stat);
// Returns the PID of the parent; 0 = unknown.
int64_t ParentInStat(std::string_view stat);
int64_t ParentOf(int64_t pid);
// Returns a text that identifies the program that runs under a PID. The text changes after an exec,
// and if another process gets the PID. Returns "" if the process has ended.
std::string ProgramInStat(std::string_view stat);
std::string ProgramOf(int64_t pid);

// Returns the threads of a process: maps their ids in its own PID namespace to ids in ours.
std::map<int64_t, int64_t> HostThreads(int64_t pid);
// Returns the id that a process or thread has in its own PID namespace. `status` is the text of its
// `status` file in /proc.
std::optional<int64_t> NumberForItself(std::string_view status);

// The real user and group of a process, and its supplementary groups, sorted. The owner of its
// /proc folder cannot be used instead: that is root for a process that cannot be dumped, and any
// process can make itself such a one.
struct ProcessUser {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};
  bool operator==(const ProcessUser&) const = default;
};
std::optional<ProcessUser> UserInStatus(std::string_view status);
std::optional<ProcessUser> UserOf(int64_t pid);  // none if the process has ended

// Returns the value of the line `name`, such as SigBlk or CapEff, in the text of a `status` file,
// which is a bit set. Returns 0 if there is no such line. The file also contains the name of the
// program, which may contain anything except a line break.
uint64_t MaskInStatus(std::string_view status, std::string_view name);
// True if this process has the capability (capabilities(7)) in its effective set.
bool HasCapability(int capability);

// Returns the thread's CPU time in ns, the first field of schedstat.
std::optional<int64_t> CpuInSchedstat(std::string_view schedstat);
// Returns how many times the thread got a processor, the third field of schedstat.
std::optional<int64_t> RunsInSchedstat(std::string_view schedstat);

// What a thread is doing, according to its file /proc/PID/task/TID/syscall.
enum class Waiting {
  kNot,         // running
  kRestarts,    // blocked in a call that resumes after a handler, unnoticed by the program
  kInterrupts,  // blocked in another call: a signal may end it, with EINTR or a partial result
  kUnknown,     // the file cannot be read
};
Waiting WaitingInSyscall(std::string_view syscall);
// True if the call, after a restart, would wait for its full timeout again. The kernel does not
// store the remaining time, and from outside it cannot be seen whether the call has a timeout.
bool ForgetsTime(std::string_view syscall);
// Returns the place where the thread waits: its stack pointer and the return address of the call.
// Both stay the same when the call is restarted. Returns "" if the thread runs or the text is
// invalid.
std::string_view PlaceInSyscall(std::string_view syscall);
// Returns the return address in a place; 0 = none. `syscall` is the whole text of the file, or a
// result of PlaceInSyscall.
uint64_t ReturnInSyscall(std::string_view syscall);

// True if the call waits until everything that was asked for has arrived. A signal would end it
// with only a part of that.
bool ReceivesAll(std::string_view syscall);
// True for a read(2) that waits on a pipe or an anonymous file, such as an eventfd. Such a read has
// transferred nothing yet. Reads the kind of the descriptor from /proc.
bool ReadsFromPipe(int64_t pid, int64_t tid, std::string_view syscall);

// True if paths name the same files in the process as in ours. False in a container or after
// chroot. Returns none if the process has ended or must not be read.
std::optional<bool> SeesOurFiles(int64_t pid);

}  // namespace gprofx
