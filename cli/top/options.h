// Parses the options of gprof-x top. An option that record also has means the same and is parsed by
// the same code.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/top/keys.h"
#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

namespace gprofx {

struct TopOptions {
  Help help = Help::kNone;
  bool once = false, json = false;
  HostNs interval = 1'000'000'000;
  recorder::RecordOptions record;  // `agent` is not set
  std::string attach;          // words of a process's command line (ParsedRecord in cli/record.h)
  std::string program_output;  // file for the program's output; "" = none
  TopScreen begin;             // state of the display at the start
};

Result<TopOptions> ParseTop(const std::vector<std::string>& args);
std::string TopHelp(Help which = Help::kAll);

}  // namespace gprofx
