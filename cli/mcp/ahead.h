// Computes answers in child processes before they are requested. The likely next question about a
// large profile takes a second, during which the assistant is still reading the previous answer.
//
// One thread. The process must have no other threads when a child is started. Children end with
// this process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/child_process.h"

namespace gprofx {

class Ahead {
 public:
  static constexpr size_t kLongest = 512 << 10;  // bytes; longer answers are dropped

  // A job calls this function once for each answer. `key` is an index in Job::keys. Key 0 belongs
  // to the most likely next question.
  using Give = std::function<void(size_t key, const std::string& text)>;
  struct Job {
    std::vector<std::string> keys;
    std::function<void(const Give& give)> make;  // runs in a child
  };

  Ahead() = default;
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  ~Ahead() { End(); }

  struct Made {
    std::string key, text;
  };

  // Drops the earlier answers that were not taken, and starts each job in a child process. If an
  // earlier job still runs, does nothing and returns false. Returns false if there is not enough
  // memory.
  bool Begin(const std::vector<Job>& jobs);
  // Returns those answers of ended jobs that have not been taken yet. Does not wait.
  std::vector<Made> TakeMade();
  // Returns the answer with this key and removes it. If `key` is the first one of its job, waits
  // until the job has computed the answer or has ended. Returns nullopt if no job has `key`, or if
  // its answer failed, was taken before, or is not the first and not computed yet.
  std::optional<std::string> Take(std::string_view key);

 private:
  struct Room;
  struct Part {
    std::string key;
    Room* room;  // shared with the child; nullptr if the answer was taken
  };
  struct Begun {
    std::vector<Part> parts;
    ChildProcess child;
  };
  static void Make(const Job& job, const Begun& begun);
  static bool IsRunning(Begun& job);
  static void Free(Part& part);
  static void Free(Begun& job);
  static std::optional<std::string> TextOf(const Part& part);
  void End();

  std::vector<Begun> jobs_;
};

}  // namespace gprofx
