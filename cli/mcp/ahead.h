// Answers that are made in child processes before anybody asks: what a large profile will be asked
// next takes a second, in which the assistant reads the answer before.
//
// One thread, and no other in the process while children are begun. They end with this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

class Ahead {
 public:
  static constexpr size_t kLongest = 512 << 10;  // bytes of an answer; longer ones are not kept

  // Answers that are made one after the other: the first is what is likely asked next.
  using Give = std::function<void(size_t key, const std::string& text)>;
  struct Job {
    std::vector<std::string> keys;
    std::function<void(const Give& give)> make;  // in a child
  };

  Ahead() = default;
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  ~Ahead() { End(); }

  struct Made {
    std::string key, text;
  };

  // Begins the jobs, each in a child. False: one of those before still runs, and nothing was begun.
  // What nobody took of them is forgotten.
  bool Begin(const std::vector<Job>& jobs);
  // Takes the answers that are there, without waiting.
  std::vector<Made> TakeMade();
  // The answer of that key; the first of a job is waited for while it is made. None: it is not
  // among the jobs, not there yet, was taken already, or could not be made.
  std::optional<std::string> Take(std::string_view key);

 private:
  struct Room;
  struct Part {
    std::string key;
    Room* room;  // shared with the child; null: taken
  };
  struct Begun {
    std::vector<Part> parts;
    pid_t child;  // -1: it has ended
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
