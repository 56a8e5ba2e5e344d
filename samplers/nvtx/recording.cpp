#include "samplers/nvtx/recording.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "samplers/nvtx/ring.h"
#include "samplers/wire/agent_entry.h"
#include "samplers/wire/remap.h"

namespace gprofx::nvtx {
namespace {

constexpr uint32_t kCountedDomains = 16;

struct Thread {
  int32_t tid;                     // 0 = not asked yet
  struct Domain {
    uint16_t depth;  // pushed ranges that are open
    uint16_t lost;   // 1 + the least depth of what was not written since the last that was; 0: none
  } domains[kCountedDomains];
};
constinit thread_local Thread t_thread{};

constinit std::atomic<const wire::AgentEntry*> g_agent{nullptr};
constinit std::atomic<wire::MarkerHeader*> g_header{nullptr};  // the stream lies behind it
constinit std::atomic<bool> g_closed{false};  // it cannot be mapped
constinit std::atomic<uint64_t> g_ranges{0};
constinit std::atomic<uint32_t> g_domains{0};

constexpr uint64_t kBytes = wire::kMarkerHeaderBytes + wire::kMarkerStreamBytes;

wire::MarkerHeader* Open() {
  if (g_closed.load(std::memory_order_relaxed)) return nullptr;
  const wire::AgentEntry& agent = *g_agent.load(std::memory_order_relaxed);
  const uint32_t region = agent.region();
  if (region == wire::kNoRegion) return nullptr;  // of a fork child: it may get one yet
  const uint64_t at = wire::RegionOffset(region) + wire::kMarkerOffset;
  void* mapped = wire::MapThrough(agent.control, at, kBytes);
  if (mapped == nullptr) {
    g_closed.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  madvise(mapped, kBytes, MADV_DONTDUMP);
  auto* header = static_cast<wire::MarkerHeader*>(mapped);
  wire::MarkerHeader* others = nullptr;
  if (g_header.compare_exchange_strong(others, header)) return header;
  munmap(mapped, kBytes);
  return others;
}

// The parent's part of the memory stays mapped, as it is in the parent; nothing is written there.
void AfterForkInChild() {
  g_header.store(nullptr, std::memory_order_relaxed);
  g_closed.store(false, std::memory_order_relaxed);
  t_thread.tid = 0;
}

int32_t Tid() {
  if (t_thread.tid == 0) t_thread.tid = static_cast<int32_t>(syscall(SYS_gettid));
  return t_thread.tid;
}

bool Say(Marker marker) {
  const wire::AgentEntry* agent = g_agent.load(std::memory_order_relaxed);
  if (agent == nullptr || agent->control->sampling.load(std::memory_order_relaxed) == 0)
    return false;
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

void SayNested(Marker marker, Thread::Domain* domain) {
  marker.lost = domain->lost == 0 ? wire::kNoDepth : static_cast<uint16_t>(domain->lost - 1);
  if (Say(marker)) {
    domain->lost = 0;
  } else if (marker.depth < marker.lost) {
    domain->lost = static_cast<uint16_t>(marker.depth + 1);
  }
}

}  // namespace

bool JoinRecording() {
  if (g_agent.load() != nullptr) return true;  // another copy of NVTX in the program
  const auto ask =
      reinterpret_cast<wire::AgentEntryFunction>(dlsym(RTLD_DEFAULT, wire::kAgentEntryName));
  const wire::AgentEntry* agent = ask == nullptr ? nullptr : ask(wire::kAgentEntryVersion);
  if (agent == nullptr) return false;
  const wire::AgentEntry* before = nullptr;
  if (g_agent.compare_exchange_strong(before, agent)) {
    pthread_atfork(nullptr, nullptr, AfterForkInChild);
  }
  // The program may be about to forbid itself such system calls.
  Open();
  Tid();
  return true;
}

void Push(const Kept* domain, Text name) {
  Marker marker = Named(wire::kMarkerPush, domain, name);
  Thread::Domain* counted = CountedDomain(marker.domain);
  if (counted == nullptr) {
    Say(marker);
    return;
  }
  marker.depth = counted->depth;
  if (counted->depth < wire::kNoDepth - 1) ++counted->depth;
  SayNested(marker, counted);
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
  SayNested(marker, counted);
}

uint64_t Start(const Kept* domain, Text name) {
  Marker marker = Named(wire::kMarkerStart, domain, name);
  marker.range = g_ranges.fetch_add(1, std::memory_order_relaxed) + 1;
  Say(marker);
  return marker.range;
}

void End(uint64_t range) {
  Marker marker{wire::kMarkerEnd};
  marker.range = range;
  Say(marker);
}

void Moment(const Kept* domain, Text name) { Say(Named(wire::kMarkerMoment, domain, name)); }

const Kept* NewDomain(Text name) {
  return Keep(name, g_domains.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace gprofx::nvtx
