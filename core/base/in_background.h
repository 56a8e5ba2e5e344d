// Runs work in the background. Any thread. Starting a thread takes some 20 us.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace gprofx {

// Runs `work` in a new thread. If no thread can be created, runs it when the result is requested.
// The destructor of the future waits for `work`. Whatever `work` refers to must outlive the future.
template <class Work>
auto InBackground(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace gprofx
