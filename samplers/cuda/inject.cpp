// The entry of libgprofx-cuda.so: the CUDA driver loads the library named in CUDA_INJECTION64_PATH
// inside cuInit and calls InitializeInjection.
//
// Nothing here may fail the program: whatever goes wrong becomes a notice in the profile, and the
// program runs as without us. No exception leaves this library.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "samplers/cuda/activity.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/environment.h"
#include "samplers/cuda/gpu_claim.h"
#include "samplers/cuda/modules.h"
#include "samplers/cuda/service.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

// Activity times and CPU samples share one clock.
uint64_t Timestamp() { return static_cast<uint64_t>(g_state.Now() + g_state.control().start_ns); }

void AfterForkInChild() {
  if (!g_state.live.exchange(false)) return;
  g_state.forked.store(true);
  ForgetService();
  ForgetClaims();
}

// The library that the user had asked for before us.
void LoadChained() {
  const char* path = getenv("GPROFX_CUDA_CHAIN");
  if (path == nullptr || *path == 0) return;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto* start = handle == nullptr
                    ? nullptr
                    : reinterpret_cast<int (*)()>(dlsym(handle, "InitializeInjection"));
  if (start == nullptr || start() == 0) {
    Notice(wire::kNoticeChain,
           std::string("the injection library of CUDA_INJECTION64_PATH could not be started: ") +
               path);
  }
}

const wire::AgentEntry* FindAgent() {
  const auto ask =
      reinterpret_cast<wire::AgentEntryFunction>(dlsym(RTLD_DEFAULT, wire::kAgentEntryName));
  return ask == nullptr ? nullptr : ask(wire::kAgentEntryVersion);
}

// Clock and hash come before anything is enabled, but after the subscription: where another client
// has it, CUPTI is left as it was.
bool SetUp(std::string* problem) {
  if (g_cupti.ActivityRegisterTimestampCallback != nullptr)
    g_cupti.ActivityRegisterTimestampCallback(Timestamp);
  if (g_cupti.SetThreadIdType != nullptr)
    g_cupti.SetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (g_cupti.RegisterComputeCrcCallback != nullptr) g_cupti.RegisterComputeCrcCallback(ComputeCrc);
  TheShared();  // made where "no memory" is still an answer
  return EnableCallbacks(problem) && SetUpActivity(problem);
}

void TakeBack() {
  g_state.live.store(false);
  Unsubscribe();
  RemoveActivity();
}

void Start() {
  if (!g_state.Start(FindAgent())) return;
  LoadChained();
  if (g_state.control().gpu.mode == wire::kModeOff) return;
  std::string problem;
  if (!g_cupti.Load(&problem)) {
    Notice(wire::kNoticeNoCupti, "no GPU data: " + problem);
    return;
  }
  Fact("cupti", g_cupti.path);
  Fact("cupti_version", std::to_string(g_cupti.version));
  if (!Subscribe(&problem)) {
    Notice(wire::kNoticeOtherClient, problem);
    return;
  }
  // From here on whatever fails gives the subscription back.
  try {
    if (!SetUp(&problem)) {
      TakeBack();
      Notice(wire::kNoticeLost, problem);
      return;
    }
    g_state.live.store(true, std::memory_order_release);
    if (!StartService()) {
      TakeBack();
      Notice(wire::kNoticeLost,
             "no GPU data: the system gives this process no other thread; raise the limit of "
             "processes (ulimit -u, pids.max)");
      return;
    }
  } catch (const std::exception&) {
    TakeBack();
    throw;
  }
  pthread_atfork(HoldEnvironment, ReleaseEnvironment, AfterForkInChild);
  g_state.header->active.store(1);
  std::atexit(FinishService);
}

}  // namespace
}  // namespace gprofx::cuda

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static bool started = false;  // the driver calls from within its own once-guard
  if (started) return 1;
  started = true;
  try {
    gprofx::cuda::Start();
  } catch (const std::exception&) {
    // No memory: the program goes on without GPU data.
  }
  return 1;
}
