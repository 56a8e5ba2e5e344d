// Names of the code that one process makes at run time, from the map that its compiler writes:
// perf-PID.map in the process's own /tmp, under the number that the process has for itself.
//
// The folder is opened while the process lives, because its file system may go with it; the map is
// read as it grows, so that nothing is lost when the process or its next program (exec) removes or
// overwrites it, and to its end when the process ended (the JVM writes it only then). Where code
// has taken the place of other code, samples of before keep the names of before: `Update` says so,
// and the caller starts a new generation of frames. Time and memory of reading are bounded. One
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/model/resolve.h"
#include "symbolize/elf/perf_map.h"

namespace gprofx {

class JitNames {
 public:
  // The process makes code: finds out where its map would be. Once, while it lives if possible. A
  // map that was last written before `not_before` (seconds, realtime) is one of another process
  // that had the same number.
  void Begin(int64_t pid, int64_t not_before);
  bool begun() const { return !file_name_.empty(); }
  // The process is another user's: little of its map is read, and only for a moment.
  void SetForeign() { foreign_ = true; }

  // Reads what is new, a bounded part of it, and names `addresses` (absolute), all that were seen
  // so far in this generation. True: some of them have become other code, the names are final, and
  // the next call is about a new generation.
  bool Update(const std::vector<uint64_t>& addresses) { return Read(addresses, kStepBytes, false); }
  // The same when the process has ended, up to the end of the map.
  void Finish(const std::vector<uint64_t>& addresses) { Read(addresses, kMaxBytes, true); }

  // Of the current generation. Moved out by the caller before a new one begins.
  ModuleNames TakeNames() { return std::exchange(names_, {}); }
  bool found() const { return static_cast<bool>(file_); }
  const std::string& path() const { return path_; }  // of the map, as the process names it

 private:
  static constexpr uint64_t kStepBytes = 4u << 20, kMaxBytes = 256u << 20;
  static constexpr uint64_t kMaxForeignBytes = 32u << 20;

  bool Open();
  bool Read(const std::vector<uint64_t>& addresses, uint64_t most, bool end);
  void Name(const std::vector<uint64_t>& addresses);

  UniqueFd folder_;  // none: there is no way to the map
  std::string file_name_, path_;
  uid_t owner_ = 0;
  bool foreign_ = false;
  int64_t not_before_ = 0;
  UniqueFd file_;
  uint64_t read_ = 0;  // bytes of the file
  PerfMap map_;
  ModuleNames names_;
};

}  // namespace gprofx
