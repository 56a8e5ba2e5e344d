#include "samplers/cuda/followed_call.h"

#include "samplers/cuda/call_names.h"

namespace gprofx::cuda {

FollowedCall FollowedCallOfName(const char* name) {
  return {CallOfName(name), MemoryCallOfName(name), TakesHandleSecond(name),
          HandsOutFunctions(name), NeedsCupti(name)};
}

}  // namespace gprofx::cuda
