// The messages of gprof-x record, and when they are printed.
//
// The terminal belongs to the program while it runs: the program may show a prompt, a progress bar
// or a full screen, which cannot be detected. So messages are held back until it ends, and progress
// (-v) is printed only if standard error is not a terminal. Lines are never split or rewritten. One
// thread.
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

  void Say(const std::string& line);   // what the user must see; prefixed by "gprof-x: "
  void Tell(const std::string& line);  // like Say, but suppressed by -q
  // Reports the progress of the recording, at most once in 10 s. `now` is in ns of any monotonic
  // clock.
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
