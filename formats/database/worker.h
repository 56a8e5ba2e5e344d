// One thread that does one job at a time.
//
// The thread is created at the first job. If no thread can be created (a limit on processes), Start
// does the job in the caller's thread. All signals are blocked in the thread. Jobs must not throw.
// Only the owner of the object calls Start, Wait and End.
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
  void Start(std::function<void()> job);  // must not be busy
  void Wait();                            // waits for the end of the job
  void End();                             // waits and ends the thread, so that the caller may fork

 private:
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty: no job
  bool end_ = false;
  std::thread thread_;
};

}  // namespace gprofx
