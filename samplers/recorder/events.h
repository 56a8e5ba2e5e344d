// Declares what a recording reports to its owner while it runs, as values and not as sentences.
//
// A Problem is also kept in the profile (meta `problems`), as the sentence that the listener
// returns for it. Everything else is an Event. The thread of the recording loop calls the listener.
// A listener may throw; the recording then aborts and the program continues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "samplers/recorder/timers.h"

namespace gprofx::recorder {

namespace problem {
struct CannotSample {  // the program cannot be sampled; `why` is Inspection::problem (inspect.h)
  std::string why;
};
struct BuiltWithoutCuda {};
struct NoSpool {  // the code of GPU modules cannot be stored
  Error error;
};
struct GpuNotice {      // a message about the GPU from a process of the program
  uint32_t notice = 0;  // wire::GpuNotice
  std::string text;
  bool samples_asked = false;  // the user asked for GPU instruction samples
};
struct TorchProfiler {};  // a profiler of PyTorch in the program got no GPU events
struct ForkedCudaCalls {};
struct LeftBehind {  // processes that did not end within the waiting time after the command's end
  std::vector<int64_t> pids;
};
struct TimersMissing {
  int64_t threads = 0;
  uint64_t pending_signal_limit = 0;
};
struct OtherNvtx {  // the user's own NVTX library receives the program's ranges instead
  std::string path;
};
struct StaysIn {  // the agent could not leave a process completely
  Error error;
};
struct EndedByFault {  // a fault ended a process
  int64_t pid = 0;
  std::string program, thread;
  int signal = 0;
  std::optional<uint64_t> address;
  std::vector<std::string> stack;  // innermost first
  // Our own code or CUPTI is on the stack. The recording may then have caused the fault.
  bool near_us = false;
};
struct MoreFaults {
  int64_t processes = 0;  // processes that a fault ended, beyond those reported already
};
struct RowsDropped {
  int64_t rows = 0;
};
struct UserLeftOut {  // the processes of a user wrote more than one user may
  uint32_t user = 0;
};
struct StoppedListening {};  // a process of the recording sent a message that our code never sends
}  // namespace problem

using Problem = std::variant<problem::CannotSample, problem::BuiltWithoutCuda, problem::NoSpool,
                             problem::GpuNotice, problem::TorchProfiler, problem::ForkedCudaCalls,
                             problem::LeftBehind, problem::TimersMissing, problem::RowsDropped,
                             problem::OtherNvtx, problem::StaysIn, problem::EndedByFault,
                             problem::MoreFaults, problem::UserLeftOut, problem::StoppedListening>;

namespace event {
struct CannotStart {  // the command cannot be started
  std::string command, program;
  bool found = true;
  int exec_errno = 0;  // 0: the file may not be executed
};
struct Failed {  // the recording, its last write or the GPROFX_RAW file failed
  Error error;
};
struct CannotWrite {  // the file cannot be written at the moment
  Error error;
  bool runs = true;  // the program still runs
};
struct OtherName {  // another recording writes `asked`; this one writes `taken`
  std::string asked, taken;
};
struct ProgramRuns {
  bool runs = false;
};
struct Attached {
  int64_t pid = 0;
  HostNs held = 0;              // time for which one of its threads was stopped
  bool by_interpreter = false;  // the interpreter loaded the agent; no thread was stopped
};
struct Detached {
  int64_t pid = 0;
  HostNs held = 0;
};
struct WindowOver {  // --duration has elapsed
  HostNs recorded = 0;
};
struct Outlived {  // the command has ended, and the recording waits for these processes
  std::vector<int64_t> pids;
};
struct Progress {
  HostNs time = 0;
  int64_t samples = 0;
};
// Rows older than `last` are dropped; SIGUSR2 to this process writes the others to a file.
struct KeepsLast {
  HostNs last = 0;
  int64_t pid = 0;
};
struct Written {  // the last minutes were written; the program continues
  std::string file, rule;
};
struct NotWritten {
  Error error;
};
struct Naming {};  // symbolizing begins
struct BrokenOff {
  std::string reason, output;
  bool runs = false;
};
struct Finished {
  std::string output;
  HostNs program_end = 0;
  int64_t samples = 0;
  int64_t not_sampled = 0;
  std::string not_sampled_text;       // result of NotSampledText
  std::vector<std::string> problems;  // all problems of the recording
  PassTimers timers;
  bool uses_gpu = false;
};
}  // namespace event

using Event = std::variant<event::CannotStart, event::Failed, event::CannotWrite, event::OtherName,
                           event::ProgramRuns, event::WindowOver, event::Outlived, event::Progress,
                           event::Naming, event::BrokenOff, event::Finished, event::Attached,
                           event::Detached, event::KeepsLast, event::Written, event::NotWritten>;

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void Tell(const Event& event) = 0;
  // Reports a problem. Returns the sentence that is kept in the profile.
  virtual std::string Tell(const Problem& problem) = 0;
};

}  // namespace gprofx::recorder
