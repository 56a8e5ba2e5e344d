// Makes one recording of a job: runs `gprof-x record` of this executable, or the program alone, in
// its own session. So Ctrl-C reaches only the job, and the job can end everything that it started.
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
  std::vector<std::string> options;      // of gprof-x record
  std::string folder;                    // working directory; "" = the current one
  std::string profile;                   // absolute path; "" = run the command without recording it
  std::string log;                       // file for the program's output; "" = standard error
  std::vector<std::string> environment;  // additional variables: "NAME=value"
};

struct CiRecordingEnd {
  int status = 0;           // exit status of gprof-x record, or of the command
  bool stopped = false;     // by a signal; a profile that exists then is complete
  size_t left_running = 0;  // programs that it left behind; they were ended
};

// Makes recordings at the same time and waits for the end of all. The programs that they left
// behind are in the last end. Otherwise as RecordOnce.
Result<std::vector<CiRecordingEnd>> RecordTogether(std::span<const CiRecording> recordings,
                                                   StopSignals& signals, const Orphans& orphans);

// Makes one recording and waits for its end. Returns an Error if gprof-x record could not be
// started or how it ended is unknown. How the program ended is in the result.
Result<CiRecordingEnd> RecordOnce(const CiRecording& recording, StopSignals& signals,
                                  const Orphans& orphans);

// Returns the last nonempty line of a log, not escaped; "" if there is none.
std::string LastLine(const std::string& path);

}  // namespace gprofx
