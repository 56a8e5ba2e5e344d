// Runs the same command several times, with a profile and a label for each run: sweeps over a
// variable and leveled runs.
//
// Pure, except RunSeries, which blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx::record {

struct SeriesRun {
  std::string label;
  std::string file;
  std::string setting;               // environment setting, "BS=4"; "" = none
  std::vector<std::string> options;  // options of gprof-x record for this run
};

// "run.gprofx" -> "run-BS=4.gprofx". Returns a name beside `output`, for any label.
std::string FileOfRun(const std::string& output, const std::string& label);

// Runs `gprof-x record` of this executable once for each run, with `options` and the options of the
// run, one after the other, in the terminal of this process. Ctrl-C and SIGTERM end the current run
// and the series. Returns the status of the first run that failed, else 0. Calls `say` for each
// failed run and, unless `quiet`, at the end with the command `compare` for all files.
int RunSeries(const std::vector<SeriesRun>& runs, const std::vector<std::string>& options,
              const std::vector<std::string>& command, std::vector<std::string> compare, bool quiet,
              const std::function<void(const std::string&)>& say);

}  // namespace gprofx::record
