// Runs jobs in a background thread, one at a time.
//
// Start creates the thread if there is none. If that fails, for example because of a limit on
// processes, Start does the job in the caller's thread. All signals are blocked in the new thread.
// Jobs must not throw. Only the owner of the object calls Start, Wait and End.
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
  void Start(std::function<void()> job);  // the worker must not be busy
  void Wait();                            // waits for the end of the job
  void End();  // waits for the job and ends the thread; the caller may fork afterwards

 private:
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty = no job
  bool end_ = false;
  std::thread thread_;
};

}  // namespace gprofx
