#include "samplers/nvtx/recording.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "samplers/nvtx/frequency.h"
#include "samplers/nvtx/ring.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::nvtx {
namespace {

constexpr uint32_t kCountedDomains = 16, kWatchedDomains = 8, kDepths = 3;

struct Thread {
  int32_t tid;  // 0 = not known yet
  struct Domain {
    uint16_t depth;  // pushed ranges that are open
    // 0: no marker was lost; else 1 + the smallest depth of those lost since the last written one.
    uint16_t lost;
  } domains[kCountedDomains];
  struct Watched {
    uint32_t left_out;  // one bit per depth: 1 = the open range there is left out
    // One for each depth, because a program may have few steps with many ranges inside.
    Frequency frequency[kDepths];
  } watched[kWatchedDomains];
};
constexpr uint32_t kLeftOutDepths = 32;
constinit thread_local Thread t_thread{};

constinit std::atomic<const wire::AgentEntry*> g_agent{nullptr};
constinit std::atomic<wire::MarkerHeader*> g_header{nullptr};  // the stream follows the header
constinit std::atomic<const wire::GpuHeader*> g_gpu{nullptr};  // null: not known yet, or none
constinit std::atomic<bool> g_closed{false};                   // the region cannot be mapped
constinit std::atomic<uint64_t> g_ranges{0};
constinit std::atomic<uint32_t> g_domains{0};

constexpr uint64_t kBytes = wire::kMarkerHeaderBytes + wire::kMarkerStreamBytes;

wire::MarkerHeader* Open() {
  if (g_closed.load(std::memory_order_relaxed)) return nullptr;
  const wire::AgentEntry& agent = *g_agent.load(std::memory_order_relaxed);
  const uint32_t region = agent.region();
  // The process may be a fork child that still gets a region.
  if (region == wire::kNoRegion) return nullptr;
  const uint64_t at = wire::RegionOffset(region) + wire::kMarkerOffset;
  void* mapped = agent.map(at, kBytes);
  if (mapped == nullptr) {
    g_closed.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  auto* header = static_cast<wire::MarkerHeader*>(mapped);
  wire::MarkerHeader* others = nullptr;
  if (!g_header.compare_exchange_strong(others, header)) {
    munmap(mapped, kBytes);
    return others;
  }
  g_gpu.store(static_cast<const wire::GpuHeader*>(
      agent.map(wire::RegionOffset(region) + wire::kGpuOffset, wire::kGpuHeaderBytes)));
  return header;
}

// Called in a fork child. The parent's mapping stays, but this process no longer writes to it.
void AfterForkInChild() {
  g_header.store(nullptr, std::memory_order_relaxed);
  g_gpu.store(nullptr, std::memory_order_relaxed);
  g_closed.store(false, std::memory_order_relaxed);
  t_thread.tid = 0;
}

int32_t Tid() {
  if (t_thread.tid == 0) t_thread.tid = static_cast<int32_t>(syscall(SYS_gettid));
  return t_thread.tid;
}

// Returns the agent's table of functions. Returns null while nothing is recorded.
const wire::AgentEntry* Recording() {
  const wire::AgentEntry* agent = g_agent.load(std::memory_order_relaxed);
  const bool samples =
      agent != nullptr && agent->control->sampling.load(std::memory_order_relaxed) != 0;
  return samples ? agent : nullptr;
}

bool Say(Marker marker) {
  const wire::AgentEntry* agent = Recording();
  if (agent == nullptr) return false;
  wire::MarkerHeader* header = g_header.load(std::memory_order_acquire);
  if (header == nullptr && (header = Open()) == nullptr) return false;
  marker.tid = Tid();
  marker.time = agent->now();
  return Write(header, reinterpret_cast<uint8_t*>(header) + wire::kMarkerHeaderBytes, marker);
}

uint32_t NumberOf(const Kept* domain) { return domain == nullptr ? 0 : domain->number; }
Text NameOf(const Kept* domain) {
  return domain == nullptr ? Text{} : Text{domain->text, domain->bytes};
}

Marker Named(wire::MarkerKind kind, const Kept* domain, Text name) {
  Marker marker{kind};
  marker.domain = NumberOf(domain);
  marker.name = name;
  marker.domain_name = NameOf(domain);
  return marker;
}

Thread::Domain* CountedDomain(uint32_t domain) {
  return domain < kCountedDomains ? &t_thread.domains[domain] : nullptr;
}

uint32_t OpenRanges(const Kept* domain) {
  const Thread::Domain* counted = CountedDomain(NumberOf(domain));
  return counted == nullptr ? 0 : counted->depth;
}

void SayNested(Marker marker, Thread::Domain* domain) {
  marker.lost = domain->lost == 0 ? wire::kNoDepth : static_cast<uint16_t>(domain->lost - 1);
  if (Say(marker)) {
    domain->lost = 0;
  } else if (marker.depth < marker.lost) {
    domain->lost = static_cast<uint16_t>(marker.depth + 1);
  }
}

// True while GPU records are off to keep within the overhead budget.
bool WithoutRecords() {
  const wire::GpuHeader* gpu = g_gpu.load(std::memory_order_relaxed);
  return gpu != nullptr && gpu->active.load(std::memory_order_relaxed) != 0 &&
         gpu->level.load(std::memory_order_relaxed) < wire::kLevelRecords;
}

// Called when a range begins. Returns true, and counts the range, if it is left out. Ranges that
// are too frequent are left out only while the work that they launch is not recorded.
bool IsLeftOut(uint32_t domain, uint32_t depth) {
  if (domain >= kWatchedDomains) return false;
  Frequency& frequency = t_thread.watched[domain].frequency[std::min(depth, kDepths - 1)];
  const wire::AgentEntry* agent = Recording();
  if (agent == nullptr || !frequency.Count(agent->now) || !WithoutRecords()) return false;
  wire::MarkerHeader* header = g_header.load(std::memory_order_acquire);
  if (header != nullptr) header->left_out.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Called when a range is pushed. Returns true if the range is left out; its pop is then left out,
// too.
bool LeavesOutPushed(uint32_t domain, uint32_t depth) {
  if (domain >= kWatchedDomains || depth >= kLeftOutDepths) return false;
  uint32_t& left_out = t_thread.watched[domain].left_out;
  const uint32_t bit = uint32_t{1} << depth;
  left_out &= ~bit;
  if (!IsLeftOut(domain, depth)) return false;
  left_out |= bit;
  return true;
}

bool WasLeftOut(const Marker& pop) {
  return pop.domain < kWatchedDomains && pop.depth < kLeftOutDepths &&
         (t_thread.watched[pop.domain].left_out >> pop.depth & 1) != 0;
}

}  // namespace

bool JoinRecording() {
  if (g_agent.load() != nullptr) return true;  // another copy of NVTX in the program already joined
  const auto ask =
      reinterpret_cast<wire::AgentEntryFunction>(dlsym(RTLD_DEFAULT, wire::kAgentEntryName));
  const wire::AgentEntry* agent = ask == nullptr ? nullptr : ask(wire::kAgentEntryVersion);
  if (agent == nullptr) return false;
  const wire::AgentEntry* before = nullptr;
  if (g_agent.compare_exchange_strong(before, agent)) {
    pthread_atfork(nullptr, nullptr, AfterForkInChild);
  }
  // Map the memory and read the thread id at once. The program may forbid these system calls later.
  Open();
  Tid();
  return true;
}

// Called when a nested range begins. If the range is left out, only this function and its Pop run.
[[gnu::hot]] Opened OpenPushed(const Kept* domain) {
  const uint32_t number = NumberOf(domain);
  Thread::Domain* counted = CountedDomain(number);
  if (counted == nullptr) return {wire::kNoDepth, true};
  const uint16_t depth = counted->depth;
  if (depth < wire::kNoDepth - 1) ++counted->depth;
  return {depth, !LeavesOutPushed(number, depth)};
}

bool LeavesOut(const Kept* domain) { return IsLeftOut(NumberOf(domain), OpenRanges(domain)); }

void WritePush(const Kept* domain, uint16_t depth, Text name) {
  Marker marker = Named(wire::kMarkerPush, domain, name);
  marker.depth = depth;
  if (Thread::Domain* counted = CountedDomain(marker.domain)) {
    SayNested(marker, counted);
  } else {
    Say(marker);
  }
}

void Pop(const Kept* domain) {
  Marker marker{wire::kMarkerPop};
  marker.domain = NumberOf(domain);
  Thread::Domain* counted = CountedDomain(marker.domain);
  if (counted == nullptr) {
    Say(marker);
    return;
  }
  if (counted->depth == 0) {
    if (wire::MarkerHeader* header = g_header.load(std::memory_order_acquire)) {
      header->unmatched.fetch_add(1, std::memory_order_relaxed);
    }
    return;
  }
  marker.depth = --counted->depth;
  if (!WasLeftOut(marker)) SayNested(marker, counted);
}

uint64_t WriteStart(const Kept* domain, Text name) {
  Marker marker = Named(wire::kMarkerStart, domain, name);
  marker.range = g_ranges.fetch_add(1, std::memory_order_relaxed) + 1;
  Say(marker);
  return marker.range;
}

void End(uint64_t range) {
  if (range == kNoRange) return;
  Marker marker{wire::kMarkerEnd};
  marker.range = range;
  Say(marker);
}

void WriteMoment(const Kept* domain, Text name) { Say(Named(wire::kMarkerMoment, domain, name)); }

const Kept* NewDomain(Text name) {
  return Keep(name, g_domains.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace gprofx::nvtx
