#include "samplers/cuda/driver_hooks.h"

#include <cuda.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "samplers/cuda/call_names.h"
#include "samplers/cuda/devices.h"
#include "samplers/cuda/driver_functions.h"
#include "samplers/cuda/heard_call.h"
#include "samplers/cuda/sharded_count.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr uint32_t kMaxFunctions = 400;
constexpr uint64_t kEnoughLaunches = 20;  // of a window, to show that all come by way of ours
constexpr int kMostTries = 5;             // to find all pointers; some cannot be found
constexpr int64_t kWaitForCupti = 200'000'000;

std::atomic<Hearing> g_hearing{Hearing::kNobody};
std::atomic<bool> g_placed{false};
std::atomic<uint64_t> g_bypassed{0}, g_passed{0};  // in this window; of the latter the first ones
std::atomic<uint32_t> g_captures_wait{0};          // for CUPTI
std::atomic<bool> g_refused{false};                // CUPTI will not come
// The driver's functions and ours; written before anybody has a pointer to one of ours.
FollowedCall g_followed[kMaxFunctions];
std::atomic<uint64_t> g_real[kMaxFunctions], g_ours[kMaxFunctions];

ShardedCount g_inside;  // calls that ours hear

struct OfThread {
  uint32_t depth;
  bool heard;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local OfThread t_own{};

// A call on its way through a function of ours.
class Passage {
 public:
  explicit Passage(const ToldCall& told);
  // Also of a thread that is cancelled in the call.
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  void Returned(uint32_t result) { result_ = result; }

 private:
  bool IsFor(Hearing who) const;
  bool TryToHear();
  void EnterGate();

  const ToldCall& told_;
  CallGate* gate_ = nullptr;
  bool heard_ = false;
  uint32_t result_ = CUDA_ERROR_UNKNOWN;
};

void HandOut(const uint64_t* parameters, uint32_t result) {
  auto* function = reinterpret_cast<void**>(parameters[1]);
  if (result == CUDA_SUCCESS && function != nullptr) *function = InPlaceOf(*function);
}

// Who begins to record a graph while CUPTI is away would have nodes of which nothing is known.
[[gnu::noinline, gnu::cold]] void WaitForCupti() {
  const auto is_away = [] { return !g_refused.load() && HearingNow() == Hearing::kHooks; };
  g_captures_wait.fetch_add(1);
  for (const int64_t end = g_state.Now() + kWaitForCupti; is_away() && g_state.Now() < end;) {
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
  g_captures_wait.fetch_sub(1);
}

// In place of any function of the driver that we follow. They take integers and pointers only, twelve at
// most; what lies behind fewer is passed on unseen. Each has its own, so that the parameters of the call
// are all that it needs.
template <uint32_t kFunction>
uint64_t Ours(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
              uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l) {
  using Real = decltype(&Ours<kFunction>);
  const auto real = reinterpret_cast<Real>(g_real[kFunction].load(std::memory_order_relaxed));
  const FollowedCall& what = g_followed[kFunction];
  const uint64_t parameters[] = {a, b, c, d};
  if (!what.is_heard()) [[unlikely]] {
    if (what.captures) WaitForCupti();
    const uint64_t result = real(a, b, c, d, e, f, g, h, i, j, k, l);
    if (what.hands_out) HandOut(parameters, static_cast<uint32_t>(result));
    return result;
  }
  const ToldCall told{what, parameters, 0};
  Passage passage(told);
  const uint64_t result = real(a, b, c, d, e, f, g, h, i, j, k, l);
  passage.Returned(static_cast<uint32_t>(result));
  return result;
}

template <uint32_t... kFunction>
uint64_t AddressOfOurs(uint32_t index, std::integer_sequence<uint32_t, kFunction...>) {
  static constexpr decltype(&Ours<0>) kOurs[] = {&Ours<kFunction>...};
  return reinterpret_cast<uint64_t>(kOurs[index]);
}

std::vector<Replacement> MakeReplacements() {
  const std::vector<DriverFunction> functions = FindDriverFunctions();
  std::vector<Replacement> out;
  out.reserve(functions.size());  // what is stored below stays: nothing may be thrown between
  CurrentDevice();                // looks for its function
  for (const DriverFunction& function : functions) {
    const auto index = static_cast<uint32_t>(out.size());
    if (index == kMaxFunctions) break;
    const uint64_t ours =
        AddressOfOurs(index, std::make_integer_sequence<uint32_t, kMaxFunctions>());
    g_followed[index] = function.what;
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

// While CUPTI still tells, only in the gate: it must not cease to in the middle of the call.
[[gnu::always_inline]] inline bool Passage::IsFor(Hearing who) const {
  return who == Hearing::kHooks || (who == Hearing::kHooksOfMemory && told_.what.is_memory()) ||
         (who == Hearing::kHooksBeside && gate_ != nullptr);
}

[[gnu::always_inline]] inline bool Passage::TryToHear() {
  g_inside.Enter();
  // Whoever counts who is inside has changed it before.
  const Hearing now = g_hearing.load();
  if (!IsFor(now)) [[unlikely]] {
    g_inside.Leave();
    return false;
  }
  t_own.heard = heard_ = true;
  HearBegin(told_, wire::kNoCorrelation, now != Hearing::kHooksOfMemory);
  return true;
}

// Not in each of the functions that are followed.
[[gnu::hot, gnu::noinline]] Passage::Passage(const ToldCall& told) : told_(told) {
  if (++t_own.depth != 1) return;
  const Hearing now = HearingNow();
  if (now == Hearing::kNobody || (IsFor(now) && TryToHear())) return;
  if (now != Hearing::kHooksOfMemory || IsFor(now)) EnterGate();
}

[[gnu::noinline]] void Passage::EnterGate() {
  gate_ = &TheShared().gate;
  gate_->Enter(true);
  // It may have changed while this thread waited at the gate.
  if ((IsFor(HearingNow()) && TryToHear()) || HearingNow() == Hearing::kCupti) return;
  gate_->Leave();
  gate_ = nullptr;
}

[[gnu::hot, gnu::noinline]] Passage::~Passage() {
  if (heard_) {
    HearEnd(told_, result_);
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

bool CuptiIsWanted() { return g_captures_wait.load() != 0; }
void SetCuptiRefused(bool refused) { g_refused.store(refused); }

void* InPlaceOf(void* function) {
  for (uint32_t i = 0; i < kMaxFunctions; ++i) {
    if (g_real[i].load() == reinterpret_cast<uint64_t>(function) && function != nullptr)
      return reinterpret_cast<void*>(g_ours[i].load());
  }
  return function;
}

void DriverHooks::EndWindow() try {
  const bool placed = g_placed.load();
  const uint64_t bypassed = g_bypassed.exchange(0), passed = g_passed.exchange(0);
  g_state.Count(wire::kGpuLaunchesBypassed, bypassed);
  if (bypassed != 0) ++tries_;
  if (placed && bypassed == 0 && !LibrariesChanged()) {
    trusted_ = (trusted_ || passed >= kEnoughLaunches) && tries_ <= kMostTries;
    shown_at_ = worked_;
    return;
  }
  trusted_ = false;
  if (tries_ > kMostTries) return;
  libraries_ = LibraryChanges();
  g_placed.store(Place());
} catch (const std::exception&) {
  trusted_ = false;  // no memory
}

bool DriverHooks::trusted() {
  const int64_t longest = std::chrono::nanoseconds(kLongest).count();
  trusted_ = trusted_ && worked_ - shown_at_ < longest && !LibrariesChanged();
  return trusted_;
}

bool DriverHooks::LibrariesChanged() const {
  const uint64_t changes = LibraryChanges();
  return changes != 0 && changes != libraries_;
}

}  // namespace gprofx::cuda
