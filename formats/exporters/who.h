// Processes and threads as viewers need them: ids unique in the file, names never empty. Pure;
// texts are copies and unescaped.
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

// A process that became another program by exec counts as one. Ids that two recordings of a merged
// profile share are made distinct: a process of the second recording gets 10,000,000 + its pid.
struct Who {
  std::vector<ShownProcess> processes;  // [0] is the unknown process
  std::vector<ShownThread> threads;     // by ThreadId::value; [0] is the unknown thread

  const ShownThread& Thread(uint32_t id) const { return threads[id < threads.size() ? id : 0]; }
  const ShownProcess& ProcessOf(const ShownThread& thread) const {
    return processes[thread.process];
  }
};

Who WhoIsWho(const Profile& profile);

// Returns "train.py (1234)", "worker (1235)".
std::string Numbered(const std::string& name, int64_t number);

}  // namespace gprofx::exporters
