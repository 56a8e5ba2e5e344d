// Makes one recording of a job: runs `gprof-x record` of this executable, or only the program, in a
// session of its own. Ctrl-C then reaches only the job, and the job can end everything that it
// started.
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
  std::string profile;               // absolute path; "" = the command is run but not recorded
  // File that receives the program's output; "" = standard error.
  std::string log;
  std::vector<std::string> environment;  // additional variables: "NAME=value"
};

struct CiRecordingEnd {
  int status = 0;           // exit status of gprof-x record, or of the command
  bool stopped = false;     // a signal stopped it; if a profile exists, the profile is complete
  size_t left_running = 0;  // number of programs that the run left; they were ended
};

// Makes several recordings at the same time and waits until all have ended. The results are as
// those of RecordOnce(). The last one counts the programs that any of them left running.
Result<std::vector<CiRecordingEnd>> RecordTogether(std::span<const CiRecording> recordings,
                                                   StopSignals& signals, const Orphans& orphans);

// Makes one recording and waits for its end. The result contains the program's exit status. Fails
// if gprof-x record could not be started, or if its exit status is unknown.
Result<CiRecordingEnd> RecordOnce(const CiRecording& recording, StopSignals& signals,
                                  const Orphans& orphans);

// Returns the last nonempty line of a log, not escaped. Returns "" if there is none.
std::string LastLine(const std::string& path);

}  // namespace gprofx
