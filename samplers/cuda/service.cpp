#include "samplers/cuda/service.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "samplers/cuda/activity.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRound{25};
constexpr int kDrainEvery = 2;  // rounds
constexpr int kFlushEvery = 8;
constexpr milliseconds kFinishWithin{4000};
// Launches go on for ten seconds, but no record comes. A long kernel holds back the records of what
// waits behind it; but the driver's queues hold a few thousand launches, then they block.
constexpr int kSilentRounds = 400;
constexpr uint64_t kSilentLaunches = 20'000;

// Never destroyed: the thread may outlive our static destructors when an exit was cut short.
struct Service {
  std::mutex lock;
  std::condition_variable wake;
  bool stop = false;
  std::thread thread;
  std::mutex work;  // held by whoever translates and drains
};
Service* g_service = nullptr;

struct Silence {                       // since the latest record
  uint64_t launches = 0, records = 0;  // as counted then
  int rounds = 0;
};

uint64_t Load(wire::GpuCounter counter) {
  return g_state.header->counters[counter].load(std::memory_order_relaxed);
}

void WatchForSilence(Silence* silence) {
  const uint64_t launches = Load(wire::kGpuLaunches), records = Load(wire::kGpuRecords);
  if (records != silence->records) *silence = {launches, records, 0};
  if (++silence->rounds < kSilentRounds || launches - silence->launches < kSilentLaunches) return;
  const int64_t seconds = g_state.Now() / 1'000'000'000;
  Notice(wire::kNoticeLost, "GPU data is missing from second " + std::to_string(seconds) +
                                " on: CUPTI stopped delivering (does the program use CUPTI "
                                "itself, for example by torch.profiler?)");
}

// What it throws is "no memory": the next round may have some, and the program must not end by us.
void Round(int number, Silence* silence) try {
  Shared& shared = TheShared();
  if (shared.cupti_ended.load()) return;
  if (number % kFlushEvery == 0) g_cupti.ActivityFlushAll(0);
  TranslateCompleted(shared.names);
  if (number % kDrainEvery == 0) shared.pc.Drain(shared.names);
  if (shared.out_of_memory.exchange(false)) shared.pc.ReleaseMemory(shared.names);
  WatchForSilence(silence);
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);
}

void Run(Service* service) {
  pthread_setname_np(pthread_self(), "gprofx-gpu");
  Silence silence;
  for (int number = 1;; ++number) {
    {
      std::unique_lock<std::mutex> guard(service->lock);
      if (service->wake.wait_for(guard, kRound, [service] { return service->stop; })) return;
    }
    const std::lock_guard<std::mutex> guard(service->work);
    Round(number, &silence);
  }
}

void Finish(Service* service) try {
  const std::lock_guard<std::mutex> guard(service->work);
  Shared& shared = TheShared();
  if (shared.cupti_ended.load()) return;
  shared.pc.StopAll(shared.names);
  g_cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  TranslateCompleted(shared.names);
  g_state.header->ended.store(1);
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);
}

}  // namespace

void StartService() {
  g_service = new Service;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  g_service->thread = std::thread(Run, g_service);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void FinishService() {
  Service* service = g_service;
  if (service == nullptr || !g_state.live.load()) return;
  g_service = nullptr;
  {
    const std::lock_guard<std::mutex> guard(service->lock);
    service->stop = true;
  }
  service->wake.notify_all();
  // CUPTI's last flush has been seen to hang: the program's exit must not.
  auto* done = new std::promise<void>;
  std::future<void> finished = done->get_future();
  std::thread([service, done] {
    Finish(service);
    done->set_value();
  }).detach();
  const bool in_time = finished.wait_for(kFinishWithin) == std::future_status::ready;
  g_state.live.store(false);
  if (in_time) {
    service->thread.join();
  } else {
    service->thread.detach();
  }
}

void ForgetService() { g_service = nullptr; }

}  // namespace gprofx::cuda
