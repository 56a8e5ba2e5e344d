// Runs the same command several times, with a profile and a label for each run: sweeps over a
// variable, and leveled runs. Pure, except RunSeries(), which blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx::record {

struct SeriesRun {
  std::string label;
  std::string file;
  std::string setting;               // environment variable for this run, such as "BS=4"; "" = none
  std::vector<std::string> options;  // options of gprof-x record for this run
};

// Returns the file of a run, such as "run-BS=4.gprofx" for the output "run.gprofx". It is in the
// folder of `output`, whatever the label contains.
std::string FileOfRun(const std::string& output, const std::string& label);

// Runs `gprof-x record` of this executable once for each run, one after the other, in this
// terminal. Each run gets `options` and the options of the run. Ctrl-C and SIGTERM end the current
// run and the series.
//
// Returns 0, or the status of the first run that failed. Calls `say` for each failed run. At the
// end, unless `quiet`, calls it with a command that compares all files (`compare`).
int RunSeries(const std::vector<SeriesRun>& runs, const std::vector<std::string>& options,
              const std::vector<std::string>& command, std::vector<std::string> compare, bool quiet,
              const std::function<void(const std::string&)>& say);

}  // namespace gprofx::record
