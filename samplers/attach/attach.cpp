#include "samplers/attach/attach.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"
#include "samplers/attach/injected_code.h"
#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/place.h"
#include "samplers/attach/refusal.h"
#include "samplers/attach/safe_point.h"
#include "samplers/attach/stopped_thread.h"
#include "samplers/attach/target_folder.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"
#include "samplers/wire/attach.h"

namespace gprofx::attach {
namespace {

// How long to wait for each step. The stopped thread may hold locks until the injected call
// returns, so a long wait is safer than restoring the thread early.
constexpr HostNs kCallWithin = 30'000 * kNsPerMillisecond;
constexpr HostNs kLibrariesWithin = 500 * kNsPerMillisecond;
constexpr HostNs kEnterWithin = 15'000 * kNsPerMillisecond,
                 kLeaveWithin = 8'000 * kNsPerMillisecond;
constexpr size_t kCodeBytes = 4096, kRequestBytes = 4096, kWholeBytes = 128 << 10;
constexpr uint64_t kRedZoneBytes = 128;
static_assert(sizeof(wire::AttachRequest) <= kRequestBytes);

// ---- Functions that are called in the target

struct Functions {
  uint64_t create = 0, system_call = 0;
};

Result<Functions> FillFunctions(const LoadedObjects& objects, wire::AttachRequest& request) {
  const auto find = [&](const char* name, std::initializer_list<const char*> where) {
    for (const char* object : where) {
      if (const uint64_t at = objects.Find(object, name); at != 0) return at;
    }
    return uint64_t{0};
  };
  Functions functions;
  functions.create = find("pthread_create", {"libpthread", "libc"});
  functions.system_call = objects.SyscallInstruction();
  request.entry = find(wire::kAttachName, {"libgprofx-agent"});
  request.pthread_detach = find("pthread_detach", {"libpthread", "libc"});
  request.munmap = find("munmap", {"libc"});
  request.dlopen = find("dlopen", {"libc", "libdl"});
  request.dlsym = find("dlsym", {"libc", "libdl"});
  request.dlerror = find("dlerror", {"libc", "libdl"});
  request.open_flags = RTLD_NOW;
  if (request.dlopen == 0) {  // none in glibc before 2.34, if the program does not use libdl
    constexpr uint64_t kAsDlopen = 0x80000000u;
    request.dlopen = find("__libc_dlopen_mode", {"libc"});
    request.dlsym = find("__libc_dlsym", {"libc"});
    request.open_flags |= kAsDlopen;
  }
  const bool all = functions.create != 0 && functions.system_call != 0 && request.munmap != 0 &&
                   request.pthread_detach != 0 && request.dlopen != 0 && request.dlsym != 0;
  if (!all) {
    return Error{ErrorId::kUnsupportedProcess,
                 "cannot attach: the C library of the program has no threads or no loader to call",
                 "start it with gprof-x record -- COMMAND"};
  }
  return functions;
}

bool HasFunctions(const LoadedObjects& objects) {
  wire::AttachRequest none{};
  return bool(FillFunctions(objects, none));
}

// Copies the file at `from` to `file`, the descriptor of a file that the target has open. Writes
// through a copy of that descriptor. If the file were opened by its number in /proc, the program
// could have put another file there, to which it may not write but we may.
bool CopyToFileOf(const ProcessHandle& target, const std::string& from, int file) {
  const UniqueFd in(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd process = target.PidFd();
  if (!in || !process) return false;
  const UniqueFd out(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), file, 0)));
  if (!out || fcntl(out.get(), F_GET_SEALS) < 0) return false;
  std::vector<char> piece(1 << 16);
  while (const size_t got = ReadUpTo(in.get(), piece.data(), piece.size())) {
    if (!WriteAll(out.get(), piece.data(), got)) return false;
  }
  return true;
}

// ---- One request

class Talk {
 public:
  Talk(const ProcessHandle& process, const AttachSetup& setup)
      : process_(process), pid_(process.pid()), setup_(setup), memory_(process) {}

  // Makes the process create the thread that carries out the request. When this returns, the
  // process runs as before.
  Status Begin(wire::AttachAction action) {
    if (!memory_.is_open()) return WhyClosed();
    std::optional<LoadedObjects> found(std::in_place, pid_, memory_);
    if (action == wire::kAttachBegin) WaitForLibraries(found);
    const LoadedObjects& objects = *found;
    if (objects.empty()) return ProcessIsGone(pid_);
    wire::AttachRequest request{};
    if (action == wire::kAttachBegin && AskInterpreter(objects)) {
      Describe(action, request);
      const bool written =
          memory_.Write(request_, static_cast<const void*>(&request), sizeof request);
      return written && Go(wire::kGoReleased) ? Ok() : ProcessIsGone(pid_);
    }
    auto functions = FillFunctions(objects, request);
    if (!functions) return functions.error();
    // Without an agent there is nothing to end: another program has replaced the recorded one.
    if (action == wire::kAttachEnd && request.entry == 0) return ProcessIsGone(pid_);
    Describe(action, request);
    const bool is_visible = request.entry != 0 || SeesSameFile(process_, setup_.agent);
    auto thread = StopSomewhereSafe({memory_, objects, process_}, setup_.give_up, facts_);
    if (!thread) return thread.error();
    const Status called = CallIn(**thread, *functions, request, is_visible);
    (*thread)->Release();
    facts_.held += (*thread)->held_for();
    if (!called) return called;
    if (request.file >= 0) {
      // A failed copy needs no handling here, because the loader in the target reports an invalid
      // file.
      CopyToFileOf(process_, setup_.agent, static_cast<int>(request.file));
    }
    return Go(wire::kGoReleased) ? Ok() : ProcessIsGone(pid_);
  }

  bool Go(wire::AttachGo go) const {
    const uint32_t word = go;
    return memory_.Write(At(offsetof(wire::AttachRequest, go)), &word, sizeof word);
  }

  // Waits until the target has written `state` or a later state, and copies the request to *answer.
  // Returns false if the process ended or did not answer in time.
  bool WaitFor(wire::AttachState state, HostNs patience, wire::AttachRequest* answer) const {
    const HostNs until = MonotonicNs() + patience;
    // Number of checks after which to read whether the process is stopped and cannot answer.
    constexpr int kLooksBetween = 500;
    for (int looks = 1; memory_.Read(At(0), static_cast<void*>(answer), sizeof *answer); ++looks) {
      if (answer->state.load() >= state) return true;
      if (MonotonicNs() > until) return false;
      if (looks % kLooksBetween == 0 && ProcessState(pid_) == 'T') return false;
      if (setup_.serve) setup_.serve();
      const timespec pause{0, kNsPerMillisecond / 2};
      nanosleep(&pause, nullptr);
    }
    return false;
  }

  // Waits until `thread`, which has answered and is about to leave, has ended.
  void WaitForEndOf(int64_t thread) const {
    constexpr HostNs kEndsWithin = 2'000 * kNsPerMillisecond;
    const HostNs until = MonotonicNs() + kEndsWithin;
    const std::string path = ThreadPath(pid_, thread, "stat");
    while (thread != 0 && access(path.c_str(), F_OK) == 0 && MonotonicNs() < until) {
      const timespec pause{0, kNsPerMillisecond / 5};
      nanosleep(&pause, nullptr);
    }
  }

  const AttachFacts& facts() const { return facts_; }

 private:
  bool GaveUp() const { return setup_.give_up != nullptr && setup_.give_up->load(); }

  // Waits until the process has mapped the libraries that are needed. A process that has just
  // started has mapped only some of them.
  void WaitForLibraries(std::optional<LoadedObjects>& found) const {
    const HostNs until = MonotonicNs() + kLibrariesWithin;
    while (!found->empty() && !HasFunctions(*found) && MonotonicNs() < until && !GaveUp()) {
      const timespec pause{0, 10 * kNsPerMillisecond};
      nanosleep(&pause, nullptr);
      found.emplace(pid_, memory_);
    }
  }

  uint64_t At(size_t offset) const { return request_ + offset; }

  Status WhyClosed() const {
    const TargetFacts now = LookAtTarget(pid_);
    if (!process_.is_there() || now.state == 'Z') return ProcessIsGone(pid_);
    return Forbidden(now);
  }

  void Describe(wire::AttachAction action, wire::AttachRequest& request) const {
    request.version = wire::kAttachVersion;
    request.action = action;
    request.file = -1;
    std::snprintf(request.name, sizeof request.name, "%s", wire::kAttachName);
    std::snprintf(request.library, sizeof request.library, "%s", setup_.agent.c_str());
    std::snprintf(request.session, sizeof request.session, "%s", setup_.session.c_str());
  }

  // Asks the process's Python interpreter to load the agent. Returns false if that is not possible.
  // It is not if an agent was loaded from another path: the loader would not recognize ours and
  // would load a second copy.
  bool AskInterpreter(const LoadedObjects& objects) {
    const std::string loaded = objects.PathOf("libgprofx-agent");
    if (!loaded.empty() && loaded != setup_.agent) return false;
    const bool copy = !SeesSameFile(process_, setup_.agent);
    const auto request = EnterAtSafePoint(process_, memory_, objects,
                                          {setup_.agent, copy, setup_.serve, setup_.give_up});
    if (!request) return false;
    request_ = *request;
    facts_.by_interpreter = true;
    return true;
  }

  Status CallIn(StoppedThread& thread, const Functions& functions, wire::AttachRequest& request,
                bool visible) {
    const Error failed{ErrorId::kNotEntered, "cannot create a thread in " + ProcessName(pid_),
                       "the process is unchanged; start it with gprof-x record -- COMMAND"};
    if (!thread.Prepare()) return ProcessIsGone(pid_);
    const auto made = thread.SystemCall(
        functions.system_call, SYS_mmap,
        {0, kWholeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~uint64_t{0}, 0});
    if (!made) return ProcessIsGone(pid_);
    if (*made < 0 && *made > -4096) return failed;
    begin_ = static_cast<uint64_t>(*made);
    request_ = begin_ + kCodeBytes;
    request.begin = begin_;
    request.bytes = kWholeBytes;
    const auto give_back = [&] {
      thread.SystemCall(functions.system_call, SYS_munmap, {begin_, kWholeBytes, 0, 0, 0, 0});
      return failed;
    };
    if (!visible && !MakeCopy(thread, functions, request)) return give_back();
    if (!memory_.Write(begin_, InjectedCode().data(), InjectedCode().size()) ||
        !memory_.Write(At(0), static_cast<const void*>(&request), sizeof request)) {
      return give_back();
    }
    const auto guarded = thread.SystemCall(functions.system_call, SYS_mprotect,
                                           {begin_, kCodeBytes, PROT_READ | PROT_EXEC, 0, 0, 0});
    if (!guarded || *guarded != 0) return give_back();
    const uint64_t stack = begin_ + kWholeBytes - kRedZoneBytes;
    const auto result = thread.Call(
        begin_ + InjectedCallOffset(), begin_ + InjectedTrapOffset(), stack, functions.create,
        {At(offsetof(wire::AttachRequest, thread)), 0, begin_ + InjectedThreadOffset(), At(0)},
        kCallWithin);
    if (!result) return ProcessIsGone(pid_);
    if (static_cast<int>(*result) != 0) return give_back();
    return Ok();
  }

  // Creates a memfd for the agent in the target. Needed if the target would open another file by
  // the agent's path, because it has another root directory.
  bool MakeCopy(StoppedThread& thread, const Functions& functions, wire::AttachRequest& request) {
    constexpr char kName[] = "libgprofx-agent.so";
    if (!memory_.Write(At(0), kName, sizeof kName)) return false;
    const auto file = thread.SystemCall(functions.system_call, SYS_memfd_create,
                                        {At(0), MFD_CLOEXEC, 0, 0, 0, 0});
    if (!file || *file < 0) return false;
    request.file = *file;
    std::snprintf(request.library, sizeof request.library, "/proc/self/fd/%d",
                  static_cast<int>(*file));
    return true;
  }

  const ProcessHandle& process_;
  const pid_t pid_;
  const AttachSetup& setup_;
  RemoteMemory memory_;
  AttachFacts facts_;
  uint64_t begin_ = 0, request_ = 0;
};

Error WhyRefused(pid_t pid, const wire::AttachRequest& answer) {
  const std::string who = ProcessName(pid);
  const std::string start = "start it with gprof-x record -- COMMAND";
  switch (answer.result) {
    case wire::kAttachNotLoaded: {
      const std::string said(answer.error, strnlen(answer.error, sizeof answer.error));
      return {ErrorId::kNotEntered,
              "cannot load the agent into " + who + (said.empty() ? "" : ": " + said), start};
    }
    case wire::kAttachOtherVersion:
      return {ErrorId::kAlreadyRecorded, who + " holds the agent of another version of gprof-x",
              "use that version, or restart the program"};
    case wire::kAttachRecorded:
      return {ErrorId::kAlreadyRecorded, who + " is already being recorded by gprof-x",
              "wait for the end of that recording"};
    case wire::kAttachUnreachable:
      return {ErrorId::kOtherContainer,
              who + " cannot reach the memory of the recorder, because it is in another container",
              "run gprof-x inside its container"};
    case wire::kAttachUnfit:
      return {ErrorId::kUnsupportedProcess,
              who + " runs under a debugger, valgrind or rr, or does not use a C library", start};
    default:
      return {ErrorId::kNoResources, who + " has too little address space for the recording",
              "raise its limit with prlimit --as"};
  }
}

// Runs `work` in a thread of its own and returns its result. ptrace(2) ties a traced thread to the
// thread that traces it. A target thread in uninterruptible sleep cannot be detached; the kernel
// releases it when the tracing thread ends.
template <class Work>
Result<AttachFacts> InThreadOfItsOwn(Work work) {
  std::optional<Result<AttachFacts>> result;
  std::thread([&] { result.emplace(work()); }).join();
  return std::move(*result);
}

Error NoAnswer(pid_t pid, const wire::AttachRequest& answer) {
  const TargetFacts now = LookAtTarget(pid);
  if (const Status why = WhyNot(now); now.exists && !why) return why.error();
  if (now.exists && answer.state.load() == wire::kAttachWaits) {
    return {ErrorId::kNotEntered,
            ProcessName(pid) + " did not load the agent in time: its loader is busy", "try again"};
  }
  return ProcessIsGone(pid);
}

Result<AttachFacts> Enter(const ProcessHandle& process, const AttachSetup& setup) {
  const pid_t pid = process.pid();
  if (const Status why = WhyNot(LookOnceLoaded(pid, setup.give_up)); !why) return why.error();
  Talk talk(process, setup);
  if (const Status begun = talk.Begin(wire::kAttachBegin); !begun) return begun.error();
  wire::AttachRequest answer{};
  const bool done = talk.WaitFor(wire::kAttachDone, kEnterWithin, &answer);
  talk.Go(wire::kGoLeave);
  if (!done) return NoAnswer(pid, answer);
  if (answer.result != wire::kAttachOk) return WhyRefused(pid, answer);
  return talk.facts();
}

Result<AttachFacts> Leave(const ProcessHandle& process, const AttachSetup& setup,
                          const std::function<void()>& close_events) {
  const pid_t pid = process.pid();
  if (const Status why = WhyNot(LookAtTarget(pid)); !why) return why.error();
  Talk talk(process, setup);
  if (const Status begun = talk.Begin(wire::kAttachEnd); !begun) return begun.error();
  wire::AttachRequest answer{};
  if (!talk.WaitFor(wire::kAttachQuiet, kLeaveWithin, &answer)) return NoAnswer(pid, answer);
  close_events();
  talk.Go(wire::kGoClosed);
  if (!talk.WaitFor(wire::kAttachDone, kLeaveWithin, &answer)) return NoAnswer(pid, answer);
  talk.Go(wire::kGoLeave);
  talk.WaitForEndOf(answer.served_by);
  if (answer.result == wire::kAttachStays) {
    return Error{ErrorId::kNotEntered,
                 ProcessName(pid) + " keeps signal handlers of the agent, which do nothing",
                 "restart it to remove them"};
  }
  return talk.facts();
}

}  // namespace

Result<AttachFacts> EnterProcess(const ProcessHandle& process, const AttachSetup& setup) {
  return InThreadOfItsOwn([&] { return Enter(process, setup); });
}

Result<AttachFacts> LeaveProcess(const ProcessHandle& process, const AttachSetup& setup,
                                 const std::function<void()>& close_events) {
  return InThreadOfItsOwn([&] { return Leave(process, setup, close_events); });
}

}  // namespace gprofx::attach
