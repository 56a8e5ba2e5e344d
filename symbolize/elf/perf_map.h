// Names of just-in-time compiled code: the text file perf-PID.map that JIT compilers and CPython
// (-X perf) append to while the program runs, or write at its end.
//
// One line per function: start and size in hexadecimal, then the name up to the end of the line.
// Later lines win over earlier ones where they overlap (code memory is reused). The text comes in
// any pieces. Memory is bounded by kMaxEntries and the length of names. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

class PerfMap {
 public:
  static constexpr size_t kMaxEntries = 2'000'000, kLongestName = 4096;

  // Takes the next piece. A line counts once its end is there: what writes the file may be in the
  // middle of it. True if a range that had a name has another one now.
  bool Feed(std::string_view piece);
  // The text ends: the last line counts without its end.
  void Finish();

  // The name at an absolute address, empty if none. Valid until the next Feed. Logarithmic.
  std::string_view Find(uint64_t address) const;

  size_t size() const { return ranges_.size(); }
  uint64_t skipped_lines() const { return skipped_lines_; }

 private:
  struct Range {
    uint64_t end;
    std::string name;
  };
  bool TakeLine(std::string_view line);
  bool Insert(uint64_t start, uint64_t end, std::string_view name);

  std::map<uint64_t, Range> ranges_;  // by start; disjoint
  std::string rest_;                  // of a line whose end has not come
  bool skipping_ = false;             // ... which is too long
  uint64_t skipped_lines_ = 0;
};

// Opens a map in an open folder (or AT_FDCWD). Anybody can write to /tmp, and a process can have
// mounted anything over the name: it must be a regular file and no link, and belong to `owner`, who
// runs the process. So it shows nothing that he may not read.
Result<UniqueFd> OpenPerfMap(int folder, const std::string& name, uid_t owner);

}  // namespace gprofx
