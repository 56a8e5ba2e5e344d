// record --sweep 'NAME=V1 V2 ...': the same command once for each value of an environment variable,
// each with a profile of its own, labelled NAME=VALUE, for A1 and A15 of gprof-x analyze.
//
// Pure but for RunSweep, which blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace gprofx {

struct Sweep {
  std::string variable;
  std::vector<std::string> values;  // in the order given, each once
};

Result<Sweep> ParseSweep(std::string_view text);

// "run.gprofx" -> "run-BS=4.gprofx": a name beside `output`, whatever the value has in it.
std::string SweepOutput(const std::string& output, const std::string& label);

// Runs `gprof-x record` of this very program with `options`, a label, an output and `command` for
// each value, one after the other, in the terminal of this process. Ctrl-C and SIGTERM
// end the run that goes on and the sweep. Returns the status of the first run that failed, else 0; `say` gets a line for
// each of those, and one at the end unless it is to be quiet.
int RunSweep(const Sweep& sweep, const std::vector<std::string>& options,
             const std::string& output, const std::vector<std::string>& command, bool quiet,
             const std::function<void(const std::string&)>& say);

}  // namespace gprofx
