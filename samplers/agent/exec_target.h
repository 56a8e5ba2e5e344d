// A look at what an exec is about to start: can the agent be in it, and must it not be?
//
// Runs in fork and vfork children: async-signal-safe, writes nothing but its own stack and what it
// was given, needs 5 KiB of stack, opens one file at a time and closes it. Costs about 10 us beside
// the 300 us and more of an exec. Whatever cannot be read leaves everything as it is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "samplers/wire/not_sampled.h"
#include "samplers/wire/program_file.h"

namespace gprofx::agent {

struct TargetFile {
  bool found = false;
  wire::Fitness fitness = wire::Fitness::kUnknown;
  bool privileged = false;  // the kernel sets AT_SECURE: its loader ignores us
};

// The program that execveat(2) of these starts, scripts followed to their interpreter.
TargetFile LookAt(int folder, const char* path, int flags);

// The file that execvp(3) takes for `file`, in `room` or `file` itself; null = none.
constexpr size_t kPathRoom = 1024;  // of a file with a longer name nothing is known
const char* FindInPath(const char* file, const char* path_variable, char (&room)[kPathRoom]);

// What the new program's environment says of us.
struct EnvironmentFacts {
  const char* preload = nullptr;  // value of LD_PRELOAD
  const char* agent = nullptr;    // our first entry in it
  size_t agent_bytes = 0;
  bool session = false;   // GPROFX_SESSION is there
  bool valgrind = false;  // valgrind's launcher starts its tool
  size_t entries = 0;
};
EnvironmentFacts ReadEnvironment(char* const* environment);

struct ExecFacts {
  TargetFile target;
  bool preloaded = false;    // our entry is in LD_PRELOAD
  bool session = false;
  bool agent_opens = false;  // its file can be opened here
  bool reachable = false;    // the recording's memory, from this process
  bool valgrind = false;
};

struct ExecPlan {
  bool strip = false;  // our entry is taken out of LD_PRELOAD, else the loader would complain
  bool counted = false;
  wire::NotSampled reason = wire::NotSampled::kStatic;
};
ExecPlan Decide(const ExecFacts& facts);  // pure

// A copy of the environment without our entries in LD_PRELOAD (within another recording there are
// two); the variable goes when nothing else is
// in it. `room` holds StrippedBytes, 0 = it is too large to be copied.
size_t StrippedBytes(const EnvironmentFacts& facts);
char** WriteStripped(char* const* environment, const EnvironmentFacts& facts, void* room);

}  // namespace gprofx::agent
