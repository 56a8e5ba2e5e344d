// Work beside that of the caller. Any thread. Times: of starting a thread, some 20 us.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace gprofx {

// Runs `work` in a thread of its own; where that is refused, when its result is asked for. The
// future waits for it when it goes; what `work` refers to must outlive it.
template <class Work>
auto InBackground(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace gprofx
