// The processes that a recording entered while they ran, and leaves when it ends.
//
// Used inside samplers/recorder/ only, by the recording loop's thread. Entering and leaving takes
// milliseconds, seconds at most; descendants are entered by a thread of their own meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "samplers/attach/attach.h"
#include "samplers/collector/processes/launch.h"
#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/run_parts.h"
#include "samplers/recorder/events.h"
#include "samplers/recorder/problems.h"

namespace gprofx::recorder {

// The words of its command line; one empty word where it cannot be read.
std::vector<std::string> CommandOf(int64_t pid);

class Attachment {
 public:
  Attachment(std::shared_ptr<const attach::ProcessHandle> process, bool children,
             attach::AttachSetup setup, RunParts& parts, Problems& problems, Listener& listener)
      : process_(std::move(process)),
        pid_(process_->pid()),
        children_(children),
        setup_(std::move(setup)),
        parts_(parts),
        problems_(problems),
        listener_(listener) {
    setup_.give_up = &over_;
  }
  ~Attachment() { EndEntering(); }

  // The process itself and, if wanted, its descendants. What keeps a descendant out is a problem.
  Result<Child> EnterMain();
  // Descendants that came since, and did not bring the agent with them. Does not wait for them.
  void EnterNew(const ProcessTable& processes);
  // A thread of its own enters some of them just now.
  bool is_entering() const { return enters_.load(); }
  // No more of them; those that are entered just now will show themselves in the process table.
  void EndEntering();
  // All processes that are still there; after EndEntering.
  void LeaveAll(ProcessTable& processes);

 private:
  // With the program (ProgramOf) that each is to be entered for.
  void BeginEntering(std::vector<std::pair<int64_t, std::string>> wanted);
  void TellFailed();

  const std::shared_ptr<const attach::ProcessHandle> process_;
  const int64_t pid_;
  const bool children_;
  attach::AttachSetup setup_;
  RunParts& parts_;
  Problems& problems_;
  Listener& listener_;
  std::map<int64_t, std::string> tried_;  // descendants with the program (ProgramOf) of that time
  std::thread entering_;
  std::atomic<bool> enters_{false}, over_{false};
  std::mutex guard_;
  std::vector<Error> failed_;  // of `entering_`
};

}  // namespace gprofx::recorder
