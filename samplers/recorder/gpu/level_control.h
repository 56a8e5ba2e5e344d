// The user's hand on a recording while it runs (--control): passes commands of the channel on to
// the targets, and says when they follow. One thread. Times are HostNs.
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
  // `where` as for ControlChannel; "" = nobody controls it.
  Status Open(const std::string& where);
  int fd() const { return channel_ ? channel_->fd() : -1; }  // to poll for input

  // True: a new command has come, and the targets are told.
  bool Take(Session& session);
  // Acknowledges the command when all processes follow it, or one of them is too busy to.
  void Answer(const ProcessTable& processes, HostNs now);
  // Nothing is recorded any more: whoever still waits need not.
  void AnswerAll(Session& session);
  bool waits() const { return until_ != 0; }  // a command for its acknowledgement

  bool samples_wanted() const { return level_ != wire::kLevelOff; }

 private:
  std::optional<ControlChannel> channel_;
  wire::GpuLevel level_ = wire::kLevelAuto;
  int unanswered_ = 0;  // commands
  HostNs until_ = 0;    // the acknowledgement comes then at the latest, 0 = none is to come
};

}  // namespace gprofx::recorder
