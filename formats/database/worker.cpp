#include "formats/database/worker.h"

#include <signal.h>

#include <system_error>
#include <utility>

namespace gprofx {

bool Worker::IsBusy() const {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(job_);
}

void Worker::Start(std::function<void()> job) {
  if (!thread_.joinable()) {
    end_ = false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {  // no thread: do the job below
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread_.joinable()) return job();
  }
  const std::lock_guard lock(mutex_);
  job_ = std::move(job);
  changed_.notify_all();
}

void Worker::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ || end_; });
    if (!job_) return;
    lock.unlock();
    job_();
    lock.lock();
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Worker::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
}

void Worker::End() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace gprofx
