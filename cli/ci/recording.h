// One recording of a job: `gprof-x record` of this very program, in a session of its own, so that
// Ctrl-C reaches the job alone and the job can end all that it started.
//
// Blocking; one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/ci/orphans.h"
#include "cli/ci/stop_signals.h"
#include "core/base/result.h"

namespace gprofx {

struct CiRecording {
  std::vector<std::string> command;
  std::vector<std::string> options;  // of gprof-x record
  std::string folder;                // to run in; "" = the current one
  std::string profile;               // absolute path
  std::string log;                   // of what the program prints; "" = standard error
};

struct CiRecordingEnd {
  int status = 0;           // as gprof-x record has it
  bool stopped = false;     // by a signal; a profile that is there then is whole
  size_t left_running = 0;  // programs that it left, which were ended
};

// An error is about starting it; how the program ended is in the answer.
Result<CiRecordingEnd> RecordOnce(const CiRecording& recording, StopSignals& signals,
                                  const Orphans& orphans);

// The last line of a log that says anything, not escaped; "" where there is none.
std::string LastLine(const std::string& path);

}  // namespace gprofx
