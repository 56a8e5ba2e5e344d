#include "samplers/cuda/launch_hooks.h"

#include <cuda.h>
#include <sched.h>

#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "samplers/cuda/heard_call.h"
#include "samplers/cuda/launch_functions.h"
#include "samplers/cuda/sharded_count.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr uint32_t kMostFunctions = 6;
constexpr uint64_t kEnoughLaunches = 20;  // of a window, to show that all come by way of ours
constexpr int kMostTries = 5;             // to find all pointers; some cannot be found

std::atomic<Hearing> g_hearing{Hearing::kNobody};
std::atomic<bool> g_placed{false};
std::atomic<uint64_t> g_bypassed{0}, g_passed{0};  // in this window; of the latter the first ones
// The driver's functions and ours; written before anybody has a pointer to one of ours.
std::atomic<uint64_t> g_real[kMostFunctions], g_ours[kMostFunctions];

ShardedCount g_inside;  // launches that ours hear

struct OfThread {
  uint32_t depth;
  bool heard;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local OfThread t_own{};

// A launch on its way through a function of ours.
class Passage {
 public:
  explicit Passage(const void* kernel);
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  bool TryToHear(const void* kernel, Hearing by);
  void EnterGate(const void* kernel);

  CallGate* gate_ = nullptr;
  bool heard_ = false;
};

template <uint32_t kFunction>
CUresult Plain(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
               CUstream stream, void** parameters, void** extra) {
  const auto real =
      reinterpret_cast<decltype(&cuLaunchKernel)>(g_real[kFunction].load(std::memory_order_relaxed));
  const Passage passage(kernel);
  return real(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
              parameters, extra);
}

template <uint32_t kFunction>
CUresult WithConfig(const CUlaunchConfig* config, CUfunction kernel, void** parameters,
                    void** extra) {
  const auto real = reinterpret_cast<decltype(&cuLaunchKernelEx)>(
      g_real[kFunction].load(std::memory_order_relaxed));
  const Passage passage(kernel);
  return real(config, kernel, parameters, extra);
}

template <uint32_t... kFunction>
uint64_t OursFor(const LaunchFunction& function, uint32_t index,
                 std::integer_sequence<uint32_t, kFunction...>) {
  static constexpr decltype(&Plain<0>) kPlain[] = {&Plain<kFunction>...};
  static constexpr decltype(&WithConfig<0>) kWithConfig[] = {&WithConfig<kFunction>...};
  return function.form == LaunchFunction::kPlain ? reinterpret_cast<uint64_t>(kPlain[index])
                                                 : reinterpret_cast<uint64_t>(kWithConfig[index]);
}

std::vector<Replacement> MakeReplacements() {
  std::vector<Replacement> out;
  out.reserve(kMostFunctions);  // what is stored below stays: nothing may be thrown between
  for (const LaunchFunction& function : FindLaunchFunctions()) {
    const auto index = static_cast<uint32_t>(out.size());
    if (index == kMostFunctions) break;
    const uint64_t ours =
        OursFor(function, index, std::make_integer_sequence<uint32_t, kMostFunctions>());
    g_ours[index].store(ours);
    g_real[index].store(function.address);
    out.push_back({function.address, ours});
  }
  return out;
}

// The driver's functions do not change while the process lives.
bool Place() {
  static auto* replacements = new std::vector<Replacement>;
  if (replacements->empty()) *replacements = MakeReplacements();
  ReplacePointers(*replacements);
  return !replacements->empty();
}

[[gnu::always_inline]] inline bool Passage::TryToHear(const void* kernel, Hearing by) {
  if (HearingNow() != by) return false;
  g_inside.Enter();
  // Whoever counts who is inside has changed it before.
  if (g_hearing.load() != by) [[unlikely]] {
    g_inside.Leave();
    return false;
  }
  t_own.heard = heard_ = true;
  HearBegin(wire::kCallLaunch, reinterpret_cast<uint64_t>(kernel), wire::kNoCorrelation);
  return true;
}

// Not in each of the functions that launch.
[[gnu::hot, gnu::noinline]] Passage::Passage(const void* kernel) {
  if (++t_own.depth != 1) return;
  if (!TryToHear(kernel, Hearing::kHooks) && HearingNow() != Hearing::kNobody) EnterGate(kernel);
}

[[gnu::noinline]] void Passage::EnterGate(const void* kernel) {
  gate_ = &TheShared().gate;
  gate_->Enter(true);
  // It may have changed while this thread waited at the gate.
  if (TryToHear(kernel, Hearing::kHooksBeside) || TryToHear(kernel, Hearing::kHooks) ||
      HearingNow() != Hearing::kNobody)
    return;
  gate_->Leave();
  gate_ = nullptr;
}

[[gnu::hot, gnu::noinline]] Passage::~Passage() {
  if (heard_) {
    HearEnd(wire::kCallLaunch);
    t_own.heard = false;
    g_inside.Leave();
  }
  --t_own.depth;
  if (gate_ != nullptr) gate_->Leave();
}

}  // namespace

void SetHearing(Hearing who) { g_hearing.store(who); }
Hearing HearingNow() { return g_hearing.load(std::memory_order_acquire); }
bool InHook() { return t_own.depth != 0; }
bool HeardByHook() { return t_own.heard; }

void CountBypass() {
  if (g_placed.load(std::memory_order_relaxed)) g_bypassed.fetch_add(1, std::memory_order_relaxed);
}

void CountPassage() {
  if (g_passed.load(std::memory_order_relaxed) < kEnoughLaunches)
    g_passed.fetch_add(1, std::memory_order_relaxed);
}

bool LetHeardEnd(std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + limit; g_inside.Sum() != 0 && Clock::now() < end;)
    sched_yield();
  return g_inside.Sum() == 0;
}

bool MayBeHooked(std::string_view name) {
  if (!name.starts_with("cuLaunchKernel")) return false;
  name.remove_prefix(std::string_view("cuLaunchKernel").size());
  return name.empty() || name == "Ex" || name == "_ptsz" || name == "Ex_ptsz";
}

void* InPlaceOf(void* function) {
  for (uint32_t i = 0; i < kMostFunctions; ++i) {
    if (g_real[i].load() == reinterpret_cast<uint64_t>(function) && function != nullptr)
      return reinterpret_cast<void*>(g_ours[i].load());
  }
  return function;
}

void LaunchHooks::EndWindow() try {
  const bool placed = g_placed.load();
  const uint64_t bypassed = g_bypassed.exchange(0), passed = g_passed.exchange(0);
  g_state.Count(wire::kGpuLaunchesBypassed, bypassed);
  if (bypassed != 0) ++tries_;
  if (placed && bypassed == 0 && !LibrariesChanged()) {
    trusted_ = (trusted_ || passed >= kEnoughLaunches) && tries_ <= kMostTries;
    shown_at_ = g_state.Now();
    return;
  }
  trusted_ = false;
  if (tries_ > kMostTries) return;
  libraries_ = LibraryChanges();
  g_placed.store(Place());
} catch (const std::exception&) {
  trusted_ = false;  // no memory
}

bool LaunchHooks::trusted() {
  const int64_t longest = std::chrono::nanoseconds(kLongest).count();
  trusted_ = trusted_ && g_state.Now() - shown_at_ < longest && !LibrariesChanged();
  return trusted_;
}

bool LaunchHooks::LibrariesChanged() const {
  const uint64_t changes = LibraryChanges();
  return changes != 0 && changes != libraries_;
}

}  // namespace gprofx::cuda
