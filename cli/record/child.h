// Programs that gprof-x record starts one after the other in its terminal: the recordings of a
// series, and Nsight Compute. One at a time; one thread.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace gprofx::record {

inline constexpr int kNoStatus = 125;  // exit status if it is unknown how the program ended

// While it exists, this process ignores SIGINT and SIGQUIT and forwards SIGTERM and SIGHUP to the
// running program. The terminal sends SIGINT and SIGQUIT to that program, too, which decides
// whether to end.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone();
  ~SignalsLeftAlone();
  SignalsLeftAlone(const SignalsLeftAlone&) = delete;
  SignalsLeftAlone& operator=(const SignalsLeftAlone&) = delete;

  // Returns the signals that a started program must reset to their default: those not ignored
  // before.
  sigset_t Usual() const;

 private:
  struct sigaction interrupt_ {
  }, quit_{};
};

enum class ChildOutput { kOurs, kNowhere };

// Starts `program` and sets `pid`. Returns an errno; 0 = started. `words`: argv, including the
// name.
int StartChild(const std::string& program, std::vector<std::string> words,
               std::vector<std::string> environment, ChildOutput output,
               const SignalsLeftAlone& signals, pid_t& pid);
// Returns the exit status as shells do: 128 + N if signal N ended the program.
int WaitForChild(pid_t pid);

// True if SIGTERM or SIGHUP arrived while a SignalsLeftAlone existed.
bool WasToldToEnd();

// Returns the environment of this process with `setting` ("BS=4") replacing the variable of that
// name; "" = unchanged.
std::vector<std::string> EnvironmentWith(const std::string& setting);

}  // namespace gprofx::record
