// Programs of the CUDA toolkit that gprof-x starts where they are. Blocking; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx {

// The path of `name`: from PATH, $CUDA_HOME/bin, /usr/local/cuda/bin, then `more` folders; "" = it
// is in none. `env` gives a variable of the environment, null = it is not set.
std::string FindCudaTool(const std::string& name,
                         const std::function<const char*(const char*)>& env,
                         const std::vector<std::string>& more = {});

}  // namespace gprofx
