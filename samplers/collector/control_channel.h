// Switches a recording while it runs, by lines that another program writes into a FIFO.
//
// Commands, one per line, as perf-record(1) has them: `enable`, `disable`; and `level off|0|1|auto`
// for how much of the GPU side is on (wire::GpuLevel; off: no CPU samples either). Each is answered
// by "ack\n" in the second FIFO as soon as all processes follow it. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

// What the line asks for; none: it is no command. Pure.
std::optional<wire::GpuLevel> ParseControl(std::string_view line);

class ControlChannel {
 public:
  // `where`: "fifo:CONTROL[,ACK]". Each must be a FIFO of this user or of root that nobody else may
  // write to, and no symbolic link: whoever writes to it switches the recording.
  static Result<ControlChannel> Open(const std::string& where);

  int fd() const { return control_.get(); }
  struct Commands {
    int count = 0;          // each waits for an answer
    wire::GpuLevel latest;  // which counts
  };
  // The commands since the last call, of at most 2 KB of text; none: there were none. Lines that
  // are no commands are passed over.
  std::optional<Commands> Take();
  void Acknowledge();  // one of them

 private:
  UniqueFd control_, ack_;
  std::string text_;
};

}  // namespace gprofx
