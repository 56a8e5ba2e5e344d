// Controls a running recording by lines that another program writes to a FIFO.
//
// Commands, one per line, as in perf-record(1): `enable`, `disable`; and `level off|0|1|auto`,
// which sets how much of the GPU side is recorded (wire::GpuLevel). `level off` also stops CPU
// samples. Each command is answered by "ack\n" in a second FIFO as soon as all processes follow the
// command. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

// Returns the level that the line asks for; none: it is not a command. Pure.
std::optional<wire::GpuLevel> ParseControl(std::string_view line);

class ControlChannel {
 public:
  // `where`: "fifo:CONTROL[,ACK]". Each must be a FIFO of this user or of root that nobody else may
  // write to, and not a symbolic link, because a writer controls the recording.
  static Result<ControlChannel> Open(const std::string& where);

  int fd() const { return control_.get(); }
  struct Commands {
    int count = 0;          // each expects an answer
    wire::GpuLevel latest;  // the one in effect
  };
  // Returns the commands since the last call, from at most 2 KB of text; none: there were none.
  // Lines that are not commands are skipped.
  std::optional<Commands> Take();
  void Acknowledge();  // answers one command

 private:
  UniqueFd control_, ack_;
  std::string text_;
};

}  // namespace gprofx
