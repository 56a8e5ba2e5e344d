// Runs a function in the background. Any thread. Starting a thread takes about 20 us.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace gprofx {

// Runs `work` in a new thread and returns a future of its result. If no thread can be created,
// `work` runs when the result is requested. The destructor of the future waits for `work`.
// Everything that `work` refers to must outlive the future.
template <class Work>
auto InBackground(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace gprofx
