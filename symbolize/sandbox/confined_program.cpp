#include "symbolize/sandbox/confined_program.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbolize/sandbox/sandbox_filter.h"
#include "symbolize/sandbox/sandbox_rights.h"

namespace gprofx {
namespace {

bool Limit(decltype(RLIMIT_AS) which, uint64_t value) {
  const rlimit limit = {value, value};
  return setrlimit(which, &limit) == 0;
}

}  // namespace

bool ConfineProgram(const ProgramLimits& limits) {
  CloseFrom(STDERR_FILENO + 1);
  return Limit(RLIMIT_CORE, 0) && Limit(RLIMIT_AS, limits.address_space) &&
         Limit(RLIMIT_CPU, limits.cpu_seconds) && DropCapabilities(0).ok() &&
         prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         RestrictSystemCalls(Confined::kProgram);
}

}  // namespace gprofx
