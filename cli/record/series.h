// The same command several times, each run with a profile and a label of its own: sweeps over a
// variable and leveled runs.
//
// Pure but for RunSeries, which blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx::record {

struct SeriesRun {
  std::string label;
  std::string file;
  std::string setting;               // of the environment, "BS=4"; "" = as it is
  std::vector<std::string> options;  // of gprof-x record, for this run
};

// "run.gprofx" -> "run-BS=4.gprofx": a name beside `output`, whatever the label has in it.
std::string FileOfRun(const std::string& output, const std::string& label);

// Runs `gprof-x record` of this very program with `options` and those of the run for each run, one
// after the other, in the terminal of this process. Ctrl-C and SIGTERM end the run that goes on and
// the series. Returns the status of the first run that failed, else 0; `say` gets a line for each
// of those, and one at the end, with the command `compare` of all files, unless it is to be quiet.
int RunSeries(const std::vector<SeriesRun>& runs, const std::vector<std::string>& options,
              const std::vector<std::string>& command, std::vector<std::string> compare, bool quiet,
              const std::function<void(const std::string&)>& say);

}  // namespace gprofx::record
