// Names the code that one process generates at run time. Reads the map that its JIT compiler
// writes: perf-PID.map in the process's own /tmp, where PID is its number in its own PID namespace.
//
// The folder is opened while the process lives, because its file system may vanish with it. The map
// is read as it grows, so nothing is lost if the process or its next program (exec) removes or
// overwrites it. When the process has ended, the map is read to its end (the JVM writes it only
// then). If code was replaced by other code, earlier samples keep the earlier names. `Update` then
// returns true, and the caller starts a new generation of frames. Time and memory for reading are
// limited. One thread.
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
  // Finds out where the map of the process would be. Called once, when the process has generated
  // code, if possible while it lives. A map that was last written before `not_before` (seconds,
  // realtime clock) belongs to an earlier process with the same PID and is ignored.
  void Begin(int64_t pid, int64_t not_before);
  bool begun() const { return !file_name_.empty(); }
  // Called if the process belongs to another user. Only a little of its map is then read, within a
  // short time.
  void SetForeign() { foreign_ = true; }

  // Reads what was added to the map, up to a limited size, and looks up names for `addresses`.
  // These are all absolute addresses that were seen so far in this generation. Returns true if some
  // of them now hold other code. The names of this generation are then final, and the next call
  // belongs to a new one.
  bool Update(const std::vector<uint64_t>& addresses) { return Read(addresses, kStepBytes, false); }
  // Does the work of Update, but reads up to the end of the map. Called when the process has ended.
  void Finish(const std::vector<uint64_t>& addresses) { Read(addresses, kMaxBytes, true); }

  // Returns the names of the current generation. Called before a new generation begins.
  ModuleNames TakeNames() { return std::exchange(names_, {}); }
  bool found() const { return static_cast<bool>(file_); }
  const std::string& path() const { return path_; }  // path of the map as the process sees it

 private:
  static constexpr uint64_t kStepBytes = 4u << 20, kMaxBytes = 256u << 20;
  static constexpr uint64_t kMaxForeignBytes = 32u << 20;

  bool Open();
  bool Read(const std::vector<uint64_t>& addresses, uint64_t most, bool end);
  void Name(const std::vector<uint64_t>& addresses);

  UniqueFd folder_;  // empty if the folder of the map cannot be opened
  std::string file_name_, path_;
  uid_t owner_ = 0;
  bool foreign_ = false;
  int64_t not_before_ = 0;
  UniqueFd file_;
  uint64_t read_ = 0;  // bytes of the file read so far
  PerfMap map_;
  ModuleNames names_;
};

}  // namespace gprofx
