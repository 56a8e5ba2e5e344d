// Entry points of libgprofx-cuda.so. Inside cuInit, the CUDA driver loads the library that
// CUDA_INJECTION64_PATH names, and calls InitializeInjection.
//
// Nothing here may make the program fail. Any error becomes a notice in the profile, and the
// program runs as if it were not recorded. No exception leaves this library.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "samplers/cuda/cupti/activity.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/cupti_session.h"
#include "samplers/cuda/cupti/resources.h"
#include "samplers/cuda/devices.h"
#include "samplers/cuda/fork_pause.h"
#include "samplers/cuda/gpu_claim.h"
#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/modules.h"
#include "samplers/cuda/service.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

void AfterForkInChild() {
  ForgetService();
  if (!g_state.live.exchange(false)) return;
  g_state.forked.store(true);
  SetHearing(Hearing::kNobody);
  ForgetClaims();
}

// Loads the injection library that the user had set in the environment, which ours replaced there.
void LoadChained() {
  const char* path = getenv("GPROFX_CUDA_CHAIN");
  if (path == nullptr || *path == 0) return;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto* start = handle == nullptr
                    ? nullptr
                    : reinterpret_cast<int (*)()>(dlsym(handle, "InitializeInjection"));
  if (start == nullptr || start() == 0) {
    Notice(wire::kNoticeChain,
           std::string("cannot load the library that CUDA_INJECTION64_PATH names: ") + path);
  }
}

const wire::AgentEntry* FindAgent() {
  const auto ask =
      reinterpret_cast<wire::AgentEntryFunction>(dlsym(RTLD_DEFAULT, wire::kAgentEntryName));
  return ask == nullptr ? nullptr : ask(wire::kAgentEntryVersion);
}

void TakeBack() {
  g_state.live.store(false);
  SetHearing(Hearing::kNobody);
  RemoveActivity();
  FreeCupti(false);
}

void Start(const wire::AgentEntry* agent, bool late) {
  if (!g_state.Start(agent)) return;
  SetCuptiRefused(false);
  if (!late) LoadChained();
  if (g_state.facts().gpu.mode == wire::kModeOff || g_state.over()) return;
  std::string problem;
  static bool loaded = false;  // true if an earlier recording has loaded it
  if (!loaded && !g_cupti.Load(&problem)) {
    Notice(wire::kNoticeNoCupti, "no GPU data: " + problem);
    return;
  }
  loaded = true;
  Fact("cupti", g_cupti.path);
  Fact("cupti_version", std::to_string(g_cupti.version));
  TheShared();  // creates it here, where lack of memory is still handled
  wire::GpuNotice refusal = wire::kNoticeLost;
  if (!JoinCupti(true, &problem, &refusal)) {
    Notice(refusal, problem);
    return;
  }
  // From here on CUPTI must be released if a step fails.
  try {
    if (const CUptiResult result = EnableRecords(); result != CUPTI_SUCCESS) {
      TakeBack();
      Notice(wire::kNoticeLost, std::string("no GPU data: CUPTI does not trace this program: ") +
                                    g_cupti.Text(result));
      return;
    }
    g_state.live.store(true, std::memory_order_release);
    if (late) TakePresentContexts();
    if (!StartService()) {
      TakeBack();
      Notice(wire::kNoticeLost,
             "no GPU data: cannot create a thread; raise the limit of processes (ulimit -u, "
             "pids.max)");
      return;
    }
  } catch (const std::exception&) {
    TakeBack();
    throw;
  }
  g_state.header->active.store(1);
  static bool known = false;  // true if the handlers are registered with the C library
  if (known) return;
  known = true;
  pthread_atfork(HoldForFork, ReleaseAfterFork, AfterForkInChild);
  std::atexit(FinishService);
}

}  // namespace
}  // namespace gprofx::cuda

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static bool started = false;  // the driver calls this on one thread, while it initializes itself
  if (started) return 1;
  started = true;
  try {
    gprofx::cuda::Start(gprofx::cuda::FindAgent(), false);
  } catch (const std::exception&) {
    // Out of memory: the program continues without GPU data.
  }
  return 1;
}

// The agent calls this in a running program that has initialised CUDA. Starts the GPU part of a
// recording. One thread at a time.
extern "C" __attribute__((visibility("default"))) void gprofx_cuda_enter(
    const gprofx::wire::AgentEntry* agent) {
  using namespace gprofx::cuda;
  // End the service of an earlier recording first, which may be about to end by itself.
  if (g_state.live.load() || !EndService()) return;
  try {
    ForgetShared();
    ForgetModules();
    ForgetDevices();
    Start(agent, true);
  } catch (const std::exception&) {
    // Out of memory: the program continues without GPU data.
  }
}

// The agent calls this when the recording has ended. Takes CUPTI out of the program. Returns 0 if a
// part of it stays on.
extern "C" __attribute__((visibility("default"))) int gprofx_cuda_leave() {
  using namespace gprofx::cuda;
  if (!EndService()) return 0;
  // If the recording is over but the agent stays in the process, our thread (service.h) has already
  // released CUPTI, and `live` is false.
  return g_state.live.load() ? LeaveCupti() : LetHeardEnd(std::chrono::seconds(1));
}
