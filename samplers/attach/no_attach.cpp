// In place of attach.cpp where wire::kEntersPrograms is false: every process is left as it is.
#include "samplers/attach/attach.h"
#include "samplers/attach/refusal.h"

namespace gprofx {

Result<AttachFacts> EnterProcess(pid_t pid, const AttachSetup&) { return CannotEnter(pid); }

Result<AttachFacts> LeaveProcess(pid_t pid, const AttachSetup&, const std::function<void()>&) {
  return CannotEnter(pid);
}

}  // namespace gprofx
