// Processes and threads as viewers want them: numbers that are unique in the file, names that are
// never empty. Pure; texts are copies and unescaped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::exporters {

struct ShownProcess {
  int64_t pid = 0;
  std::string name, command;
  HostNs start = 0, end = 0;  // end 0 = not known
};

struct ShownThread {
  uint32_t process = 0;  // position in Who::processes
  int64_t tid = 0;
  std::string name;
  bool is_main = false;
  HostNs start = 0, end = 0;
};

// A process that became another program by exec is one. Numbers that two recordings of a merged
// profile share are moved apart: the process of the second recording is 10,000,000 + its number.
struct Who {
  std::vector<ShownProcess> processes;  // [0] stands for an unknown one
  std::vector<ShownThread> threads;     // by ThreadId::value; [0] stands for an unknown one

  const ShownThread& Thread(uint32_t id) const { return threads[id < threads.size() ? id : 0]; }
  const ShownProcess& ProcessOf(const ShownThread& thread) const {
    return processes[thread.process];
  }
};

Who WhoIsWho(const Profile& profile);

// "train.py (1234)", "worker (1235)"
std::string Numbered(const std::string& name, int64_t number);

}  // namespace gprofx::exporters
