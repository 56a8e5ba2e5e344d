// Names of just-in-time compiled code: the text file /tmp/perf-PID.map that JIT compilers and
// CPython (-X perf) write.
//
// One line per function: start and size in hexadecimal, then the name up to the end of the line.
// Later lines win over earlier ones where they overlap (code memory is reused). Value type,
// read-only after parsing, so free for any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace gprofx {

class PerfMap {
 public:
  // Lines that do not parse are skipped and counted. At most 2^31 bytes of names are kept.
  static PerfMap Parse(std::string_view text);

  // The name at an absolute address, empty if none. Valid as long as the map. Logarithmic.
  std::string_view Find(uint64_t address) const;

  size_t size() const { return ranges_.size(); }
  uint64_t skipped_lines() const { return skipped_lines_; }

 private:
  struct Range {
    uint64_t start, end;
    uint32_t name_at, name_size;
  };
  std::string names_;
  std::vector<Range> ranges_;  // disjoint, ascending
  uint64_t skipped_lines_ = 0;
};

// Reads a map that belongs to the user or to root (anybody can write to /tmp), of at most 256 MiB.
Result<PerfMap> ReadPerfMap(const std::string& path);

}  // namespace gprofx
