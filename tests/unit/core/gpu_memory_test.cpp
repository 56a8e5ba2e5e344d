// What is live, when most is, and where it was allocated: against a plain count of everything.
#include "core/gpu/gpu_memory.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace gprofx {
namespace {

MemoryEvent Event(HostNs time, uint64_t address, int64_t bytes, uint32_t node = 1) {
  MemoryEvent event;
  event.time = time;
  event.process = ProcessId{1};
  event.device = GpuDeviceId{1};
  event.thread = ThreadId{1};
  event.node = NodeId{node};
  event.address = address;
  event.bytes = bytes;
  return event;
}
MemoryEvent Block(HostNs time, uint64_t address, int64_t bytes, int64_t allocated, int64_t reserved,
                  uint32_t node = 1) {
  MemoryEvent event = Event(time, address, bytes, node);
  event.source = MemorySource::kFramework;
  event.allocated = allocated;
  event.reserved = reserved;
  return event;
}

const MemoryAccount& Only(const GpuMemory& memory) { return memory.accounts().begin()->second; }

std::map<uint32_t, int64_t> AtPeak(const MemoryAccount& account) {
  std::map<uint32_t, int64_t> out;
  for (const MemoryPlace& place : account.places()) {
    if (place.at_peak != 0) out[place.node.value] += place.at_peak;
  }
  return out;
}

// Looks at everything that is live after each event.
struct Plain {
  std::map<uint64_t, std::pair<int64_t, uint32_t>> live;
  int64_t peak = 0;
  std::map<uint32_t, int64_t> at_peak;
  void Add(const MemoryEvent& event) {
    if (event.bytes > 0) {
      live[event.address] = {event.bytes, event.node.value};
    } else {
      live.erase(event.address);
    }
    Look();
  }
  void Look(bool always = false) {
    int64_t sum = 0;
    for (const auto& [_, block] : live) sum += block.first;
    if (sum <= peak && !always) return;
    peak = sum;
    at_peak.clear();
    for (const auto& [_, block] : live) at_peak[block.second] += block.first;
  }
};

struct Sample {
  Sample() {
    profile.processes.push_back({100, 1});
    profile.threads.push_back({ProcessId{1}, 101});
    for (const char* name : {"a", "b", kAllocatedBefore}) {
      Function function;
      function.name = profile.Intern(name);
      Frame frame;
      frame.kind = name == std::string(kAllocatedBefore) ? FrameKind::kMarker : FrameKind::kPython;
      frame.function = profile.Intern(function);
      nodes.push_back(profile.Child(profile.root(), profile.Intern(frame)));
    }
    for (const char* name : {kMetricGpuMemory, kMetricGpuAllocated, kMetricGpuAllocations}) {
      profile.AddMetric(name, "bytes", MetricKind::kExact);
    }
  }
  int64_t At(const std::vector<Value>& values, const char* metric, NodeId node) const {
    int64_t sum = 0;
    for (const Value& value : values) {
      if (value.metric == profile.FindMetric(metric) && value.node == node) sum += value.self;
    }
    return sum;
  }
  Profile profile;
  std::vector<NodeId> nodes;
};

TEST_CASE("peaks and what was live at them are those of a plain count") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    GpuMemory memory;
    Plain plain;
    std::vector<uint64_t> live;
    for (HostNs time = 1; time < 600; ++time) {
      const bool part = time == 300;
      if (part) {
        memory.BeginPart(time);
        plain.Look(true);
      }
      const bool frees = !live.empty() && random() % 100 < 48;
      MemoryEvent event;
      if (frees) {
        const size_t at = random() % live.size();
        event = Event(time, live[at], 0, 99);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        event =
            Event(time, 1000 + static_cast<uint64_t>(time), 1 + random() % 5000, 1 + random() % 8);
        live.push_back(event.address);
      }
      plain.Add(event);
      memory.Add(event);
      if (frees) REQUIRE(event.bytes < 0);  // it now says what was freed
      REQUIRE(Only(memory).peak() == plain.peak);
      REQUIRE(AtPeak(Only(memory)) == plain.at_peak);
    }
    CHECK(Only(memory).unmatched() == 0);
    CHECK(Only(memory).unknown() == 0);
  }
}

TEST_CASE("what there was before the recording has no call path, and goes when it is freed") {
  GpuMemory memory;
  for (MemoryEvent event : {Block(10, 1, 100, 1100, 4096), Block(20, 77, -600, 500, 4096),
                            Block(30, 2, 700, 1200, 8192), Block(40, 1, -100, 1100, 8192)}) {
    memory.Add(event);
  }
  const MemoryAccount& account = Only(memory);
  CHECK(account.peak() == 1200);
  CHECK(account.peak_time() == 30);
  CHECK(account.unknown_at_peak() == 400);
  CHECK(account.unknown() == 400);
  CHECK(account.live() == 1100);
  CHECK(account.reserved_at_peak() == 8192);
  CHECK(account.most_reserved() == 8192);
  CHECK(account.unmatched() == 1);
  CHECK((account.frees() == 2 && account.freed() == 700));
}

TEST_CASE("the peak may be before the first event") {
  GpuMemory memory;
  MemoryEvent event = Block(10, 77, -600, 400, 4096);
  memory.Add(event);
  CHECK(Only(memory).peak() == 1000);
  CHECK(Only(memory).unknown_at_peak() == 1000);
}

TEST_CASE("an address that is given out again was freed, and nobody told") {
  GpuMemory memory;
  for (MemoryEvent event : {Event(1, 5, 100, 1), Event(2, 5, 40, 2), Event(3, 6, 30, 3)}) {
    memory.Add(event);
  }
  CHECK(Only(memory).live() == 70);
  CHECK(Only(memory).peak() == 100);
  CHECK(AtPeak(Only(memory)) == std::map<uint32_t, int64_t>{{1, 100}});
}

TEST_CASE("a framework's allocator is shown instead of the driver's memory") {
  const Sample sample;
  GpuMemory memory;
  const uint32_t a = sample.nodes[0].value, b = sample.nodes[1].value;
  for (MemoryEvent event : {Event(1, 1000, 1 << 20, a), Block(2, 1000, 512, 512, 1 << 20, b),
                            Block(3, 1512, 256, 1024, 1 << 20, b)}) {
    memory.Add(event);
  }
  CHECK(memory.IsShown({ProcessId{1}, GpuDeviceId{1}, true}));
  CHECK_FALSE(memory.IsShown({ProcessId{1}, GpuDeviceId{1}, false}));
  CHECK(memory.IsShown({ProcessId{1}, GpuDeviceId{2}, false}));
  const auto values = MemoryValues(memory, sample.profile, {}, sample.nodes[2]);
  CHECK(sample.At(values, kMetricGpuMemory, sample.nodes[0]) == 0);
  CHECK(sample.At(values, kMetricGpuMemory, sample.nodes[1]) == 768);
  CHECK(sample.At(values, kMetricGpuMemory, sample.nodes[2]) == 256);  // of no event
  CHECK(sample.At(values, kMetricGpuAllocations, sample.nodes[1]) == 2);
  CHECK(MemoryValues(memory, sample.profile, ProcessId{2}, sample.nodes[2]).empty());
}

TEST_CASE("a part begins with what is live, and counts what is allocated in it") {
  const Sample sample;
  const uint32_t a = sample.nodes[0].value, b = sample.nodes[1].value;
  const std::vector<MemoryEvent> events = {Event(10, 1, 1000, a), Event(20, 2, 5000, b),
                                           Event(30, 2, 0),       Event(110, 3, 70, b),
                                           Event(120, 3, 0),      Event(210, 4, 9999, b)};
  const auto values = MemoryValuesIn(events, {100, 200}, sample.profile);
  CHECK(sample.At(values, kMetricGpuMemory, sample.nodes[0]) == 1000);
  CHECK(sample.At(values, kMetricGpuMemory, sample.nodes[1]) == 70);
  CHECK(sample.At(values, kMetricGpuAllocated, sample.nodes[0]) == 0);
  CHECK(sample.At(values, kMetricGpuAllocated, sample.nodes[1]) == 70);
  const auto quiet = MemoryValuesIn(events, {40, 50}, sample.profile);
  CHECK(sample.At(quiet, kMetricGpuMemory, sample.nodes[0]) == 1000);
  CHECK(sample.At(quiet, kMetricGpuMemory, sample.nodes[1]) == 0);
}

TEST_CASE("absurd numbers end at the limits") {
  GpuMemory memory;
  for (MemoryEvent event : {Event(1, 1, INT64_MAX), Event(2, 2, INT64_MAX), Event(3, 9, INT64_MIN),
                            Block(4, 3, INT64_MIN, INT64_MAX, INT64_MAX)}) {
    memory.Add(event);
  }
  CHECK(memory.accounts().size() == 2);
}

}  // namespace
}  // namespace gprofx
