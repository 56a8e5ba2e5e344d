// User control of a running recording (--control): forwards commands from the channel to the
// targets and acknowledges them once the targets comply. One thread. Times are HostNs.
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
  // `where` is as for ControlChannel; "" = no control channel.
  Status Open(const std::string& where);
  int fd() const { return channel_ ? channel_->fd() : -1; }  // to poll for input

  // Passes new commands to the targets. Returns true if there were any.
  bool Take(Session& session);
  // Acknowledges the command once all processes comply, or after a timeout if one is too busy.
  void Answer(const ProcessTable& processes, HostNs now);
  // Acknowledges all commands, because recording has ended.
  void AnswerAll(Session& session);
  bool waits() const { return until_ != 0; }  // a command awaits acknowledgement

  bool samples_wanted() const { return level_ != wire::kLevelOff; }

 private:
  std::optional<ControlChannel> channel_;
  wire::GpuLevel level_ = wire::kLevelAuto;
  int unanswered_ = 0;  // commands
  HostNs until_ = 0;    // deadline for the acknowledgement; 0 = none pending
};

}  // namespace gprofx::recorder
