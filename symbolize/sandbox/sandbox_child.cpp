#include "symbolize/sandbox/sandbox_child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <new>
#include <stdexcept>

#include "core/base/byte_reader.h"
#include "core/base/file_io.h"
#include "symbolize/names/names_codec.h"
#include "symbolize/sandbox/sandbox_filter.h"
#include "symbolize/sandbox/sandbox_rights.h"

namespace gprofx {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasShadowMemory = true;  // AddressSanitizer reserves terabytes of address space
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kHasShadowMemory = true;
#else
constexpr bool kHasShadowMemory = false;
#endif
#else
constexpr bool kHasShadowMemory = false;
#endif

class ParentSink : public NamesSink {
 public:
  explicit ParentSink(int socket) : socket_(socket) {}

  void Send(SandboxMessage kind, std::string_view payload) {
    if (payload.size() >= kMaxSandboxMessage) throw std::length_error("its names are too large");
    std::string frame;
    PutNumber(frame, static_cast<uint32_t>(payload.size() + 1));
    PutNumber(frame, static_cast<uint8_t>(kind));
    // If writing fails, the parent has closed the socket: nothing is left to do.
    if (!WriteAll(socket_, frame.data(), frame.size())) _exit(0);
    if (!WriteAll(socket_, payload.data(), payload.size())) _exit(0);
  }
  void SendNumber(SandboxMessage kind, uint32_t number) {
    std::string payload;
    PutNumber(payload, number);
    Send(kind, payload);
  }

  void Names(const ModuleNames& names) override {
    constexpr size_t kAddressesPerMessage = 4096;
    ModuleNames part;
    for (const auto& entry : names) {
      part.insert(entry);
      if (part.size() < kAddressesPerMessage) continue;
      Send(SandboxMessage::kNames, EncodeNames(part));
      part.clear();
    }
    if (!part.empty()) Send(SandboxMessage::kNames, EncodeNames(part));
  }
  void Problem(const std::string& text) override { Send(SandboxMessage::kProblem, text); }
  // Tells the parent why there is no sandbox, and exits.
  [[noreturn]] void Refuse(const std::string& why) {
    Send(SandboxMessage::kRefused, why);
    _exit(0);
  }
  Result<std::string> DebugFile(const std::string& build_id) override {
    Send(SandboxMessage::kDebugFile, build_id);
    std::string answer;
    char head[sizeof(uint8_t) + sizeof(uint32_t)];
    if (ReadUpTo(socket_, head, sizeof head) != sizeof head) _exit(0);
    ByteReader reader(std::string_view(head, sizeof head));
    const bool found = reader.Number<uint8_t>() != 0;
    answer.resize(std::min(reader.Number<uint32_t>(), kMaxSandboxAnswer));
    if (ReadUpTo(socket_, answer.data(), answer.size()) != answer.size()) _exit(0);
    if (!found) return Error{ErrorId::kCannotRead, answer};
    return answer;
  }
  void Witnesses(const std::vector<Witness>& witnesses) override {
    std::string payload;
    PutNumber(payload, static_cast<uint32_t>(witnesses.size()));
    for (const Witness& witness : witnesses) {
      PutWitness(payload, witness);
    }
    Send(SandboxMessage::kWitnesses, payload);
  }

 private:
  int socket_;
};

// Returns the number of bytes that this process has mapped. A forked child starts with all mappings
// of its parent.
uint64_t MappedNow() {
  uint64_t pages = 0;
  FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long first = 0;
  if (std::fscanf(file, "%llu", &first) == 1) pages = first;
  std::fclose(file);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Sets a resource limit. For CPU time, sets only the soft limit, because this limit is raised for
// each module.
void SetLimit(decltype(RLIMIT_AS) which, rlim_t value) {
  struct rlimit limit = {};
  if (getrlimit(which, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? value : std::min(value, limit.rlim_max);
  if (which != RLIMIT_CPU) limit.rlim_max = limit.rlim_cur;
  setrlimit(which, &limit);
}

// Limits the CPU time to `seconds` more than was used so far. This is a second safeguard; the first
// is the parent's clock.
void LimitCpu(int seconds) {
  struct timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  SetLimit(RLIMIT_CPU, static_cast<rlim_t>(used.tv_sec + seconds + 2));
}

// Closes all descriptors except the standard streams and the socket. The standard streams are
// connected to /dev/null. The socket becomes descriptor 3, which is returned.
int KeepOnly(int socket) {
  constexpr int kSocket = 3;
  socket = fcntl(socket, F_DUPFD_CLOEXEC, kSocket + 1);
  // The parent reports a crash. Messages of abort and assert must not reach the user's terminal.
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < kSocket; fd++) {
    if (null < 0 || dup2(null, fd) < 0) close(fd);
  }
  if (dup2(socket, kSocket) < 0) _exit(1);
  CloseFrom(kSocket + 1);
  return kSocket;
}

// True if the user has allowed to read programs without a filter, which is needed on kernels
// without seccomp. Never true for programs of other users.
bool MayGoWithoutFilter(const std::optional<FileReader>& reader) {
  const char* choice = secure_getenv("GPROFX_UNCONFINED_SYMBOLS");
  return !reader && choice != nullptr && std::string_view(choice) == "1";
}

// Confines this process. Returns an error if a required part of the sandbox is not available.
Status Isolate(const SymbolizeOptions& options, const std::optional<FileReader>& reader,
               pid_t parent) {
  for (int signal = 1; signal < NSIG; signal++) std::signal(signal, SIG_DFL);
  // Ctrl-C is sent to the whole process group. Ignore it: the launcher decides what happens to this
  // process.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  SetLimit(RLIMIT_CORE, 0);
  if (!kHasShadowMemory) SetLimit(RLIMIT_AS, MappedNow() + options.memory_limit);
  if (Status kept = KeepRightsOf(reader); !kept) return kept;
  // Set these after KeepRightsOf, because a change of user resets both. This process has a copy of
  // the recorder's memory, which the user that it now runs as must not inspect.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const bool confined = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && RestrictSystemCalls();
  if (confined || MayGoWithoutFilter(reader)) return Ok();
  return Error{ErrorId::kNoResources, "this kernel filters no system calls (seccomp)",
               "GPROFX_UNCONFINED_SYMBOLS=1 reads your own programs without that protection"};
}

}  // namespace

void RunSandboxChild(const ChildTask& task, const SymbolizeOptions& options, const ModuleWork& work,
                     int socket) {
  ParentSink sink(KeepOnly(socket));
  const std::vector<SymbolRequest>& requests = task.requests;
  const Status isolated = Isolate(options, requests[task.first].reader, task.parent);
  if (!isolated) sink.Refuse(isolated.error().Text());
  for (size_t i = task.first; i < task.end; i++) {
    LimitCpu(options.module_seconds);
    sink.SendNumber(SandboxMessage::kBegin, static_cast<uint32_t>(i));
    try {
      work(requests[i], options, sink);
    } catch (const std::bad_alloc&) {
      sink.Problem(requests[i].path +
                   ": needs more memory than the symbolizer may use; names may be missing");
    } catch (const std::exception& error) {
      sink.Problem(requests[i].path + ": " + error.what());
    }
    sink.SendNumber(SandboxMessage::kEnd, static_cast<uint32_t>(i));
  }
  _exit(0);
}

}  // namespace gprofx
