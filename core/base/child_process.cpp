#include "core/base/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>

namespace gprofx {

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  End();
  pid_ = std::exchange(other.pid_, 0);
  return *this;
}

bool ChildProcess::HasEnded() {
  if (pid_ <= 0) return true;
  pid_t ended = 0;
  do {
    ended = waitpid(pid_, nullptr, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  pid_ = 0;
  return true;
}

std::optional<int> ChildProcess::Wait(rusage* used) {
  if (pid_ <= 0) return std::nullopt;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = wait4(pid_, &status, 0, used);
  } while (ended < 0 && errno == EINTR);
  pid_ = 0;
  if (ended < 0) return std::nullopt;
  return status;
}

void ChildProcess::Kill() const {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

void ChildProcess::End() {
  Kill();
  Wait();
}

bool Succeeded(std::optional<int> status) {
  return status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Pipe MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// The results are ignored, because neither init function can fail in glibc or musl.
Spawn::Spawn() {
  posix_spawn_file_actions_init(&files_);
  posix_spawnattr_init(&attributes_);
}

Spawn::~Spawn() {
  posix_spawn_file_actions_destroy(&files_);
  posix_spawnattr_destroy(&attributes_);
}

void Spawn::Open(int fd, const char* path, int flags, mode_t mode) {
  const int error = posix_spawn_file_actions_addopen(&files_, fd, path, flags, mode);
  if (error_ == 0) error_ = error;
}

void Spawn::Null(int fd) { Open(fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY); }

void Spawn::Duplicate(int from, int to) {
  const int error = posix_spawn_file_actions_adddup2(&files_, from, to);
  if (error_ == 0) error_ = error;
}

void Spawn::ChangeFolder(const char* path) {
  const int error = posix_spawn_file_actions_addchdir_np(&files_, path);
  if (error_ == 0) error_ = error;
}

void Spawn::ResetSignals(const sigset_t& signals) {
  posix_spawnattr_setsigdefault(&attributes_, &signals);
  flags_ |= POSIX_SPAWN_SETSIGDEF;
}

void Spawn::BlockSignals(const sigset_t& signals) {
  posix_spawnattr_setsigmask(&attributes_, &signals);
  flags_ |= POSIX_SPAWN_SETSIGMASK;
}

void Spawn::MakeSession() { flags_ |= POSIX_SPAWN_SETSID; }

int Spawn::Start(const std::string& program, std::vector<std::string> words, pid_t& pid,
                 char* const* environment) {
  if (error_ != 0) return error_;
  posix_spawnattr_setflags(&attributes_, flags_);
  return posix_spawn(&pid, program.c_str(), &files_, &attributes_, Pointers(words).data(),
                     environment);
}

}  // namespace gprofx
