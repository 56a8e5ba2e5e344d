// Options of gprof-x top. What a recording takes, too, means the same and is read by the same code.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/top/keys.h"
#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

namespace gprofx {

struct TopOptions {
  bool help = false, once = false, json = false;
  HostNs interval = 1'000'000'000;
  recorder::RecordOptions record;  // its agent is left empty
  std::string attach;              // as in cli/record.h
  std::string program_output;      // "" = nobody has named a file
  TopScreen begin;                 // what is shown first
};

Result<TopOptions> ParseTop(const std::vector<std::string>& args);
std::string TopHelp();

}  // namespace gprofx
