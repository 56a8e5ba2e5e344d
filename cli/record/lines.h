// What gprof-x record says, and when.
//
// The terminal belongs to the program while it runs: it may show a prompt, a progress bar or a
// whole screen there, and nobody can tell. So lines that come up meanwhile are kept until its end,
// and how the recording goes is told (-v) only where standard error is no terminal. Lines are whole
// and never rewritten. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gprofx::record {

class Lines {
 public:
  using Print = std::function<void(const std::string& line)>;
  enum class Verbosity { kQuiet, kUsual, kVerbose };

  Lines(Verbosity verbosity, bool is_terminal, Print print);
  ~Lines() { ProgramRuns(false); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void Say(const std::string& line);   // what the user must see; gets "gprof-x: " in front
  void Tell(const std::string& line);  // likewise, but -q leaves it out
  // How far the recording is, `now` in ns of any monotonic clock: at most once in 10 s.
  void Progress(const std::string& line, int64_t now);
  void ProgramRuns(bool runs);

 private:
  void Put(const std::string& line);

  Verbosity verbosity_;
  bool is_terminal_;
  Print print_;
  bool runs_ = false;
  int64_t next_progress_ = 0;
  std::vector<std::string> kept_;
  size_t left_out_ = 0;
};

}  // namespace gprofx::record
