// Programs and copies of itself that this process starts and reaps.
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

// Owns a child of this process, of fork(2) or Spawn. A child that is still there when its owner is
// destroyed is killed with SIGKILL and reaped. Move only. Not thread safe.
class ChildProcess {
 public:
  ChildProcess() = default;
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { End(); }

  pid_t pid() const { return pid_; }
  explicit operator bool() const { return pid_ > 0; }  // false: none, or it was reaped

  // Reaps the child if it has ended, and then returns true. Its status is lost.
  bool HasEnded();
  // Blocks until the child has ended. Returns its status as waitpid(2) does and sets `used` to what
  // it used; no value if something else has reaped it.
  std::optional<int> Wait(rusage* used = nullptr);
  void Kill() const;  // with SIGKILL; does not wait
  void End();         // kills and reaps it, if it is there

 private:
  pid_t pid_ = 0;
};

// True for the status of a program that exited with 0.
bool Succeeded(std::optional<int> status);

// Pointers to `words`, null at the end, as execve(2) takes them. Valid as long as `words`.
std::vector<char*> Pointers(std::vector<std::string>& words);

struct Pipe {
  UniqueFd out, in;  // what is written to `in` can be read from `out`
};
// Both ends are closed on execve(2). On failure there are none, and errno is set.
Pipe MakePipe();

// How to start a program: posix_spawn(3) with what it needs. Descriptors and the environment are
// inherited where nothing else is said. Paths must live until Start.
class Spawn {
 public:
  Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn();

  void Open(int fd, const char* path, int flags, mode_t mode = 0);
  void Null(int fd);  // /dev/null in its place
  void Duplicate(int from, int to);
  void ChangeFolder(const char* path);
  void ResetSignals(const sigset_t& signals);  // to their defaults
  void BlockSignals(const sigset_t& signals);  // these alone
  void MakeSession();

  // Starts `program` with the arguments `words`, words[0] included. Returns an errno; 0 = started.
  int Start(const std::string& program, std::vector<std::string> words, pid_t& pid,
            char* const* environment = environ);

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
  short flags_ = 0;
  int error_ = 0;  // of the first step that failed
};

}  // namespace gprofx
