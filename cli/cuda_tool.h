// Finds programs of the CUDA toolkit. Blocking; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx {

// Returns the path of `name`. Searches PATH, $CUDA_HOME/bin, /usr/local/cuda/bin, then the folders
// `more`; "" = not found. `env` returns an environment variable, or null if it is not set.
std::string FindCudaTool(const std::string& name,
                         const std::function<const char*(const char*)>& env,
                         const std::vector<std::string>& more = {});

}  // namespace gprofx
