// Implements the requests of the recorder to enter a running program and to leave it again
// (wire/attach.h).
//
// The code runs on a thread that the recorder created and that ends with the request. It may
// allocate and wait. It must not hold up the program, so nothing here stops a thread.
#include "samplers/agent/process/late.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cstdint>

#include "samplers/agent/calls/memory_ring.h"
#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/confinement/unfit.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/interpose.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/process_stat.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/sampler.h"
#include "samplers/wire/agent_entry.h"
#include "samplers/wire/attach.h"

extern "C" void gprofx_agent_attach(gprofx::wire::AttachRequest* request);
extern "C" const gprofx::wire::AgentEntry* gprofx_agent_entry(uint32_t version);

namespace gprofx::agent {
namespace {

std::atomic<bool> g_changing{false};  // a request is being served

void SleepMs(int ms) {
  const timespec pause{0, ms * 1'000'000L};
  nanosleep(&pause, nullptr);
}

template <class Condition>
bool WaitUntil(Condition condition, int most_ms) {
  for (int ms = 0; !condition(); ++ms) {
    if (ms >= most_ms) return false;
    SleepMs(1);
  }
  return true;
}

// Calls `use` with the id of each thread of the process except the calling one.
template <class Use>
void ForEachOtherThread(Use use) {
  const auto own = static_cast<int32_t>(RawSyscall(SYS_gettid));
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const auto tid = static_cast<int32_t>(strtol(entry->d_name, nullptr, 10));
    if (tid > 0 && tid != own) use(tid);
  }
  closedir(folder);
}

void AdoptAllThreads() {
  // The second pass finds threads that were created during the first.
  for (int look = 0; look < 2; ++look) {
    ForEachOtherThread([](int32_t tid) { WaitUntil([=] { return AdoptThread(tid); }, 100); });
  }
}

// ---- Calls into libgprofx-cuda.so, for programs that already use CUDA

using OpenFunction = void* (*)(const char*, int);

// Calls dlopen, which is looked up by name. Before glibc 2.34 it is in libdl, and the agent must
// not depend on libdl.
void* Open(const char* path, int flags) {
  const auto open = reinterpret_cast<OpenFunction>(dlsym(RTLD_DEFAULT, "dlopen"));
  return open == nullptr ? nullptr : open(path, flags);
}

template <class F>
F GpuSide(const char* name, bool load) {
  char path[512];
  Dl_info own{};
  const auto find = reinterpret_cast<int (*)(const void*, Dl_info*)>(dlsym(RTLD_DEFAULT, "dladdr"));
  if (find == nullptr || find(reinterpret_cast<const void*>(&gprofx_agent_attach), &own) == 0)
    return nullptr;
  const char* slash = strrchr(own.dli_fname, '/');
  constexpr char kFile[] = "/libgprofx-cuda.so";
  const auto folder = slash == nullptr ? 0 : static_cast<size_t>(slash - own.dli_fname);
  if (folder == 0 || folder + sizeof kFile > sizeof path) return nullptr;
  memcpy(path, own.dli_fname, folder);
  memcpy(path + folder, kFile, sizeof kFile);
  void* library = Open(path, load ? RTLD_NOW : RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name));
}

bool CudaIsInitialised() {
  void* driver = Open("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  using Get = int (*)(int*, int);
  const auto get = reinterpret_cast<Get>(dlsym(driver, "cuDeviceGet"));
  int device = 0;
  return get != nullptr && get(&device, 0) == 0;
}

void EnterGpu() {
  if (g_session.facts().gpu.mode == wire::kModeOff || !CudaIsInitialised()) return;
  using Enter = void (*)(const wire::AgentEntry*);
  const auto enter = GpuSide<Enter>(wire::kCudaEnterName, true);
  if (enter != nullptr) enter(gprofx_agent_entry(wire::kAgentEntryVersion));
}

// Ends the GPU part of the recording. Returns true if no part of CUPTI is enabled afterwards.
bool LeaveGpu() {
  const auto leave = GpuSide<int (*)()>(wire::kCudaLeaveName, false);
  return leave == nullptr || leave() != 0;
}

constexpr int kHandlersEndMs = 1000, kRecorderAnswersMs = 5000;

// Ends the recording in this process. Returns true if our handlers are no longer installed.
bool End(wire::AttachRequest* request) {
  const bool gpu_left = LeaveGpu();
  NoteProcessEnd();
  EndPostponed();
  EndAllThreads();
  const bool quiet = WaitUntil([] { return !InAgent::Anybody(); }, kHandlersEndMs) && gpu_left;
  if (request != nullptr) {
    request->state.store(wire::kAttachQuiet);
    // Wait until the recorder has closed the perf events. An open event sends signals, and after
    // the next step a handler of the program would receive them.
    const bool closed =
        WaitUntil([=] { return request->go.load() >= wire::kGoClosed; }, kRecorderAnswersMs);
    if (!quiet || !closed) {
      g_session.Leave();
      return false;
    }
  }
  RestoreProgramActions();
  g_session.Leave();  // code that runs later finds no recording
  SleepMs(1);  // lets threads that have just entered a front handler raise the count of InAgent
  if (!quiet || EntryIsHeld() || !WaitUntil([] { return !InAgent::Anybody(); }, kHandlersEndMs))
    return true;  // the mappings stay, because code of ours may still use them
  ForgetThreads();
  g_session.Part();
  return true;
}

uint32_t Begin(wire::AttachRequest* request) {
  const int64_t begin = ThreadCpuNs();
  const int64_t process_begin = ProcessCpuNs();
  if (g_session.joined()) {
    if (g_session.IsNamed(request->session))
      return wire::kAttachOk;  // the process that forked this one was entered
    if (!g_session.CollectorIsGone()) return wire::kAttachRecorded;
    End(nullptr);
  }
  // Do not start while threads still use the state of an earlier recording.
  if (!WaitUntil([] { return !InAgent::Anybody(); }, kHandlersEndMs)) return wire::kAttachRecorded;
  if (!g_session.Attach(request->session)) return wire::kAttachUnreachable;
  if (const auto reason = WhyLeaveAlone()) {
    g_session.LeaveAlone(*reason);
    request->reason = static_cast<uint32_t>(*reason);
    return wire::kAttachUnfit;
  }
  ForgetThreads();
  ForgetMemoryRing();
  if (!g_session.BeginLate(process_begin)) return wire::kAttachNoRoom;
  StartInProcess();
  NoteFirstStack(StatOf(g_session.pid()).stack, StackLimit());
  AdoptAllThreads();
  EnterGpu();
  g_session.Count(wire::kOwnCpuNs, static_cast<uint64_t>(ThreadCpuNs() - begin));
  return wire::kAttachOk;
}

uint32_t Answer(wire::AttachRequest* request) {
  if (request->version != wire::kAttachVersion) return wire::kAttachOtherVersion;
  if (request->action == wire::kAttachBegin) return Begin(request);
  if (!g_session.joined()) return wire::kAttachNotRecorded;
  return End(request) ? wire::kAttachOk : wire::kAttachStays;
}

}  // namespace

void AdoptEarlierThreads() {
  struct stat status;  // `st_nlink` of the directory is two plus one for each thread
  if (!Allowed(kNeedAll) || RawSyscall(SYS_newfstatat, AT_FDCWD, AsArgument("/proc/self/task"),
                                       AsArgument(&status), 0) != 0)
    return;
  if (status.st_nlink > 3) AdoptAllThreads();
}

}  // namespace gprofx::agent

extern "C" __attribute__((visibility("default"))) void gprofx_agent_attach(
    gprofx::wire::AttachRequest* request) {
  using gprofx::agent::g_changing;
  request->served_by = gprofx::agent::RawSyscall(SYS_gettid);
  if (g_changing.exchange(true)) {
    request->result = gprofx::wire::kAttachRecorded;
    return;
  }
  request->result = gprofx::agent::Answer(request);
  g_changing.store(false);
}
