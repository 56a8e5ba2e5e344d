// Controls a running recording by lines that another program writes to a FIFO.
//
// Commands, one per line: `enable` and `disable`, as in perf-record(1), and `level off|0|1|auto`,
// which sets how much of the GPU side is recorded (wire::GpuLevel). `level off` also stops CPU
// samples. When all processes follow a command, it is answered by "ack\n" in a second FIFO. One
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

// Returns the level that the line asks for; none if the line is not a command. Pure.
std::optional<wire::GpuLevel> ParseControl(std::string_view line);

class ControlChannel {
 public:
  // Opens the FIFOs. `where` has the form "fifo:CONTROL[,ACK]". Each must be a FIFO of this user or
  // of root that nobody else may write to, and not a symbolic link, because whoever writes to it
  // controls the recording.
  static Result<ControlChannel> Open(const std::string& where);

  int fd() const { return control_.get(); }
  struct Commands {
    int count = 0;          // number of commands, each of which expects an answer
    wire::GpuLevel latest;  // level of the last one, which is in effect
  };
  // Returns the commands since the last call, from at most 2 KB of text; none if there were none.
  // Lines that are not commands are skipped.
  std::optional<Commands> Take();
  void Acknowledge();  // answers one command

 private:
  UniqueFd control_, ack_;
  std::string text_;
};

}  // namespace gprofx
