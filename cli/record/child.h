// Programs that gprof-x record starts one after the other in its terminal: recordings of a series,
// and Nsight Compute. One at a time, one thread.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace gprofx::record {

inline constexpr int kNoStatus = 125;  // nobody knows how it ended

// What Ctrl-C and Ctrl-\ send goes to the program that runs, too, which decides. What asks this
// process to end is passed on.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone();
  ~SignalsLeftAlone();
  SignalsLeftAlone(const SignalsLeftAlone&) = delete;
  SignalsLeftAlone& operator=(const SignalsLeftAlone&) = delete;

  // Those that were not ignored before are as usual in what is started.
  sigset_t Usual() const;

 private:
  struct sigaction interrupt_ {
  }, quit_{};
};

enum class ChildOutput { kOurs, kNowhere };

// An errno, 0 = it runs. `words`: its arguments from the name on.
int StartChild(const std::string& program, std::vector<std::string> words,
               std::vector<std::string> environment, ChildOutput output,
               const SignalsLeftAlone& signals, pid_t& pid);
// As shells have it: 128 + N when signal N ended it.
int WaitForChild(pid_t pid);

// Something has asked this process to end while a SignalsLeftAlone was there.
bool WasToldToEnd();

// Of this process, and `setting` ("BS=4") in place of what it had of that name; "" = as it is.
std::vector<std::string> EnvironmentWith(const std::string& setting);

}  // namespace gprofx::record
