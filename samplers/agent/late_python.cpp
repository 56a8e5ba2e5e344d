// An interpreter lets the agent in (samplers/attach/safe_point.h): it loads us as a compiled module.
//
// Runs on a thread of the program that holds the interpreter, so it makes a thread that does the work
// (late.h) and returns. It refuses to be a module: nothing is kept in the interpreter, which calls us
// again the next time. Functions of CPython are looked up, as the agent lives in any program.
// Source: PEP 768, PEP 489.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <new>

#include "samplers/agent/raw_syscall.h"
#include "samplers/wire/attach.h"

extern "C" void gprofx_agent_attach(gprofx::wire::AttachRequest* request);

namespace gprofx::agent {
namespace {

using wire::AttachRequest;

// Without a word for ten seconds the recorder is gone.
bool WaitForGo(const AttachRequest& request, wire::AttachGo go) {
  constexpr long kLookEachNs = 200'000;
  constexpr int kLooks = 50'000;
  for (int i = 0; i < kLooks; ++i) {
    if (request.go.load() >= go) return true;
    const timespec pause{0, kLookEachNs};
    nanosleep(&pause, nullptr);
  }
  return false;
}

void* Serve(void* argument) {
  auto* request = static_cast<AttachRequest*>(argument);
  if (WaitForGo(*request, wire::kGoReleased)) {
    gprofx_agent_attach(request);
    request->state.store(wire::kAttachDone);
    WaitForGo(*request, wire::kGoLeave);
  }
  munmap(request, sizeof *request);
  return nullptr;
}

// By name: the version that this libc has of them would be one that older ones have not.
template <class T>
T Find(const char* name) {
  return reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
}

// All that is called, found before anything is begun.
struct Functions {
  int (*detach)(pthread_t) = Find<int (*)(pthread_t)>("pthread_detach");
  void* (*raise)(void* exception, const char* format, ...) =
      Find<void* (*)(void*, const char*, ...)>("PyErr_Format");
  void** error = Find<void**>("PyExc_ImportError");

  bool all() const { return detach != nullptr && raise != nullptr && error != nullptr; }
};

// None of the program's signals may be handled by a thread that it did not make.
bool StartServing(AttachRequest* request, const Functions& functions) {
  const uint64_t all = ~uint64_t{0};
  uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, AsArgument(&all), AsArgument(&before), sizeof all);
  pthread_t thread;
  const bool made = pthread_create(&thread, nullptr, Serve, request) == 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, AsArgument(&before), 0, sizeof before);
  if (made) functions.detach(thread);
  return made;
}

}  // namespace
}  // namespace gprofx::agent

extern "C" __attribute__((visibility("default"))) void* PyInit_gprofx_agent() {
  using namespace gprofx;
  const agent::Functions functions;
  if (!functions.all()) return nullptr;
  void* room = mmap(nullptr, sizeof(wire::AttachRequest), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* request = new (room) wire::AttachRequest{};
  if (!agent::StartServing(request, functions)) {
    munmap(room, sizeof *request);
    return nullptr;
  }
  functions.raise(*functions.error, wire::kAttachAnswer, reinterpret_cast<unsigned long>(request),
                  wire::kAttachVersion);
  return nullptr;
}
