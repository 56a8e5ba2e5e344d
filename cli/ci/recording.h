// Makes one recording of a job: runs `gprof-x record` of this executable, or the program without
// it, in a session of its own. Ctrl-C then reaches only the job, and the job can end everything
// that it started.
//
// Blocking; one thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/ci/orphans.h"
#include "cli/ci/stop_signals.h"
#include "core/base/result.h"

namespace gprofx {

struct CiRecording {
  std::vector<std::string> command;
  std::vector<std::string> options;  // options for gprof-x record
  std::string folder;                // working directory; "" = the current one
  std::string profile;               // absolute path; "" = run the command without recording it
  // File for the program's output; "" = it goes to standard error.
  std::string log;
  std::vector<std::string> environment;  // additional variables: "NAME=value"
};

struct CiRecordingEnd {
  int status = 0;           // exit status of gprof-x record, or of the command
  bool stopped = false;     // stopped by a signal; if a profile exists, it is complete
  size_t left_running = 0;  // number of programs that the run left running; they were ended
};

// As RecordOnce(), but makes several recordings at the same time and waits until all have ended.
// The last element counts the programs that any of them left running.
Result<std::vector<CiRecordingEnd>> RecordTogether(std::span<const CiRecording> recordings,
                                                   StopSignals& signals, const Orphans& orphans);

// Makes one recording and waits for its end. The result contains the program's exit status. Fails
// if gprof-x record could not be started, or if its exit status is unknown.
Result<CiRecordingEnd> RecordOnce(const CiRecording& recording, StopSignals& signals,
                                  const Orphans& orphans);

// Returns the last nonempty line of a log, not escaped; "" if there is none.
std::string LastLine(const std::string& path);

}  // namespace gprofx
