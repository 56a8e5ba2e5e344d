#include "samplers/cuda/hooks/driver_hooks.h"

#include <cuda.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/devices.h"
#include "samplers/cuda/hooks/asymmetric_fence.h"
#include "samplers/cuda/hooks/call_names.h"
#include "samplers/cuda/hooks/driver_functions.h"
#include "samplers/cuda/hooks/heard_call.h"
#include "samplers/cuda/hooks/sharded_count.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr uint32_t kMaxFunctions = 400;
// Number of launches between two checks that is enough to show that no call bypasses us.
constexpr uint64_t kEnoughLaunches = 20;
constexpr int kMaxTries = 5;  // attempts to find all pointers, because some cannot be found
constexpr int64_t kWaitForCupti = 200'000'000;
// One launch in so many is timed; not a power of two, which may be a loop's period.
constexpr uint32_t kTimedLaunches = 13;

std::atomic<Hearing> g_hearing{Hearing::kNobody};
std::atomic<bool> g_placed{false};
std::atomic<uint64_t> g_bypassed{0},
    g_passed{0};  // both count since the last check; g_passed stops at kEnoughLaunches
std::atomic<uint32_t> g_captures_wait{0};  // threads that wait for CUPTI to come back
std::atomic<bool> g_refused{false};        // CUPTI cannot come back
// The driver's functions and our hooks for them. They are written before any library has a pointer
// to a hook.
FollowedCall g_followed[kMaxFunctions];
std::atomic<uint64_t> g_real[kMaxFunctions], g_ours[kMaxFunctions];

ShardedCount g_launching,
    g_others;  // calls in progress that hooks hear: those that put work on a GPU, and others

struct OfThread {
  uint32_t depth;
  uint32_t launches;
  bool heard;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local OfThread t_own{};

// Represents a call that passes through a hook, from its begin to its end.
class Passage {
 public:
  explicit Passage(const ToldCall& told);
  // The destructor also runs if the thread is cancelled in the call.
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  void Returned(uint32_t result) { result_ = result; }
  // True if the call is counted as heard or is in the gate. As long as that is so, the recording
  // cannot end, and the memory that it mapped may be read.
  bool is_attended() const { return heard_ || gate_ != nullptr; }

 private:
  bool IsFor(Hearing who) const;
  bool TryToHear();
  void EnterGate();
  void CountIfForked() const;

  const ToldCall& told_;
  CallGate* gate_ = nullptr;
  bool heard_ = false;
  uint32_t result_ = CUDA_ERROR_UNKNOWN;
};

void HandOut(const uint64_t* parameters, uint32_t result) {
  auto* function = reinterpret_cast<void**>(parameters[1]);
  if (result == CUDA_SUCCESS && function != nullptr) *function = InPlaceOf(*function);
}

// True if CUPTI has left the process or is about to leave.
bool CuptiIsAway() { return HooksHear() || HearingNow() == Hearing::kHooksBeside; }

struct Waiting {
  Waiting() { g_captures_wait.fetch_add(1); }
  ~Waiting() { g_captures_wait.fetch_sub(1); }
};

// Waits until CUPTI has come back, but at most kWaitForCupti. Graph nodes that are made while CUPTI
// is away would remain unknown. Does not use nanosleep(), which is a cancellation point.
[[gnu::noinline, gnu::cold]] void WaitForCupti() {
  KeepCupti();
  const Waiting waiting;
  for (const int64_t end = g_state.Now() + kWaitForCupti;
       CuptiIsAway() && !g_refused.load() && g_state.Now() < end;) {
    const timespec pause{0, 500'000};
    syscall(SYS_nanosleep, &pause, nullptr);
  }
}

// The parameters of any followed driver function. There are at most twelve, and all are integers or
// pointers.
using Words = uint64_t[12];

uint64_t CallDriver(uint32_t function, const Words& w) {
  using Real = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
  const auto real = reinterpret_cast<Real>(g_real[function].load(std::memory_order_relaxed));
  return real(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
}

// Passes a call on to the driver without hearing it. If the call makes graph nodes or contexts, it
// enters the gate first, which keeps CUPTI in the process until it ends.
[[gnu::noinline, gnu::cold]] uint64_t PassUnheard(uint32_t function, const Words& words) {
  const FollowedCall& what = g_followed[function];
  CallGate* gate = what.needs_cupti && g_state.live.load() ? &TheShared().gate : nullptr;
  if (gate != nullptr) gate->Enter(true);
  const uint64_t result = CallDriver(function, words);
  if (gate != nullptr) gate->Leave();
  if (what.hands_out) HandOut(words, static_cast<uint32_t>(result));
  return result;
}

// Returns the kind under which a launch that begins now is timed. Returns kKinds if such a launch
// is not timed, for example during a transition.
CallTimes::Kind KindNow() {
  if (HearingNow() == Hearing::kHooks) return CallTimes::kHooked;
  if (HearingNow() != Hearing::kCupti) return CallTimes::kKinds;
  const uint32_t level = g_state.header->level.load(std::memory_order_relaxed);
  return level == wire::kLevelRecords    ? CallTimes::kRecorded
         : level == wire::kLevelLaunches ? CallTimes::kJoined
                                         : CallTimes::kKinds;
}

// Represents a launch that passes through a hook while hooks hear (record) all calls.
class LaunchPassage {
 public:
  LaunchPassage() {
    g_launching.Enter();
    t_own.depth = 1;
    t_own.heard = true;
  }
  // The destructor also runs if the thread is cancelled in the call.
  ~LaunchPassage() {
    t_own.depth = 0;
    t_own.heard = false;
    g_launching.Leave();
  }
  LaunchPassage(const LaunchPassage&) = delete;
  LaunchPassage& operator=(const LaunchPassage&) = delete;
  static bool IsOpen() { return t_own.depth == 0 && HearingNow() == Hearing::kHooks; }
  // True if the hook hears this launch. The state is read after this launch was counted. A thread
  // that waits until the count is 0 changes the state first. Therefore either it sees this launch
  // in the count, or this launch sees the new state.
  bool is_heard() const { return g_hearing.load() == Hearing::kHooks; }
};

// Times in ns: before the hook, before the driver's call, after that call, and after the hook.
struct Times {
  int64_t begin = g_state.Now(), called = 0, returned = 0, end = 0;
  int64_t counted = 0;  // time spent on counting
};

// If hooks hear all calls now, passes a launch on to the driver and returns true. Otherwise returns
// false without calling the driver.
template <class Call>
[[gnu::always_inline]] inline bool PassLaunch(uint32_t function, const Words& words, Call call) {
  const LaunchPassage passage;
  if (!passage.is_heard()) [[unlikely]]
    return false;
  const ToldCall told{g_followed[function], words, 0};
  wire::BegunCall launch{};
  HearLaunch(told, &launch);
  call();
  HearLaunchEnd(told, launch);
  return true;
}

uint64_t CallTimed(uint32_t function, const Words& words, Times* times) {
  times->called = g_state.Now();
  const uint64_t result = CallDriver(function, words);
  times->returned = g_state.Now();
  return result;
}

// Passes a call on and sets *times to readings of the clock. Returns the kind of the call, or
// kKinds if the kind changed during the call.
[[gnu::noinline]] CallTimes::Kind PassWatched(uint32_t function, const Words& words, Times* times,
                                              uint64_t* result) {
  const auto call = [&] {
    *result = CallTimed(function, words, times);
    // Call CountHookTime within the passage, because afterwards the counters may be unmapped.
    if (g_state.sampling()) CountHookTime(times->called - times->begin, kTimedLaunches);
    times->counted = g_state.Now() - times->returned;
  };
  if (LaunchPassage::IsOpen() && PassLaunch(function, words, call))
    return HearingNow() == Hearing::kHooks ? CallTimes::kHooked : CallTimes::kKinds;
  const ToldCall told{g_followed[function], words, 0};
  Passage passage(told);
  const CallTimes::Kind kind = passage.is_attended() ? KindNow() : CallTimes::kKinds;
  *result = CallTimed(function, words, times);
  passage.Returned(static_cast<uint32_t>(*result));
  return kind != CallTimes::kKinds && KindNow() == kind ? kind : CallTimes::kKinds;
}

[[gnu::noinline]] uint64_t PassTimed(uint32_t function, const Words& words) {
  Times times;
  uint64_t result = 0;
  const CallTimes::Kind kind = PassWatched(function, words, &times, &result);
  times.end = g_state.Now();
  if (kind == CallTimes::kKinds) return result;
  // Subtract the duration of one reading of the clock, which each interval between two readings
  // contains.
  const int64_t look = g_state.Now() - times.end;
  CallTimes& all = TheShared().times;
  all.Add(kind, times.end - times.begin - times.counted - 3 * look);
  if (kind == CallTimes::kHooked) all.Add(CallTimes::kBare, times.returned - times.called - look);
  return result;
}

[[gnu::noinline]] uint64_t PassAny(uint32_t function, const Words& words) {
  const FollowedCall& what = g_followed[function];
  if (what.needs_cupti) [[unlikely]]
    WaitForCupti();
  if (!what.is_heard()) [[unlikely]]
    return PassUnheard(function, words);
  if (what.call == wire::kCallLaunch && t_own.launches % kTimedLaunches == 0)
    return PassTimed(function, words);
  const ToldCall told{what, words, 0};
  Passage passage(told);
  const uint64_t result = CallDriver(function, words);
  passage.Returned(static_cast<uint32_t>(result));
  return result;
}

// Passes a call through a hook. The path that most launches take has few instructions, because
// between two launches the program fills the caches with other code.
[[gnu::hot, gnu::noinline]] uint64_t Pass(uint32_t function, const Words& words) {
  if (g_followed[function].call != wire::kCallLaunch || ++t_own.launches % kTimedLaunches == 0 ||
      !LaunchPassage::IsOpen()) [[unlikely]]
    return PassAny(function, words);
  uint64_t result = 0;
  if (PassLaunch(function, words, [&] { result = CallDriver(function, words); })) [[likely]]
    return result;
  return PassAny(function, words);
}

// The hook that replaces function number kFunction. If the function has fewer than twelve
// parameters, the surplus ones are passed on unread.
template <uint32_t kFunction>
uint64_t Ours(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
              uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l) {
  const Words words = {a, b, c, d, e, f, g, h, i, j, k, l};
  return Pass(kFunction, words);
}

template <uint32_t... kFunction>
uint64_t AddressOfOurs(uint32_t index, std::integer_sequence<uint32_t, kFunction...>) {
  static constexpr decltype(&Ours<0>) kOurs[] = {&Ours<kFunction>...};
  return reinterpret_cast<uint64_t>(kOurs[index]);
}

std::vector<Replacement> MakeReplacements() {
  const std::vector<DriverFunction> functions = FindDriverFunctions();
  std::vector<Replacement> out;
  out.reserve(functions.size());  // nothing may be thrown below, where the stores are permanent
  CurrentDevice();                // makes it look up its driver function now
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

// Replaces pointers to the driver's functions by pointers to hooks. Returns false if there is
// nothing to replace. The list is made once, because the driver's functions do not change during
// the life of the process.
bool Place() {
  static auto* replacements = new std::vector<Replacement>;
  if (replacements->empty()) *replacements = MakeReplacements();
  ReplacePointers(*replacements);
  return !replacements->empty();
}

// True if the hook hears this call in the state `who`. While CUPTI still reports calls, it hears
// only calls that are in the gate, because CUPTI must not stop in the middle of such a call.
[[gnu::always_inline]] inline bool Passage::IsFor(Hearing who) const {
  return who == Hearing::kHooks || (who == Hearing::kHooksOfMemory && told_.what.is_memory()) ||
         (who == Hearing::kHooksBeside && gate_ != nullptr);
}

ShardedCount& CountOf(const FollowedCall& call) {
  return PutsWork(call.call) ? g_launching : g_others;
}

[[gnu::always_inline]] inline bool Passage::TryToHear() {
  CountOf(told_.what).Enter();
  // Check the state after counting. A thread that waits for the count changes the state first.
  const Hearing now = g_hearing.load();
  if (!IsFor(now)) [[unlikely]] {
    CountOf(told_.what).Leave();
    return false;
  }
  t_own.heard = heard_ = true;
  HearBegin(told_, wire::kNoCorrelation, now != Hearing::kHooksOfMemory);
  return true;
}

// If this is a fork child, counts the call. A child may only add to counters, because they are in
// its parent's memory.
void Passage::CountIfForked() const {
  if (g_state.forked.load(std::memory_order_relaxed)) g_state.Count(wire::kGpuForkedCalls);
}

// Not inlined, because there are hundreds of hooks and each contains a Passage.
[[gnu::hot, gnu::noinline]] Passage::Passage(const ToldCall& told) : told_(told) {
  if (++t_own.depth != 1) return;
  const Hearing now = HearingNow();
  if (now == Hearing::kNobody) {
    CountIfForked();
    return;
  }
  if (IsFor(now) && TryToHear()) return;
  if (now != Hearing::kHooksOfMemory || IsFor(now)) EnterGate();
}

[[gnu::noinline]] void Passage::EnterGate() {
  gate_ = &TheShared().gate;
  gate_->Enter(true);
  // Check the state again, which may have changed while this thread waited at the gate.
  if ((IsFor(HearingNow()) && TryToHear()) || HearingNow() == Hearing::kCupti) return;
  gate_->Leave();
  gate_ = nullptr;
}

[[gnu::hot, gnu::noinline]] Passage::~Passage() {
  if (heard_) {
    HearEnd(told_, result_);
    t_own.heard = false;
    CountOf(told_.what).Leave();
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

namespace {

template <class Ended>
bool LetEnd(Ended ended, std::chrono::nanoseconds limit) {
  HeavyFence();
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + limit; !ended() && Clock::now() < end;) sched_yield();
  return ended();
}

}  // namespace

bool LetHeardEnd(std::chrono::nanoseconds limit) {
  return LetEnd([] { return g_launching.Sum() == 0 && g_others.Sum() == 0; }, limit);
}
bool LetLaunchesEnd(std::chrono::nanoseconds limit) {
  return LetEnd([] { return g_launching.Sum() == 0; }, limit);
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

void DriverHooks::Look() try {
  const bool placed = g_placed.load(), changed = LibrariesChanged();
  const uint64_t bypassed = g_bypassed.exchange(0), passed = g_passed.exchange(0);
  g_state.Count(wire::kGpuCallsBypassed, bypassed);
  if (placed && bypassed == 0 && !changed) {
    if (passed >= kEnoughLaunches) tries_ = 0;
    trusted_ = (trusted_ || passed >= kEnoughLaunches) && tries_ <= kMaxTries;
    shown_at_ = worked_;
    return;
  }
  // Count failed searches. If a library was loaded since the last one, that search has not failed:
  // the next one may find the missing pointers.
  if (bypassed != 0 && !changed) ++tries_;
  trusted_ = false;
  if (tries_ > kMaxTries) return;
  const uint64_t changes = LibraryChanges();
  if (changes != std::exchange(seen_, changes)) return;
  libraries_ = changes;
  g_placed.store(Place());
} catch (const std::exception&) {
  trusted_ = false;  // out of memory
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
