// One thread that does one job at a time.
//
// Made at the first job. Where no thread can be had (a limit on processes) the caller's does the
// job. All signals are blocked in it. Jobs do not throw. Start, Wait and End are for one owner.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gprofx {

class Worker {
 public:
  Worker() = default;
  ~Worker() { End(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool IsBusy() const;
  void Start(std::function<void()> job);  // when it is not busy
  void Wait();                            // for the end of the job
  void End();                             // likewise, and the thread is gone: the caller may fork

 private:
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty: nothing to do
  bool end_ = false;
  std::thread thread_;
};

}  // namespace gprofx
