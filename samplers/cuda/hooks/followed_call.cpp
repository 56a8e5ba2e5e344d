#include "samplers/cuda/hooks/followed_call.h"

#include "samplers/cuda/hooks/call_names.h"

namespace gprofx::cuda {

FollowedCall FollowedCallOfName(const char* name) {
  return {CallOfName(name), MemoryCallOfName(name), TakesHandleSecond(name),
          HandsOutFunctions(name), NeedsCupti(name)};
}

}  // namespace gprofx::cuda
