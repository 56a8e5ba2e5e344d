// Lets the user control a running recording (--control): passes commands from the channel to the
// processes of the program, and acknowledges a command when all of them follow it. One thread.
// Times are HostNs.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "samplers/collector/control_channel.h"
#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {

class LevelControl {
 public:
  // Opens the channel. `where` is as for ControlChannel; "" = there is none.
  Status Open(const std::string& where);
  // Descriptor to poll for commands; -1 = none.
  int fd() const { return channel_ ? channel_->fd() : -1; }

  // Passes new commands to the targets. Returns true if there were any.
  bool Take(Session& session);
  // Acknowledges the commands when all processes follow them, or after a timeout if one is too
  // busy.
  void Answer(const ProcessTable& processes, HostNs now);
  // Acknowledges all commands, because recording has ended.
  void AnswerAll(Session& session);
  bool waits() const { return until_ != 0; }  // a command awaits acknowledgement

  bool samples_wanted() const { return level_ != wire::kLevelOff; }

 private:
  std::optional<ControlChannel> channel_;
  wire::GpuLevel level_ = wire::kLevelAuto;
  int unanswered_ = 0;  // number of commands
  HostNs until_ = 0;    // deadline for the acknowledgement; 0 = none pending
};

}  // namespace gprofx::recorder
