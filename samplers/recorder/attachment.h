// The processes that a recording entered while they ran, and leaves when it ends.
//
// Used inside samplers/recorder/ only, by the recording loop's thread: entering and leaving takes
// milliseconds, seconds at most.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "samplers/attach/attach.h"
#include "samplers/collector/launch.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/run_parts.h"
#include "samplers/recorder/events.h"
#include "samplers/recorder/problems.h"

namespace gprofx {

// The words of its command line; one empty word where it cannot be read.
std::vector<std::string> CommandOf(int64_t pid);

class Attachment {
 public:
  Attachment(int64_t pid, bool children, AttachSetup setup, RunParts& parts, Problems& problems,
             Listener& listener)
      : pid_(pid),
        children_(children),
        setup_(std::move(setup)),
        parts_(parts),
        problems_(problems),
        listener_(listener) {}

  // The process itself and, if wanted, its descendants. What keeps a descendant out is a problem.
  Result<Child> EnterMain();
  // Descendants that came since, and did not bring the agent with them.
  void EnterNew(const ProcessTable& processes);
  // All processes that are still there.
  void LeaveAll(ProcessTable& processes);

 private:
  void EnterChild(int64_t pid);

  const int64_t pid_;
  const bool children_;
  const AttachSetup setup_;
  RunParts& parts_;
  Problems& problems_;
  Listener& listener_;
  std::set<int64_t> known_;
};

}  // namespace gprofx
