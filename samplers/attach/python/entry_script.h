// Makes the script that an interpreter runs to load the agent, and reads the answer. Pure.
//
// The script loads the agent as Python loads an extension module, but through the one function that
// needs no other module and leaves none behind. The agent's init function writes an answer to a
// file: the address at which it waits for the recorder (wire/attach.h), and its process id, because
// a child that was forked at that moment may run the script as well. The init function then fails,
// so no module is created. If the agent cannot be loaded, the script writes an answer that says so.
//
// If a signal handler of the program raises an exception during the script, the exception is raised
// in the program afterwards. There is one gap: while the main thread opens and compiles the script,
// which takes less than a millisecond, CPython prints the exception and continues. It does so for
// any script that it is asked to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx::attach {

struct EntryFiles {
  std::string agent;   // path of the agent as the process sees it
  bool copy = false;   // load a copy in memory, because the file system may forbid execution
  std::string answer;  // file to which the answer is written; plain ASCII
};

// Returns the text of the script that loads the agent.
std::string EntryScript(const EntryFiles& files);

struct EntryAnswer {
  uint64_t request = 0;  // address of the wire::AttachRequest; 0 = the agent was not loaded
  uint32_t version = 0;  // wire version of the agent
};

// Returns the answer in `text`, the content of the answer file, that comes from `process`, a PID in
// the process's own PID namespace. Returns none if that answer is not complete yet.
std::optional<EntryAnswer> ReadAnswer(std::string_view text, int64_t process);

}  // namespace gprofx::attach
