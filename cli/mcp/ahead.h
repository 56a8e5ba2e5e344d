// Computes answers in child processes before they are asked for. The likely next question about a
// large profile takes a second, which overlaps with the assistant reading the previous answer.
//
// One thread; the process must have no other threads while children are started. Children end with
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
  static constexpr size_t kLongest = 512 << 10;  // bytes of an answer; longer ones are dropped

  // A job calls this once for each answer. `key` is an index into Job::keys. Key 0 is that of the
  // most likely next question.
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

  // Starts each job in a child process and drops earlier answers that were not taken. If an earlier
  // job is still running, does nothing and returns false. Also returns false if memory is missing.
  bool Begin(const std::vector<Job>& jobs);
  // Returns the answers of ended jobs that were not taken before. Does not wait.
  std::vector<Made> TakeMade();
  // Returns the answer of `key` and removes it. If `key` is the first of its job, waits until the
  // job has computed it or ended. Returns nothing if there is no answer: no job has `key`, or its
  // answer failed, was taken before, or is not the first and not computed yet.
  std::optional<std::string> Take(std::string_view key);

 private:
  struct Room;
  struct Part {
    std::string key;
    Room* room;  // shared with the child; null = taken
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
