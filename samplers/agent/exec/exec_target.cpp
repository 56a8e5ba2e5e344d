// Runs in vfork children: no writes to static data, no allocation, system calls only.
#include "samplers/agent/exec/exec_target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/wire/preload.h"

namespace gprofx::agent {
namespace {

constexpr char kAgentFile[] = "/libgprofx-agent.so", kMemoryFile[] = "/libgprofx-memory.so";
constexpr int kMaxScripts = 5;  // the kernel's limit for scripts that run other scripts
constexpr size_t kMaxEntries = 4096, kMaxPreload = 8192;

// Reads a file through a one-block cache, because the requested ranges lie close together.
class BlockReader {
 public:
  explicit BlockReader(int fd) : fd_(fd) {}
  bool Read(void* to, uint64_t offset, uint64_t bytes) {
    if (bytes > sizeof block_ || offset > uint64_t{1} << 40) return false;
    if (offset < begin_ || offset + bytes > begin_ + filled_) {
      const ssize_t got = pread(fd_, block_, sizeof block_, static_cast<off_t>(offset));
      begin_ = offset;
      filled_ = got > 0 ? static_cast<uint64_t>(got) : 0;
    }
    if (offset + bytes > begin_ + filled_) return false;
    std::memcpy(to, block_ + (offset - begin_), bytes);
    return true;
  }
  // Reads the start of the file as NUL-terminated text. Returns the number of bytes, without the
  // NUL.
  size_t Head(char* to, size_t room) {
    const ssize_t got = pread(fd_, to, room - 1, 0);
    const size_t bytes = got > 0 ? static_cast<size_t>(got) : 0;
    to[bytes] = 0;
    return bytes;
  }

 private:
  int fd_;
  uint64_t begin_ = 0, filled_ = 0;
  char block_[1024];
};

// True if `path` is a regular file; sets *status in that case. Called before the file is opened,
// because opening a device or a pipe may have effects. Makes the system call directly.
bool RegularFile(int folder, const char* path, int flags, struct stat* status) {
  const int kept = flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
  return RawSyscall(SYS_newfstatat, folder, AsArgument(path), AsArgument(status), kept) == 0 &&
         S_ISREG(status->st_mode);
}

bool HasCapabilities(int fd) { return fgetxattr(fd, "security.capability", nullptr, 0) > 0; }

// True if the exec would give the new program more privileges. Follows the kernel's
// cap_bprm_creds_from_file(), as far as a program that is about to exec can know the result.
bool GainsPrivileges(int fd, const struct stat& status) {
  bool set_user = (status.st_mode & S_ISUID) != 0;
  bool set_group = (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
  bool capable = getuid() != 0 && HasCapabilities(fd);
  if ((set_user || set_group || capable) && RawSyscall(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 1) {
    set_user = set_group = capable = false;
  }
  return (set_user ? status.st_uid : geteuid()) != getuid() ||
         (set_group ? status.st_gid : getegid()) != getgid() || capable;
}

bool IsVariable(const char* entry, const char* name_and_equals) {
  return std::strncmp(entry, name_and_equals, std::strlen(name_and_equals)) == 0;
}

bool EndsWith(const char* entry, size_t bytes, const char* name) {
  const size_t length = std::strlen(name);
  return bytes >= length && std::memcmp(entry + bytes - length, name, length) == 0;
}
bool IsAgent(const char* entry, size_t bytes) { return EndsWith(entry, bytes, kAgentFile); }
// True if the LD_PRELOAD entry is one of our libraries: the agent or the memory event library. The
// two are kept, removed and added together.
bool IsOurs(const char* entry, size_t bytes) {
  return IsAgent(entry, bytes) || EndsWith(entry, bytes, kMemoryFile);
}

// Appends an entry to the colon-separated list that spans `begin` to `end`. Returns the new end.
char* AppendEntry(const char* begin, char* end, const char* entry, size_t bytes) {
  if (end > begin) *end++ = ':';
  std::memcpy(end, entry, bytes);
  return end + bytes;
}

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr size_t kPreloadBytes = sizeof kPreload - 1;

}  // namespace

TargetFile LookAt(int folder, const char* path, int flags) {
  char line[256];
  for (int level = 0; level < kMaxScripts; ++level) {
    struct stat status;
    if (!RegularFile(folder, path, flags, &status)) return {};
    const bool itself = (flags & AT_EMPTY_PATH) != 0 && path[0] == 0;
    const int fd = itself ? folder : openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return {.found = true};
    TargetFile target;
    target.found = true;
    BlockReader reader(fd);
    wire::ProgramFile file([&reader](void* to, uint64_t offset, uint64_t bytes) {
      return reader.Read(to, offset, bytes);
    });
    target.fitness = file.Judge();
    target.musl = file.musl();
    target.privileged = GainsPrivileges(fd, status);
    size_t begin = 0, end = 0;
    const bool script = target.fitness == wire::Fitness::kUnknown &&
                        wire::FindInterpreter(line, reader.Head(line, sizeof line), &begin, &end);
    if (!itself) close(fd);
    if (!script) return target;
    line[end] = 0;
    std::memmove(line, line + begin, end - begin + 1);
    path = line;
    folder = AT_FDCWD;
    flags = 0;
  }
  return {};
}

bool LibrariesOpen() {
  constexpr const char* kPairs[][2] = {
      {"/lib/" GPROFX_LIBRARY_FOLDER "/libpthread.so.0",
       "/lib/" GPROFX_LIBRARY_FOLDER "/libdl.so.2"},
      {"/lib64/libpthread.so.0", "/lib64/libdl.so.2"},
      {"/usr/lib/" GPROFX_LIBRARY_FOLDER "/libpthread.so.0",
       "/usr/lib/" GPROFX_LIBRARY_FOLDER "/libdl.so.2"},
      {"/usr/lib64/libpthread.so.0", "/usr/lib64/libdl.so.2"},
      {"/usr/lib/libpthread.so.0", "/usr/lib/libdl.so.2"},
  };
  for (const auto& pair : kPairs) {
    if (access(pair[0], R_OK) == 0 && access(pair[1], R_OK) == 0) return true;
  }
  return false;
}

const char* FindInPath(const char* file, const char* path_variable, char (&room)[kPathRoom]) {
  if (std::strchr(file, '/') != nullptr) return file;
  const size_t file_bytes = std::strlen(file);
  const char* folder = path_variable != nullptr ? path_variable : "/bin:/usr/bin";
  while (file_bytes != 0) {
    const size_t bytes = std::strcspn(folder, ":");
    if (bytes + file_bytes + 2 <= kPathRoom) {
      char* end = room;
      std::memcpy(end, folder, bytes);
      end += bytes;
      if (bytes != 0) *end++ = '/';
      std::memcpy(end, file, file_bytes + 1);
      struct stat status;
      if (RegularFile(AT_FDCWD, room, 0, &status) && access(room, X_OK) == 0) return room;
    }
    if (folder[bytes] == 0) break;
    folder += bytes + 1;
  }
  return nullptr;
}

EnvironmentFacts ReadEnvironment(char* const* environment) {
  EnvironmentFacts facts;
  for (; environment != nullptr && environment[facts.entries] != nullptr; ++facts.entries) {
    const char* entry = environment[facts.entries];
    if (entry[0] != 'L' && entry[0] != 'G' && entry[0] != 'V') continue;
    if (IsVariable(entry, kPreload))
      facts.preload = entry + kPreloadBytes;  // the loader uses the last one
    if (IsVariable(entry, "GPROFX_SESSION=")) {
      facts.session = true;
      facts.confined = entry[sizeof "GPROFX_SESSION=" - 1] == '!';
    }
    if (IsVariable(entry, "VALGRIND_LAUNCHER=")) facts.valgrind = true;
  }
  wire::ForEachPreloaded(facts.preload, [&facts](const char* entry, size_t bytes) {
    if (facts.agent == nullptr && IsAgent(entry, bytes)) facts.agent = entry;
  });
  return facts;
}

ExecPlan Decide(const ExecFacts& facts) {
  using wire::Fitness;
  using wire::NotSampled;
  ExecPlan plan;
  if (!facts.target.found) return plan;
  const Fitness fitness = facts.target.fitness;
  plan.strip = facts.preloaded && (wire::MustNotPreload(fitness) || !facts.agent_opens);
  const auto because = [&plan](NotSampled reason) {
    plan.counted = true;
    plan.reason = reason;
    return plan;
  };
  // Valgrind's tool is a static program that loads the program to be examined. It is not counted
  // here: the agent in the examined program does that.
  if (facts.valgrind && fitness == Fitness::kStatic) return plan;
  if (facts.target.privileged) return because(NotSampled::kPrivileged);
  switch (fitness) {
    case Fitness::kStatic:
      return because(NotSampled::kStatic);
    case Fitness::k32Bit:
      return because(NotSampled::k32Bit);
    case Fitness::kOtherMachine:
      return because(NotSampled::kOtherMachine);
    case Fitness::kOtherLibrary:
      return because(NotSampled::kOtherLibrary);
    case Fitness::kSanitizer:
      return because(NotSampled::kSanitizer);
    case Fitness::kNoLibrary:  // the agent in the program counts it, if it is loaded there
      if (!facts.preloaded || plan.strip) return because(NotSampled::kNoLibrary);
      return plan;
    case Fitness::kUnknown:
      if (plan.strip) return because(NotSampled::kAgentHidden);
      return plan;
    case Fitness::kFits:
      break;
  }
  plan.add =
      facts.replaced && facts.session && !facts.confined && facts.agent_opens && facts.reachable;
  if (plan.add) return plan;
  if (!facts.preloaded || !facts.session) return because(NotSampled::kCleared);
  if (plan.strip) return because(NotSampled::kAgentHidden);
  if (facts.confined) return because(NotSampled::kConfined);
  if (!facts.reachable) return because(NotSampled::kUnreachable);
  return plan;
}

void CopyOwnEntries(const char* preload, char (&room)[kPathRoom]) {
  char* end = room;
  wire::ForEachPreloaded(preload, [&](const char* entry, size_t bytes) {
    const auto left = static_cast<size_t>(room + kPathRoom - end);
    if (IsOurs(entry, bytes) && bytes + 2 <= left) end = AppendEntry(room, end, entry, bytes);
  });
  *end = 0;
}

size_t ChangedBytes(const EnvironmentFacts& facts, const char* own) {
  const size_t preload = std::strlen(facts.preload);
  if (facts.entries > kMaxEntries || preload > kMaxPreload) return 0;
  return (facts.entries + 1) * sizeof(char*) + kPreloadBytes + preload + 1 + std::strlen(own) + 1;
}

char** WriteChanged(char* const* environment, const EnvironmentFacts& facts, const char* own,
                    void* room) {
  auto** out = static_cast<char**>(room);
  char* text = reinterpret_cast<char*>(out + facts.entries + 1);
  std::memcpy(text, kPreload, kPreloadBytes);
  const char* begin = text + kPreloadBytes;
  char* end = text + kPreloadBytes;
  wire::ForEachPreloaded(facts.preload, [&](const char* entry, size_t bytes) {
    if (!IsOurs(entry, bytes)) end = AppendEntry(begin, end, entry, bytes);
  });
  if (*own != 0) end = AppendEntry(begin, end, own, std::strlen(own));
  *end = 0;
  size_t n = 0;
  for (size_t i = 0; i < facts.entries; ++i) {
    char* entry = environment[i];
    if (entry + kPreloadBytes != facts.preload) {
      out[n++] = entry;
    } else if (end > begin) {
      out[n++] = text;
    }
  }
  out[n] = nullptr;
  return out;
}

}  // namespace gprofx::agent
