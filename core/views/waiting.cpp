#include "core/views/waiting.h"

#include <algorithm>
#include <iterator>

#include "core/base/path.h"
#include "core/model/address_name.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// Names of functions that wait. Sorted, without leading underscores.
constexpr std::string_view kWaits[] = {
    "accept",
    "accept4",
    "clock_nanosleep",
    "clock_nanosleep_time64",
    "cnd_timedwait",
    "cnd_wait",
    "do_futex_wait",
    "epoll_pwait",
    "epoll_wait",
    "flock",
    "futex",
    "nanosleep",
    "new_sem_wait",
    "new_sem_wait_slow",
    "new_sem_wait_slow64",
    "pause",
    "poll",
    "ppoll",
    "pselect",
    "pselect64",
    "pthread_clockjoin_ex",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_cond_wait_common",
    "pthread_join",
    "pthread_mutex_cond_lock",
    "pthread_spin_lock",
    "sched_yield",
    "select",
    "select64",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "thrd_yield",
    "usleep",
};

constexpr std::string_view kWaitsStart[] = {"futex_abstimed_wait", "futex_wait", "lll_lock_wait",
                                            "pthread_barrier_wait"};

constexpr std::string_view kSpinsStart[] = {
    "blas_thread_server", "gomp_barrier_wait",  "gomp_team_barrier_wait", "gomp_simple_barrier",
    "gomp_thread_start",  "gomp_sem_wait",      "gomp_mutex_lock_slow",   "kmp_wait_",
    "kmp_flag_",          "kmp_hyper_barrier",  "kmp_tree_barrier",       "kmp_linear_barrier",
    "kmp_fork_barrier",   "kmp_join_barrier",   "kmp_launch_worker",      "kmp_suspend_",
    "kmp_yield",          "kmp_hardware_pause", "kmp_dist_barrier",       "kmp_barrier",
};

bool StartsWithAny(std::string_view name, const auto& starts) {
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

Wait WaitOf(std::string_view function) {
  std::string_view name = function.substr(0, function.find_first_of(".@<("));
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  for (const std::string_view start : {"GI_", "libc_"}) {
    if (name.starts_with(start)) name.remove_prefix(start.size());
  }
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  if (std::binary_search(std::begin(kWaits), std::end(kWaits), name)) return Wait::kWaits;
  if (StartsWithAny(name, kWaitsStart)) return Wait::kWaits;
  return StartsWithAny(name, kSpinsStart) ? Wait::kSpins : Wait::kNone;
}

Wait WaitOf(const Profile& profile, const Frame& frame) {
  if (frame.kind == FrameKind::kIdle) return Wait::kWaits;
  if (frame.kind != FrameKind::kNative && frame.kind != FrameKind::kInlined) return Wait::kNone;
  const std::string_view name =
      frame.function ? profile.Text(profile.function(frame.function).name) : "";
  if (!name.empty() && !IsAddressName(name)) return WaitOf(name);
  const bool openmp =
      frame.module &&
      BaseName(profile.Text(profile.module(frame.module).path)).starts_with("libgomp");
  return openmp ? Wait::kSpins : Wait::kNone;
}

}  // namespace gprofx
