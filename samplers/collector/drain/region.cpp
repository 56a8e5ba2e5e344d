#include "samplers/collector/drain/region.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "core/base/hex.h"
#include "samplers/collector/processes/arena_text.h"

namespace gprofx {
namespace {

constexpr uint32_t kMaxPath = 4096;
constexpr uint64_t kGpuBytes = wire::kMarkerOffset - wire::kGpuOffset;
constexpr uint64_t kMarkerBytes = wire::kMemoryOffset - wire::kMarkerOffset;
constexpr uint64_t kMemoryBytes = wire::kRegionBytes - wire::kMemoryOffset;

std::byte* MapShared(int memory, uint64_t offset, uint64_t bytes) {
  void* at =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

std::string CopyText(const char* text, size_t limit) { return {text, strnlen(text, limit)}; }

}  // namespace

Result<Region> Region::Map(int memory, uint32_t index) {
  Region region;
  region.memory_ = memory;
  region.offset_ = wire::RegionOffset(index);
  region.base_ = MapShared(memory, region.offset_, wire::kRingsOffset);
  if (region.base_ == nullptr) {
    return Error{ErrorId::kNoResources,
                 std::string("cannot map the samples of a process: ") + std::strerror(errno),
                 "raise the limit on virtual memory (ulimit -v)"};
  }
  return region;
}

Region Region::Over(std::byte* whole) {
  Region region;
  region.base_ = whole;
  for (uint32_t block = 0; block < kBlocks; ++block) {
    region.blocks_[block] = whole + wire::kRingsOffset + block * kBlockBytes;
  }
  region.gpu_ = whole + wire::kGpuOffset;
  region.markers_ = whole + wire::kMarkerOffset;
  region.memory_ring_ = whole + wire::kMemoryOffset;
  return region;
}

Region::Region(Region&& other) noexcept { *this = std::move(other); }

Region& Region::operator=(Region&& other) noexcept {
  if (this == &other) return *this;
  Unmap();
  memory_ = std::exchange(other.memory_, -1);
  offset_ = other.offset_;
  base_ = std::exchange(other.base_, nullptr);
  blocks_ = std::exchange(other.blocks_, {});
  gpu_ = std::exchange(other.gpu_, nullptr);
  markers_ = std::exchange(other.markers_, nullptr);
  memory_ring_ = std::exchange(other.memory_ring_, nullptr);
  return *this;
}

Region::~Region() { Unmap(); }

void Region::Unmap() {
  if (memory_ < 0) return;
  if (base_ != nullptr) munmap(base_, wire::kRingsOffset);
  for (std::byte* block : blocks_) {
    if (block != nullptr) munmap(block, kBlockBytes);
  }
  if (gpu_ != nullptr) munmap(gpu_, kGpuBytes);
  if (markers_ != nullptr) munmap(markers_, kMarkerBytes);
  if (memory_ring_ != nullptr) munmap(memory_ring_, kMemoryBytes);
  base_ = nullptr;
  blocks_ = {};
  gpu_ = nullptr;
  markers_ = nullptr;
  memory_ring_ = nullptr;
}

wire::ProcessHeader& Region::header() const {
  return *reinterpret_cast<wire::ProcessHeader*>(base_);
}

uint32_t Region::SlotsUsed() const {
  return std::min(header().threads_high.load(std::memory_order_acquire), wire::kMaxThreads);
}

wire::ThreadRing* Region::Ring(uint32_t slot) {
  if (slot >= wire::kMaxThreads) return nullptr;
  std::byte*& block = blocks_[slot / wire::kRingsPerBlock];
  if (block == nullptr) {
    const uint64_t first = uint64_t{slot / wire::kRingsPerBlock} * kBlockBytes;
    block = MapShared(memory_, offset_ + wire::kRingsOffset + first, kBlockBytes);
    if (block == nullptr) return nullptr;
  }
  return reinterpret_cast<wire::ThreadRing*>(block +
                                             slot % wire::kRingsPerBlock * wire::kRingBytes);
}

wire::GpuHeader* Region::Gpu() {
  if (gpu_ == nullptr) gpu_ = MapShared(memory_, offset_ + wire::kGpuOffset, kGpuBytes);
  return reinterpret_cast<wire::GpuHeader*>(gpu_);
}

std::byte* Region::GpuStream() {
  return Gpu() == nullptr ? nullptr : gpu_ + (wire::kGpuStreamOffset - wire::kGpuOffset);
}

wire::MarkerHeader* Region::Markers() {
  if (markers_ == nullptr) {
    markers_ = MapShared(memory_, offset_ + wire::kMarkerOffset, kMarkerBytes);
  }
  return reinterpret_cast<wire::MarkerHeader*>(markers_);
}

std::byte* Region::MarkerStream() {
  return Markers() == nullptr ? nullptr : markers_ + wire::kMarkerHeaderBytes;
}

wire::MemoryHeader* Region::Memory() {
  if (memory_ring_ == nullptr) {
    memory_ring_ = MapShared(memory_, offset_ + wire::kMemoryOffset, kMemoryBytes);
  }
  return reinterpret_cast<wire::MemoryHeader*>(memory_ring_);
}

const wire::MemoryRecord* Region::MemoryRing() {
  if (Memory() == nullptr) return nullptr;
  return reinterpret_cast<const wire::MemoryRecord*>(memory_ring_ + wire::kMemoryHeaderBytes);
}

std::optional<wire::NodeRecord> Region::Node(uint32_t index) const {
  if (index >= wire::kMaxNodes) return std::nullopt;
  wire::NodeRecord record;
  std::memcpy(&record, base_ + wire::kNodesOffset + uint64_t{index} * sizeof record, sizeof record);
  return record;
}

std::optional<ModuleCopy> Region::Module(uint32_t index) const {
  if (index >= wire::kMaxModules) return std::nullopt;
  const auto* record =
      reinterpret_cast<const wire::ModuleRecord*>(base_ + wire::kModulesOffset) + index;
  if (record->ready.load(std::memory_order_acquire) == 0) return std::nullopt;
  ModuleCopy copy;
  copy.flags = record->flags;
  copy.base = record->base;
  copy.begin = record->begin;
  copy.end = record->end;
  copy.build_id = ToHex(
      std::as_bytes(std::span(record->build_id)
                        .first(std::min<size_t>(record->build_id_bytes, sizeof record->build_id))));
  const uint64_t path = record->path;
  if (path != 0 && path < wire::kArenaBytes) {
    const size_t limit = std::min<uint64_t>(kMaxPath, wire::kArenaBytes - path);
    copy.path = CopyText(reinterpret_cast<const char*>(base_ + wire::kArenaOffset + path), limit);
  }
  return copy;
}

std::optional<CodeObject> Region::Code(uint32_t code_id) const {
  const uint64_t offset = uint64_t{code_id} * wire::kArenaUnit;
  if (offset == 0 || offset > wire::kArenaBytes - wire::kCodeHeaderBytes) return std::nullopt;
  return CopyCode({base_ + wire::kArenaOffset + offset, wire::kArenaBytes - offset});
}

std::optional<LayerCopy> Region::Layer(uint32_t layer_id) const {
  const uint64_t offset = uint64_t{layer_id} * wire::kArenaUnit;
  if (offset == 0 || offset > wire::kArenaBytes - sizeof(wire::LayerRecord)) return std::nullopt;
  const std::byte* at = base_ + wire::kArenaOffset + offset;
  const auto* shared = reinterpret_cast<const wire::LayerRecord*>(at);
  if (shared->ready.load(std::memory_order_acquire) == 0) return std::nullopt;
  const uint32_t parent = shared->parent, type = shared->type_bytes, name = shared->name_bytes;
  if (parent >= layer_id || type == 0 || type > wire::kMaxTypeBytes ||
      name > wire::kMaxLayerNameBytes ||
      offset + sizeof(wire::LayerRecord) + type + name > wire::kArenaBytes) {
    return std::nullopt;
  }
  const char* text = reinterpret_cast<const char*>(at) + sizeof(wire::LayerRecord);
  return LayerCopy{parent, std::string(text, type), std::string(text + type, name)};
}

std::string Region::Executable() const {
  return CopyText(header().executable, sizeof header().executable);
}

std::string Region::Command() const {
  const size_t bytes = std::min<size_t>(header().command_bytes, sizeof header().command);
  return {header().command, bytes};
}

}  // namespace gprofx
