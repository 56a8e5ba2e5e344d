// Writes a copy of what threads and the GPU side of the targets wrote, in the order in which it was
// read. Used in tests: a machine without a GPU can decode the copy again.
//
// GPROFX_RAW=FILE makes `gprof-x record` write such a copy in addition to the profile. The file is
// one zstd stream of chunks. A chunk is a RawChunk and then its `bytes` bytes, in native byte
// order. Builds with the same kRawVersion can read it. An error stops the writing; only ok()
// reports it, because no recording depends on the file. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "samplers/collector/drain/region.h"

namespace gprofx {

// Version of the wire structs that such a file contains. It does not change when fields are
// appended to a struct; they are 0 when an older file is read.
constexpr uint32_t kRawVersion = 2;

enum class RawKind : uint32_t {
  kVersion = 1,  // value = kRawVersion
  kThread,       // value = slot; bytes = ThreadRing up to `head`: a thread begins or ends here
  kEntry,        // value = slot; bytes = a SampleRecord
  kStream,       // bytes = a record of the GPU stream
  kDrain,        // value = HostNs of a Drain, whose chunks precede this one
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
  ~RawRecording();  // completes the file

  void Add(RawKind kind, uint32_t process, uint64_t value, std::span<const std::byte> bytes);
  // Adds the used parts of a process's region: header, modules, arena, nodes, GPU counters.
  void AddRegion(uint32_t process, Region& region);
  bool ok() const;

 private:
  struct Impl;
  explicit RawRecording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
