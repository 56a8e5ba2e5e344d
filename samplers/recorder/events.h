// What a recording tells whoever runs it, while it goes on: values, no sentences.
//
// A Problem is also kept in the profile (meta `problems`), as the sentence that the listener made
// of it. Everything else is an Event. Called from the recording loop's thread. A listener may
// throw; then the recording breaks off and the program runs on.
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
struct CannotSample {  // the program; `why` is the inspection's line
  std::string why;
};
struct BuiltWithoutCuda {};
struct NoSpool {  // the code of GPU modules cannot be kept
  Error error;
};
struct GpuNotice {      // of a target
  uint32_t notice = 0;  // wire::GpuNotice
  std::string text;
  bool samples_asked = false;  // the user asked for samples of GPU instructions
};
struct TorchProfiler {};  // the program's own got no GPU events
struct ForkedCudaCalls {};
struct LeftBehind {  // processes that outlived the command for too long
  std::vector<int64_t> pids;
};
struct TimersMissing {
  int64_t threads = 0;
  uint64_t pending_signal_limit = 0;
};
struct OtherNvtx {  // the user's own library gets the ranges that the program names
  std::string path;
};
struct StaysIn {  // the agent could not leave a process in full
  Error error;
};
struct EndedByFault {  // of a process
  int64_t pid = 0;
  std::string program, thread;
  int signal = 0;
  std::optional<uint64_t> address;
  std::vector<std::string> stack;  // the innermost first
  bool near_us = false;            // our own code or CUPTI was on the stack
};
struct MoreFaults {
  int64_t processes = 0;  // beyond those that were told
};
struct RowsDropped {
  int64_t rows = 0;
};
struct UserLeftOut {  // its processes wrote more than one user may
  uint32_t user = 0;
};
struct StoppedListening {};  // a process of the recording sent what none of ours sends
}  // namespace problem

using Problem = std::variant<problem::CannotSample, problem::BuiltWithoutCuda, problem::NoSpool,
                             problem::GpuNotice, problem::TorchProfiler, problem::ForkedCudaCalls,
                             problem::LeftBehind, problem::TimersMissing, problem::RowsDropped,
                             problem::OtherNvtx, problem::StaysIn, problem::EndedByFault,
                             problem::MoreFaults, problem::UserLeftOut, problem::StoppedListening>;

namespace event {
struct CannotStart {  // the command
  std::string command, program;
  bool found = true;
  int exec_errno = 0;  // 0: its file may not be executed
};
struct Failed {  // the recording, its last write, or the file of GPROFX_RAW
  Error error;
};
struct CannotWrite {  // the file, for now
  Error error;
  bool runs = true;  // the program
};
struct OtherName {  // another recording writes `asked`
  std::string asked, taken;
};
struct ProgramRuns {
  bool runs = false;
};
struct Attached {
  int64_t pid = 0;
  HostNs held = 0;              // how long one of its threads stood still
  bool by_interpreter = false;  // none stood still
};
struct Detached {
  int64_t pid = 0;
  HostNs held = 0;
};
struct WindowOver {  // --duration
  HostNs recorded = 0;
};
struct Outlived {  // processes that are waited for
  std::vector<int64_t> pids;
};
struct Progress {
  HostNs time = 0;
  int64_t samples = 0;
};
struct KeepsLast {  // what is older than `last` is dropped; SIGUSR2 to this process writes it
  HostNs last = 0;
  int64_t pid = 0;
};
struct Written {  // the last minutes, while the program runs on
  std::string file, rule;
};
struct NotWritten {
  Error error;
};
struct Naming {};  // symbols are looked up
struct BrokenOff {
  std::string reason, output;
  bool runs = false;
};
struct Finished {
  std::string output;
  HostNs program_end = 0;
  int64_t samples = 0;
  int64_t not_sampled = 0;
  std::string not_sampled_text;       // NotSampledText
  std::vector<std::string> problems;  // sentences, all of the recording
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
  // Returns the sentence for the profile.
  virtual std::string Tell(const Problem& problem) = 0;
};

}  // namespace gprofx::recorder
