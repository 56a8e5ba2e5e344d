// Reads the names of just-in-time compiled code from a text file perf-PID.map. JIT compilers and
// CPython (-X perf) append to this file while the program runs, or write it at the end.
//
// The file has one line per function: start and size in hexadecimal, then the name up to the end of
// the line. If the ranges of lines overlap, the later line wins, because code memory is reused. The
// text may arrive in pieces of any size. Memory is bounded by kMaxEntries and the maximum length of
// names. One thread.
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

  // Adds the next piece of the text. A line is used once its newline has arrived, because the
  // writer may not have finished it. Returns true if a range that had a name now has another one.
  bool Feed(std::string_view piece);
  // Call at the end of the text. The last line is then used even without a newline.
  void Finish();

  // Returns the name at an absolute address; empty if there is none. Valid until the next call of
  // Feed. O(log n).
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
  std::string rest_;                  // an incomplete line
  bool skipping_ = false;             // the incomplete line is too long
  uint64_t skipped_lines_ = 0;
};

// Opens a map in the open directory `folder` (or AT_FDCWD). Anybody can write to /tmp, and a
// process can mount anything over the name. The file must therefore be a regular file, not a link,
// and belong to `owner`, the user of the process. Names from it then reveal nothing that this user
// may not read.
Result<UniqueFd> OpenPerfMap(int folder, const std::string& name, uid_t owner);

}  // namespace gprofx
