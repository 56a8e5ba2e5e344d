// Names the processes and threads of a profile as viewers need them: ids are unique in the file,
// and names are never empty. Pure. Texts are copies and not escaped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::exporters {

struct ShownProcess {
  int64_t pid = 0;
  std::string name, command;
  HostNs start = 0, end = 0;  // end 0 = unknown
};

struct ShownThread {
  uint32_t process = 0;  // position in Who::processes
  int64_t tid = 0;
  std::string name;
  bool is_main = false;
  HostNs start = 0, end = 0;
};

// The processes and threads of a profile. A process that became another program by exec counts as
// one. To keep pids distinct in a merged profile, 10,000,000 is added to those of the second
// recording, 20,000,000 to those of the third, and so on.
struct Who {
  std::vector<ShownProcess> processes;  // [0] is the unknown process
  std::vector<ShownThread> threads;     // by ThreadId::value; [0] is the unknown thread

  const ShownThread& Thread(uint32_t id) const { return threads[id < threads.size() ? id : 0]; }
  const ShownProcess& ProcessOf(const ShownThread& thread) const {
    return processes[thread.process];
  }
};

Who WhoIsWho(const Profile& profile);

// Returns a name with a number, such as "train.py (1234)".
std::string Numbered(const std::string& name, int64_t number);

}  // namespace gprofx::exporters
