// The file that an interpreter runs to load the agent, and the answer it gives. Pure.
//
// The script loads the agent as Python loads an extension module, through the one function that
// needs no other module and leaves none behind. The agent's init function writes to a file the
// address at which it waits for the recorder (wire/attach.h), with its process id: a child forked
// at that moment may run the script as well. The init function then fails, so that no module is
// created. If the agent cannot be loaded, the script writes an answer that says so.
//
// An exception that a signal handler of the program raises during the script is raised in the
// program afterwards. This does not hold while the main thread opens and compiles the script, which
// takes less than a millisecond: CPython then prints the exception and continues, as for any script
// that it is asked to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx::attach {

struct EntryFiles {
  std::string agent;   // path of the agent as the process sees it
  bool copy = false;   // load it from memory, since the file system may forbid execution
  std::string answer;  // file to write the answer to; plain ASCII
};

std::string EntryScript(const EntryFiles& files);

struct EntryAnswer {
  uint64_t request = 0;  // address of the wire::AttachRequest; 0 = the agent was not loaded
  uint32_t version = 0;  // wire version
};

// Returns the answer in `text` of the process that has the PID `process` in its own PID namespace;
// none: the answer has not been written completely yet.
std::optional<EntryAnswer> ReadAnswer(std::string_view text, int64_t process);

}  // namespace gprofx::attach
