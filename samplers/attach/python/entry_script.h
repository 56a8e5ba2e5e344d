// The file that an interpreter runs to let the agent in, and what it answers. Pure.
//
// It loads the agent as Python loads a compiled module, by the one function that needs no other
// module and leaves none behind. The agent's start function writes to a file where it waits for the
// recorder (wire/attach.h), with the number of its process: one that was forked just then may run
// the script, too. Then it refuses to be a module. Where it is not loaded the script writes that.
//
// What a handler of the program raises meanwhile is raised in the program afterwards. Not so in the
// moment, below a millisecond, in which the interpreter opens and compiles the script, if it is the
// main thread: CPython itself prints that and goes on, as for any script that it is asked to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx::attach {

struct EntryFiles {
  std::string agent;   // path of the agent, as the process sees it
  bool copy = false;   // it is to be loaded from memory, since what is there may not be executed
  std::string answer;  // where to write; plain ASCII
};

std::string EntryScript(const EntryFiles& files);

struct EntryAnswer {
  uint64_t request = 0;  // address of the wire::AttachRequest; 0 = the agent is not there
  uint32_t version = 0;  // of its wire
};

// Of the process that has this number for itself; none: it has not written all of it yet.
std::optional<EntryAnswer> ReadAnswer(std::string_view text, int64_t process);

}  // namespace gprofx::attach
