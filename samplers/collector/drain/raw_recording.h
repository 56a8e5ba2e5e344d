// A recording as it came over the wire, for tests: what threads and the GPU side of the targets
// wrote, in the order in which it was read, so that a machine without a GPU can decode it again.
//
// GPROFX_RAW=FILE makes `gprof-x record` write one beside the profile. The file is one zstd stream
// of chunks: a RawChunk and `bytes` bytes each, native byte order, made and read by builds with the
// same wire version. Errors end the writing silently but for ok(): nobody's recording depends on
// it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "samplers/collector/drain/region.h"

namespace gprofx {

// Of the wire's structs as far as they are in a recording; fields that were appended since do not
// count, they are 0 in an older one.
constexpr uint32_t kRawVersion = 2;

enum class RawKind : uint32_t {
  kVersion = 1,  // value = kRawVersion
  kThread,       // value = slot; bytes = ThreadRing up to `head`: a thread begins or ends there
  kEntry,        // value = slot; bytes = a SampleRecord
  kStream,       // bytes = a record of the GPU stream
  kDrain,        // value = HostNs: a look at the process began with what follows the last one
  kRegion,       // value = offset in the region; bytes = its contents when the process ended
  kCubin,        // value = hash; bytes = the code of a sampled module
};

struct RawChunk {
  RawKind kind;
  uint32_t process;  // ProcessId::value
  uint64_t value;
  uint64_t bytes;
};
static_assert(sizeof(RawChunk) == 24);

class RawRecording {
 public:
  static Result<std::unique_ptr<RawRecording>> Create(const std::string& path);
  ~RawRecording();  // ends the file

  void Add(RawKind kind, uint32_t process, uint64_t value, std::span<const std::byte> bytes);
  // The used parts of a process's region: header, modules, arena, nodes, counters of the GPU.
  void AddRegion(uint32_t process, Region& region);
  bool ok() const;

 private:
  struct Impl;
  explicit RawRecording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
