// Runs the programs that gprof-x record starts in its terminal: the recordings of a series, and
// Nsight Compute. One program at a time; one thread.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace gprofx::record {

inline constexpr int kNoStatus = 125;  // result if it is unknown how the program ended

// During the lifetime of this object, this process ignores SIGINT and SIGQUIT, and forwards SIGTERM
// and SIGHUP to the running program. The terminal sends SIGINT and SIGQUIT to that program, too,
// and the program decides whether to end.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone();
  ~SignalsLeftAlone();
  SignalsLeftAlone(const SignalsLeftAlone&) = delete;
  SignalsLeftAlone& operator=(const SignalsLeftAlone&) = delete;

  // Returns the signals that a started program must reset to their default actions: those that this
  // process did not ignore before.
  sigset_t Usual() const;

 private:
  struct sigaction interrupt_ {
  }, quit_{};
};

enum class ChildOutput { kOurs, kNowhere };

// Starts `program` and sets `pid`. `words` are its arguments, beginning with its name. Returns 0 or
// an errno.
int StartChild(const std::string& program, std::vector<std::string> words,
               std::vector<std::string> environment, ChildOutput output,
               const SignalsLeftAlone& signals, pid_t& pid);
// Waits until the program has ended. Returns its exit status as shells report it: 128 + N if signal
// N ended it.
int WaitForChild(pid_t pid);

// True if SIGTERM or SIGHUP has arrived while a SignalsLeftAlone existed.
bool WasToldToEnd();

// Returns the environment of this process. The variable in `setting` ("BS=4") is added or replaced;
// "" changes nothing.
std::vector<std::string> EnvironmentWith(const std::string& setting);

}  // namespace gprofx::record
