// Finds programs of the CUDA toolkit. Blocking; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gprofx {

// Returns the path of the program `name`. Returns "" if it is not found. Searches PATH,
// $CUDA_HOME/bin, /usr/local/cuda/bin and then the folders `more`. `env` returns the value of an
// environment variable, or null if it is not set.
std::string FindCudaTool(const std::string& name,
                         const std::function<const char*(const char*)>& env,
                         const std::vector<std::string>& more = {});

}  // namespace gprofx
