// Controls a running recording by lines that another program writes to a FIFO.
//
// There is one command per line. `enable` and `disable` work as in perf-record(1). `level
// off|0|1|auto` sets how much of the GPU side is recorded (wire::GpuLevel); `level off` also stops
// CPU samples. When all processes follow a command, the recorder answers it by "ack\n" in a second
// FIFO. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

// Returns the level that a line asks for. Returns none if the line is not a command. Pure.
std::optional<wire::GpuLevel> ParseControl(std::string_view line);

class ControlChannel {
 public:
  // Opens the FIFOs. `where` has the form "fifo:CONTROL[,ACK]". Whoever writes to the FIFOs
  // controls the recording. Each must therefore be a FIFO of this user or of root, to which nobody
  // else may write, and not a symbolic link.
  static Result<ControlChannel> Open(const std::string& where);

  int fd() const { return control_.get(); }
  struct Commands {
    int count = 0;          // number of commands; each of them expects an answer
    wire::GpuLevel latest;  // level that the last command asked for
  };
  // Returns the commands that arrived since the last call, or none if there were none. Reads at
  // most 2 KB of text. Skips lines that are not commands.
  std::optional<Commands> Take();
  void Acknowledge();  // answers one command

 private:
  UniqueFd control_, ack_;
  std::string text_;
};

}  // namespace gprofx
