#include "samplers/cuda/fork_pause.h"

#include <unistd.h>

#include <atomic>

namespace gprofx::cuda {
namespace {

std::atomic<bool> g_busy{false};
std::atomic<int> g_forks{0};  // number of forks in progress

}  // namespace

ForkPause::ForkPause() {
  g_busy.store(true);
  if (g_forks.load() != 0) g_busy.store(false);
  may_ = g_busy.load();
}

ForkPause::~ForkPause() { g_busy.store(false); }

void HoldForFork() {
  g_forks.fetch_add(1);
  for (int i = 0; i < 200 && g_busy.load(); ++i) usleep(100);
}

void ReleaseAfterFork() { g_forks.fetch_sub(1); }

}  // namespace gprofx::cuda
