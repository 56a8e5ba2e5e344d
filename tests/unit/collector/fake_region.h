// A process region in private memory, filled as an agent fills it, for tests of what reads it.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "samplers/collector/drain/region.h"

namespace gprofx::test {

// Writes records into region memory that somebody else owns.
class RegionWriter {
 public:
  explicit RegionWriter(std::byte* whole) : base_(whole) {}

  void Begin(int64_t pid, int64_t parent, const std::string& executable,
             const std::string& command) {
    wire::ProcessHeader& h = header();
    h.pid = h.host_pid = pid;
    h.parent_pid = parent;
    h.start_ns = 1000;
    std::strncpy(h.executable, executable.c_str(), sizeof h.executable - 1);
    h.command_bytes = static_cast<uint32_t>(command.size());
    std::memcpy(h.command, command.data(), command.size());
    h.nodes = 1;
    h.arena_used = wire::kArenaUnit;
  }

  std::byte* memory() { return base_; }
  wire::ProcessHeader& header() { return *reinterpret_cast<wire::ProcessHeader*>(base_); }

  uint64_t Allocate(uint64_t bytes) {
    return header().arena_used.fetch_add((bytes + wire::kArenaUnit - 1) / wire::kArenaUnit *
                                         wire::kArenaUnit);
  }
  std::byte* Arena(uint64_t offset) { return base_ + wire::kArenaOffset + offset; }

  uint32_t AddModule(const std::string& path, uint8_t id_byte) {
    const uint32_t index = header().modules++;
    auto* record = reinterpret_cast<wire::ModuleRecord*>(base_ + wire::kModulesOffset) + index;
    record->path = Allocate(path.size() + 1);
    std::memcpy(Arena(record->path), path.c_str(), path.size() + 1);
    record->base = 0x7f0000000000 + index * 0x100000;
    record->begin = record->base;
    record->end = record->base + 0x100000;
    std::memset(record->build_id, id_byte, sizeof record->build_id);
    record->build_id_bytes = 20;
    record->ready = 1;
    return index;
  }

  // Texts of one byte a character. Returns the code id.
  uint32_t AddCode(const std::string& name, const std::string& file, uint32_t first_line,
                   wire::LineFormat format, const std::string& table) {
    wire::CodeRecord head;
    head.first_line = first_line;
    head.line_format = format;
    head.name_width = head.file_width = 1;
    head.name_chars = static_cast<uint32_t>(name.size());
    head.file_chars = static_cast<uint32_t>(file.size());
    head.table_bytes = static_cast<uint32_t>(table.size());
    const uint64_t at = Allocate(wire::CodeRecordBytes(head));
    auto* record = Code(at);
    record->first_line = head.first_line;
    record->line_format = head.line_format;
    record->name_width = record->file_width = 1;
    record->name_chars = head.name_chars;
    record->file_chars = head.file_chars;
    record->table_bytes = head.table_bytes;
    std::memcpy(Arena(at + wire::CodeNameOffset(head)), name.data(), name.size());
    std::memcpy(Arena(at + wire::CodeFileOffset(head)), file.data(), file.size());
    std::memcpy(Arena(at + wire::CodeTableOffset(head)), table.data(), table.size());
    record->ready = 1;
    return static_cast<uint32_t>(at / wire::kArenaUnit);
  }
  uint32_t AddLayer(uint32_t parent, const std::string& type, const std::string& name) {
    const uint64_t at = Allocate(sizeof(wire::LayerRecord) + type.size() + name.size());
    auto* record = Layer(static_cast<uint32_t>(at / wire::kArenaUnit));
    record->parent = parent;
    record->type_bytes = static_cast<uint16_t>(type.size());
    record->name_bytes = static_cast<uint16_t>(name.size());
    std::memcpy(Arena(at + sizeof(wire::LayerRecord)), (type + name).data(),
                type.size() + name.size());
    record->ready = 1;
    return static_cast<uint32_t>(at / wire::kArenaUnit);
  }
  wire::LayerRecord* Layer(uint32_t id) {
    return reinterpret_cast<wire::LayerRecord*>(Arena(uint64_t{id} * wire::kArenaUnit));
  }
  wire::CodeRecord* Code(uint64_t offset) {
    return reinterpret_cast<wire::CodeRecord*>(Arena(offset));
  }

  uint32_t AddNode(uint32_t parent, uint64_t frame) {
    const uint32_t index = header().nodes++;
    PutNode(index, parent, frame);
    return index;
  }
  void PutNode(uint32_t index, uint32_t parent, uint64_t frame) {
    auto* record = reinterpret_cast<wire::NodeRecord*>(base_ + wire::kNodesOffset) + index;
    record->frame = frame;
    record->parent = parent;
  }

  wire::ThreadRing& ring(uint32_t slot) {
    return *reinterpret_cast<wire::ThreadRing*>(base_ + wire::kRingsOffset +
                                                slot * wire::kRingBytes);
  }

  void BeginThread(uint32_t slot, int32_t tid, const char* name, int64_t start_cpu = 0) {
    wire::ThreadRing& r = ring(slot);
    r.state = wire::kThreadActive;
    ++r.generation;
    r.tid = tid;
    r.start_ns = 2000;
    r.start_cpu_ns = start_cpu;
    r.last_cpu_ns = start_cpu;
    std::memset(r.name, 0, sizeof r.name);
    std::memcpy(r.name, name, std::min(std::strlen(name), sizeof r.name - 1));
    if (header().threads_high <= slot) header().threads_high = slot + 1;
  }

  bool Push(uint32_t slot, int64_t time, uint32_t node, uint32_t weight, uint16_t flags = 0) {
    wire::ThreadRing& r = ring(slot);
    r.last_cpu_ns += weight;
    r.last_node = node;
    const uint64_t head = r.head;
    if (!wire::RingHasRoom(head, r.tail, r.grown)) {
      ++r.dropped;
      r.dropped_ns += weight;
      return false;
    }
    r.entries[wire::RingIndex(head, r.grown)] = {wire::MakeWhen(time, flags), node, weight};
    r.head = head + 1;
    return true;
  }

  void EndThread(uint32_t slot, int64_t end) {
    ring(slot).end_ns = end;
    ring(slot).state = wire::kThreadEnded;
  }

 private:
  std::byte* base_;
};

class FakeRegion : public RegionWriter {
 public:
  FakeRegion() : FakeRegion(Memory()) {}
  ~FakeRegion() { munmap(memory_, wire::kRegionBytes); }
  FakeRegion(const FakeRegion&) = delete;
  FakeRegion& operator=(const FakeRegion&) = delete;

  Region View() { return Region::Over(memory_); }

 private:
  explicit FakeRegion(std::byte* memory) : RegionWriter(memory), memory_(memory) {}
  static std::byte* Memory() {
    void* at = mmap(nullptr, wire::kRegionBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return static_cast<std::byte*>(at);
  }
  std::byte* memory_;
};

}  // namespace gprofx::test
