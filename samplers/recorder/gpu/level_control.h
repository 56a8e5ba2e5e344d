// Lets the user control a running recording (--control). Passes commands from the channel to the
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
  // Opens the channel. `where` is the argument of ControlChannel::Open; "" = there is no channel.
  Status Open(const std::string& where);
  // Descriptor to poll for commands; -1 = none.
  int fd() const { return channel_ ? channel_->fd() : -1; }

  // Reads new commands and passes them to the targets. Returns true if there were any.
  bool Take(Session& session);
  // Acknowledges the commands when all processes follow them. If a process is too busy,
  // acknowledges them after a timeout.
  void Answer(const ProcessTable& processes, HostNs now);
  // Acknowledges all commands. Called when the recording has ended.
  void AnswerAll(Session& session);
  bool waits() const { return until_ != 0; }  // a command waits for its acknowledgement

  bool samples_wanted() const { return level_ != wire::kLevelOff; }

 private:
  std::optional<ControlChannel> channel_;
  wire::GpuLevel level_ = wire::kLevelAuto;
  int unanswered_ = 0;  // number of commands that wait for it
  HostNs until_ = 0;    // latest time of the acknowledgement; 0 = no command waits
};

}  // namespace gprofx::recorder
