// Enters a running program through its Python interpreter (samplers/attach/safe_point.h), which
// imports the agent as an extension module.
//
// The module's init function runs on a thread of the program that holds the GIL. It creates a
// thread that does the work (late.h), writes where that thread waits for the recorder, and raises
// an ImportError. The interpreter then keeps no module, and calls the function again at the next
// import. Functions of CPython are looked up by name, because the agent is loaded into arbitrary
// programs. Source: PEP 768, PEP 489.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include <new>

#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/wire/attach.h"

extern "C" void gprofx_agent_attach(gprofx::wire::AttachRequest* request);

namespace gprofx::agent {
namespace {

using wire::AttachRequest;

// Waits until the recorder has written `go` or a later step. Returns false after ten seconds; the
// recorder has then probably ended.
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

// Returns the function `name` of libc or CPython, or null if there is none. A direct reference
// would bind to the symbol version of the libc that the agent was built with, which an older libc
// lacks.
template <class T>
T Find(const char* name) {
  return reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
}

// Returns CPython's function PyErr_SetRaisedException, which takes ownership of the exception.
// Returns null if this version has none.
void (*FindRaise())(void* exception) { return Find<void (*)(void*)>("PyErr_SetRaisedException"); }

// The functions of CPython and libpthread that this file calls. All are looked up before any work
// begins.
struct Functions {
  int (*detach)(pthread_t) = Find<int (*)(pthread_t)>("pthread_detach");
  void (*set_error)(void* exception,
                    const char* text) = Find<void (*)(void*, const char*)>("PyErr_SetString");
  void** error = Find<void**>("PyExc_ImportError");
  void* (*globals)() = Find<void* (*)()>("PyEval_GetGlobals");
  void* (*get)(void* dict,
               const char* key) = Find<void* (*)(void*, const char*)>("PyDict_GetItemString");
  char* (*text)(void* bytes) = Find<char* (*)(void*)>("PyBytes_AsString");
  void* none = Find<void*>("_Py_NoneStruct");
  void (*keep)(void*) = Find<void (*)(void*)>("Py_IncRef");
  int (*call_later)(int (*)(void*),
                    void*) = Find<int (*)(int (*)(void*), void*)>("Py_AddPendingCall");

  bool all() const {
    return detach != nullptr && set_error != nullptr && error != nullptr && globals != nullptr &&
           get != nullptr && text != nullptr && none != nullptr && keep != nullptr &&
           call_later != nullptr && FindRaise() != nullptr;
  }
};

// Raises the exception in the program. The interpreter calls this function when the program's main
// thread next runs pending calls.
int RaiseInProgram(void* exception) {
  FindRaise()(exception);
  return -1;
}

bool Append(const char* path, const char* text, int length) {
  const long file = RawSyscall(SYS_openat, AT_FDCWD, AsArgument(path),
                               O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool wrote = RawSyscall(SYS_write, file, AsArgument(text), length) == length;
  RawSyscall(SYS_close, file);
  return wrote;
}

// Writes the address of the request to a file, which the recorder reads. Two variables of the
// recorder's script give the name of the file and any exception that a handler of the program
// raised in the script. Returns false on failure.
bool Answer(const AttachRequest* request, const Functions& functions) {
  void* variables = functions.globals();
  if (variables == nullptr) return false;
  void* file = functions.get(variables, wire::kAttachAnswerFile);
  void* met = functions.get(variables, wire::kAttachMet);
  const char* path = file == nullptr ? nullptr : functions.text(file);
  char said[96], line[128];
  snprintf(said, sizeof said, wire::kAttachAnswer, reinterpret_cast<unsigned long>(request),
           wire::kAttachVersion);
  const int length = snprintf(line, sizeof line, "%ld %s\n", RawSyscall(SYS_getpid), said);
  if (met != nullptr && met != functions.none) {
    functions.keep(met);
    functions.call_later(RaiseInProgram, met);
  }
  return path != nullptr && Append(path, line, length);
}

// Starts the thread that serves the request, with all signals blocked: a thread that the program
// did not create must not handle its signals. Returns true if the thread was created.
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
  // If the answer could not be written, the recorder never writes `go`, and the thread ends.
  agent::Answer(request, functions);
  functions.set_error(*functions.error, "the agent of gprof-x is no module");
  return nullptr;
}
