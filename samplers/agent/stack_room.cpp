// Signal path: getauxval(3) only looks through a vector.
#include "samplers/agent/stack_room.h"

#include <sys/auxv.h>

namespace gprofx::agent {
namespace {

constexpr unsigned long kMinSignalStack = 51;  // AT_MINSIGSTKSZ, Linux 5.14 and later
constexpr uint64_t kWithAvx512 = 3632;

}  // namespace

uint64_t SignalFrameBytes() {
  const uint64_t bytes = getauxval(kMinSignalStack);
  return bytes != 0 ? bytes : kWithAvx512;
}

}  // namespace gprofx::agent
