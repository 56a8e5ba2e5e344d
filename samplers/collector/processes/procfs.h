// The few things that the collector reads about other processes: names, threads, CPU time, what a
// thread waits in.
//
// The parsers are pure; the readers open /proc and answer nothing when the process is gone or may
// not be read.
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
// How many those are, for the price of one system call; 0 = not known.
int64_t ThreadCountOf(int64_t pid);
std::string MapsOf(int64_t pid);        // the text of its mappings; "" = it is gone
std::string ExecutableOf(int64_t pid);  // "" = gone, or its first thread is

// 'R', 'S', 'T', 'Z' ...; 0 = gone. The text is that of /proc/PID/stat.
char StateInStat(std::string_view stat);
char ProcessState(int64_t pid);
// 0 = not known.
int64_t ParentInStat(std::string_view stat);
int64_t ParentOf(int64_t pid);
// The program that runs under a number, told from others that run there later, by exec or since the
// number is another process's; any text, "" = gone.
std::string ProgramInStat(std::string_view stat);
std::string ProgramOf(int64_t pid);

// The threads of a process: their numbers in our PID namespace by those in its own.
std::map<int64_t, int64_t> HostThreads(int64_t pid);
// The number that a process or thread has in its own PID namespace. The text is that of its file
// `status`.
std::optional<int64_t> NumberForItself(std::string_view status);

// The real user and group of a process, and its supplementary groups, sorted. Not the owner of its
// folder in /proc: that is root for a process that cannot be dumped, as any process can choose to
// be.
struct ProcessUser {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};
  bool operator==(const ProcessUser&) const = default;
};
std::optional<ProcessUser> UserInStatus(std::string_view status);
std::optional<ProcessUser> UserOf(int64_t pid);  // nothing: it is gone

// A set of bits in a file `status`, such as SigBlk or CapEff; 0 = no line of that name. A program's
// name may hold anything, but no line.
uint64_t MaskInStatus(std::string_view status, std::string_view name);
// Has this process the capability (capabilities(7)), for what it does now?
bool HasCapability(int capability);

// CPU time in ns: the first field of schedstat.
std::optional<int64_t> CpuInSchedstat(std::string_view schedstat);
// ... and how often it was given a processor.
std::optional<int64_t> RunsInSchedstat(std::string_view schedstat);

// What a thread waits in, from /proc/PID/task/TID/syscall.
enum class Waiting {
  kNot,         // it runs
  kRestarts,    // blocked where the kernel goes on after a handler, and the program sees nothing of
                // it
  kInterrupts,  // blocked in any other call: it may fail with EINTR, or have transferred a part
  kUnknown,     // not readable
};
Waiting WaitingInSyscall(std::string_view syscall);
// Would it wait anew for all of its time if it were begun again? So where the kernel does not write
// back what remains, and nobody outside can see that there is no limit.
bool ForgetsTime(std::string_view syscall);
// Where it waits: its stack pointer and the place that the call returns to, which stay as they are
// when the call is started again; "" = it runs, or the text is none.
std::string_view PlaceInSyscall(std::string_view syscall);
// The second of the two, as a number; 0 = none. `syscall` may be the place alone.
uint64_t ReturnInSyscall(std::string_view syscall);

// Is it a call that receives all that was asked for, which a signal ends with a part?
bool ReceivesAll(std::string_view syscall);
// Is it a read(2) that waits at a pipe or an anonymous file, such as an eventfd? Such a read has
// transferred nothing yet. Asks /proc for the kind of the descriptor.
bool ReadsFromPipe(int64_t pid, int64_t tid, std::string_view syscall);

}  // namespace gprofx
