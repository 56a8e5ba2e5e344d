#include "samplers/cuda/state.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>

#include "samplers/cuda/hooks/asymmetric_fence.h"

namespace gprofx::cuda {

State g_state;

namespace {

std::mutex g_stream_lock;
uint8_t* g_stream = nullptr;
std::atomic<uint32_t> g_noticed{0};

constexpr uint64_t kMask = wire::kGpuStreamBytes - 1;
static_assert((wire::kGpuStreamBytes & kMask) == 0);

}  // namespace

bool State::Start(const wire::AgentEntry* entry) {
  if (entry == nullptr) return false;
  constexpr uint64_t kBytes = wire::kGpuHeaderBytes + wire::kGpuStreamBytes;
  const uint32_t region = entry->region();
  if (region == wire::kNoRegion) return false;
  const uint64_t at = wire::RegionOffset(region) + wire::kGpuOffset;
  void* mapped = entry->map(at, kBytes);
  if (mapped == nullptr) return false;
  if (header != nullptr) munmap(header, kBytes);  // the mapping of an earlier recording
  g_noticed.store(0);
  agent = entry;
  if (entry->make_fences_light()) UseHeavyFence(entry->heavy_fence);
  header = static_cast<wire::GpuHeader*>(mapped);
  g_stream = static_cast<uint8_t*>(mapped) + wire::kGpuHeaderBytes;
  return true;
}

bool WriteRecord(wire::GpuRecord* record, uint32_t bytes) {
  record->reserved = 0;
  record->bytes = bytes;
  if (bytes > wire::kMaxGpuRecord || bytes % 8 != 0) return false;
  const std::lock_guard<std::mutex> guard(g_stream_lock);
  wire::GpuHeader& header = *g_state.header;
  // A record begins at a multiple of 8, even if another process wrote something else to `head`.
  uint64_t head = header.head.load(std::memory_order_relaxed) & ~uint64_t{7};
  const uint64_t to_end = wire::kGpuStreamBytes - (head & kMask);
  const uint64_t pad = bytes > to_end ? to_end : 0;
  const uint64_t used = head - header.tail.load(std::memory_order_acquire);
  if (used > wire::kGpuStreamBytes || used + pad + bytes > wire::kGpuStreamBytes) {
    g_state.Count(wire::kGpuStreamFull);
    return false;
  }
  if (pad != 0) {
    const wire::GpuRecord padding{wire::kGpuPad, 0, static_cast<uint32_t>(pad)};
    std::memcpy(g_stream + (head & kMask), &padding, sizeof(padding));
    head += pad;
  }
  std::memcpy(g_stream + (head & kMask), record, bytes);
  header.head.store(head + bytes, std::memory_order_release);
  return true;
}

bool WriteText(wire::GpuRecordType type, uint32_t id, const std::string& text) {
  constexpr uint32_t kMax = 16 << 10;  // room for the name of a kernel with deeply nested templates
  struct {
    wire::GpuTextRecord record;
    char text[kMax];
  } out;
  const auto length = static_cast<uint32_t>(text.size() < kMax ? text.size() : kMax);
  out.record = {{type, 0, 0}, id, length};
  const uint32_t padded = wire::PadTo8(length);
  if (padded > length) std::memset(out.text + length, 0, padded - length);
  std::memcpy(out.text, text.data(), length);
  return WriteRecord(&out.record.header, static_cast<uint32_t>(sizeof(out.record)) + padded);
}

void Notice(wire::GpuNotice what, const std::string& text) {
  const uint32_t bit = 1u << what;
  if ((g_noticed.fetch_or(bit) & bit) == 0) WriteText(wire::kGpuNotice, what, text);
}

void Fact(const std::string& name, const std::string& value) {
  WriteText(wire::kGpuFact, 0, name + "=" + value);
}

}  // namespace gprofx::cuda
