// Replaces attach.cpp where wire::kEntersPrograms is false: refuses to enter any process.
#include "samplers/attach/attach.h"
#include "samplers/attach/refusal.h"

namespace gprofx::attach {

Result<AttachFacts> EnterProcess(const ProcessHandle& process, const AttachSetup&) {
  return CannotEnter(process.pid());
}

Result<AttachFacts> LeaveProcess(const ProcessHandle& process, const AttachSetup&,
                                 const std::function<void()>&) {
  return CannotEnter(process.pid());
}

}  // namespace gprofx::attach
