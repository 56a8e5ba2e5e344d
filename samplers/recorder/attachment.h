// Attaches a recording to processes that already run, and detaches it at the end.
//
// Used only inside samplers/recorder/, by the thread of the recording loop. Attaching or detaching
// takes milliseconds, in bad cases seconds. A separate thread attaches to descendants, so the
// recording continues meanwhile.
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

// Returns the command line of `pid` as words. Returns one empty word if it cannot be read.
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

  // Attaches to the process and, if wanted, to its descendants. If attaching to a descendant fails,
  // reports a problem and continues.
  Result<Child> EnterMain();
  // Starts attaching to new descendants that did not inherit the agent. Does not wait for the end
  // of that.
  void EnterNew(const ProcessTable& processes);
  // True while the separate thread attaches to descendants.
  bool is_entering() const { return enters_.load(); }
  // Stops attaching to descendants and waits until the separate thread has ended. Processes that it
  // has just entered appear in the process table by themselves.
  void EndEntering();
  // Detaches from all processes that still exist. Called after EndEntering.
  void LeaveAll(ProcessTable& processes);

 private:
  // Starts the separate thread. `wanted` contains PIDs, each with the program (ProgramOf) that the
  // process must still run.
  void BeginEntering(std::vector<std::pair<int64_t, std::string>> wanted);
  void TellFailed();

  const std::shared_ptr<const attach::ProcessHandle> process_;
  const int64_t pid_;
  const bool children_;
  attach::AttachSetup setup_;
  RunParts& parts_;
  Problems& problems_;
  Listener& listener_;
  // Descendants to which attaching was tried, by PID, with the program (ProgramOf) that they ran
  // then.
  std::map<int64_t, std::string> tried_;
  std::thread entering_;
  std::atomic<bool> enters_{false}, over_{false};
  std::mutex guard_;
  std::vector<Error> failed_;  // written by `entering_`
};

}  // namespace gprofx::recorder
