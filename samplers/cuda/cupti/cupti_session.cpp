#include "samplers/cuda/cupti/cupti_session.h"

#include <time.h>

#include "samplers/cuda/cupti/activity.h"
#include "samplers/cuda/cupti/callbacks.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/modules.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

bool g_joined = false;
// True once our clock is registered. It must not be registered again: CUPTI's next records would
// then have times of another clock.
bool g_clock_is_known = false;

// CUPTI takes the times of its records from this function. They then have the same clock as CPU
// samples. CUPTI may also call it between two recordings.
uint64_t Timestamp() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Registers our clock and hash function before anything is enabled. Called only after Subscribe has
// succeeded. If another client has the subscription, CUPTI thus stays unchanged.
bool SetUp(bool calls, std::string* problem) {
  if (g_cupti.ActivityRegisterTimestampCallback != nullptr && !g_clock_is_known)
    g_cupti.ActivityRegisterTimestampCallback(Timestamp);
  g_clock_is_known = true;
  if (g_cupti.SetThreadIdType != nullptr)
    g_cupti.SetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (g_cupti.RegisterComputeCrcCallback != nullptr) g_cupti.RegisterComputeCrcCallback(ComputeCrc);
  return SetUpActivity(problem) && EnableCallbacks(calls, problem);
}

}  // namespace

bool JoinCupti(bool calls, std::string* problem, wire::GpuNotice* refusal) {
  *refusal = wire::kNoticeOtherClient;
  if (!Subscribe(problem)) return false;
  g_joined = true;
  *refusal = wire::kNoticeLost;
  if (SetUp(calls, problem)) return true;
  FreeCupti(false);
  return false;
}

bool CuptiIsJoined() { return g_joined; }

void FreeCupti(bool is_quiet) {
  Unsubscribe();
  g_joined = false;
  if (!is_quiet || !g_cupti.CanLeave() || g_cupti.Finalize() != CUPTI_SUCCESS) return;
  g_clock_is_known = false;
  TakeBackBuffers();
  g_state.Renumber();
}

}  // namespace gprofx::cuda
