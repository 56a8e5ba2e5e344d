// Starts a detached thread. Any thread.
#pragma once

#include <pthread.h>

#include <functional>
#include <memory>
#include <utility>

namespace gprofx {

// Runs `work` in a new detached thread. Returns false if no thread was created; `work` then does
// not run. The thread is created detached, because std::thread::detach may access a thread that has
// already ended (glibc before 2.40, bug 19951). Its stack is small, so `work` should do little more
// than wait. Everything that `work` refers to must outlive it.
inline bool StartDetached(std::function<void()> work) {
  constexpr size_t kStack = size_t{256} << 10;
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<std::function<void()>> todo(
        static_cast<std::function<void()>*>(argument));
    (*todo)();
    return nullptr;
  };
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run, owned.get()) == 0;
  if (started) static_cast<void>(owned.release());
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace gprofx
