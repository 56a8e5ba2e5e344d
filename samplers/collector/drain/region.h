// Gives the collector access to the part of the shared memory that belongs to one process. Checks
// all indexes and sizes that the target wrote.
//
// The target may write anything at any time. Therefore indexes are checked here, records are copied
// once into local variables before they are examined, and no size that the target wrote is used
// without a limit. Each part is mapped when it is first used. If memory cannot be mapped, functions
// return nullptr. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "samplers/wire/layout.h"

namespace gprofx {

struct CodeObject {        // a CodeRecord, copied
  std::string name, file;  // UTF-8
  uint32_t first_line = 0;
  wire::LineFormat line_format = wire::LineFormat::kLnotab;
  std::vector<std::byte> table;
};

struct LayerCopy {         // a LayerRecord, copied
  uint32_t parent = 0;     // less than its own id; 0 = none
  std::string type, name;  // UTF-8; `name` may be ""
};

struct ModuleCopy {  // a ModuleRecord, copied
  std::string path;
  std::string build_id;  // lower-case hex
  uint32_t flags = 0;
  uint64_t base = 0, begin = 0, end = 0;
};

class Region {
 public:
  // Makes a Region for region `index` of a session's memory. Each part is mapped when it is first
  // used. `memory` is the descriptor of the memory; it is not owned and must outlive the region.
  static Result<Region> Map(int memory, uint32_t index);
  // Wraps a whole region that the caller owns. Used in tests and for fuzzing.
  static Region Over(std::byte* whole);

  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  ~Region();

  wire::ProcessHeader& header() const;
  wire::ThreadRing* Ring(uint32_t slot);   // nullptr: no such slot, or it cannot be mapped
  uint32_t SlotsUsed() const;              // threads_high, limited to kMaxThreads
  wire::GpuHeader* Gpu();                  // nullptr: it cannot be mapped
  std::byte* GpuStream();                  // kGpuStreamBytes; nullptr: it cannot be mapped
  wire::MarkerHeader* Markers();           // nullptr: it cannot be mapped
  std::byte* MarkerStream();               // kMarkerStreamBytes; nullptr: it cannot be mapped
  wire::MemoryHeader* Memory();            // nullptr: it cannot be mapped
  const wire::MemoryRecord* MemoryRing();  // kMemoryRecords; nullptr: it cannot be mapped

  std::optional<wire::NodeRecord> Node(uint32_t index) const;
  // None while the agent has not completed it.
  std::optional<ModuleCopy> Module(uint32_t index) const;
  std::optional<CodeObject> Code(uint32_t code_id) const;
  std::optional<LayerCopy> Layer(uint32_t layer_id) const;

  std::string Executable() const;
  std::string Command() const;  // command line with its null bytes

 private:
  static constexpr uint32_t kBlocks = wire::kMaxThreads / wire::kRingsPerBlock;
  static constexpr uint64_t kBlockBytes = uint64_t{wire::kRingsPerBlock} * wire::kRingBytes;

  Region() = default;
  void Unmap();

  int memory_ = -1;  // -1: not owned
  uint64_t offset_ = 0;
  std::byte* base_ = nullptr;
  std::array<std::byte*, kBlocks> blocks_{};
  std::byte* gpu_ = nullptr;          // header and stream
  std::byte* markers_ = nullptr;      // header and stream
  std::byte* memory_ring_ = nullptr;  // header and ring
};

}  // namespace gprofx
