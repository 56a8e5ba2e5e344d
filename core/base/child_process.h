// Starts child processes (programs, or copies of this process) and reaps them.
#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"

namespace gprofx {

// Owns a child process that fork(2) or Spawn created. The destructor kills the child with SIGKILL
// if it still runs, and reaps it. Move only. Not thread safe.
class ChildProcess {
 public:
  ChildProcess() = default;
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { End(); }

  pid_t pid() const { return pid_; }
  explicit operator bool() const { return pid_ > 0; }  // false: no child, or it was reaped

  // Returns true if the child has ended or there is none. Reaps a child that has ended; its exit
  // status is lost. Does not wait.
  bool HasEnded();
  // Waits until the child has ended and reaps it. Returns its status as waitpid(2) does and sets
  // `used` to its resource usage. No value if there is no child or if other code has reaped it.
  std::optional<int> Wait(rusage* used = nullptr);
  void Kill() const;  // sends SIGKILL; does not wait
  void End();         // kills and reaps the child, if there is one

 private:
  pid_t pid_ = 0;
};

// True if the program exited with 0. `status` is that of ChildProcess::Wait().
bool Succeeded(std::optional<int> status);

// Returns pointers to the texts in `words` and a null pointer at the end, the form that execve(2)
// takes. They are valid as long as `words` is not changed.
std::vector<char*> Pointers(std::vector<std::string>& words);

struct Pipe {
  UniqueFd out, in;  // what is written to `in` can be read from `out`
};
// Makes a pipe whose ends are closed on execve(2). On failure both ends are empty and errno is set.
Pipe MakePipe();

// Collects settings for a new program, then starts it with posix_spawn(3). The program inherits
// descriptors and the environment unless a call here changes them. Paths passed to the calls must
// stay valid until Start.
class Spawn {
 public:
  Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn();

  void Open(int fd, const char* path, int flags, mode_t mode = 0);
  void Null(int fd);  // connects `fd` to /dev/null
  void Duplicate(int from, int to);
  void ChangeFolder(const char* path);
  void ResetSignals(const sigset_t& signals);  // to their default actions
  void BlockSignals(const sigset_t& signals);  // blocks exactly these signals
  void MakeSession();

  // Starts `program` with the arguments `words`; words[0] is the name under which it runs. Returns
  // 0 and sets `pid`, or returns an errno.
  int Start(const std::string& program, std::vector<std::string> words, pid_t& pid,
            char* const* environment = environ);

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
  short flags_ = 0;
  int error_ = 0;  // first error of the calls above, an errno
};

}  // namespace gprofx
