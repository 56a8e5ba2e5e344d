// Prints the messages of gprof-x record at the right time.
//
// While the program runs, the terminal belongs to it. The program may show a prompt, a progress bar
// or a full screen, which cannot be detected. Messages are therefore held back until it ends, and
// progress (-v) is printed only if standard error is not a terminal. Lines are never split or
// rewritten. One thread.
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

  // Prints a message that the user must see, with the prefix "gprof-x: ".
  void Say(const std::string& line);
  void Tell(const std::string& line);  // does the work of Say(), unless -q is given
  // Prints the progress of the recording, at most once in 10 s. `now` is a time in ns of any
  // monotonic clock.
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
