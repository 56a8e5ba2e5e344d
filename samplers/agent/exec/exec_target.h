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
  bool musl = false;
  bool privileged = false;  // the kernel sets AT_SECURE: its loader ignores us
};

// The program that execveat(2) of these starts, scripts followed to their interpreter.
TargetFile LookAt(int folder, const char* path, int flags);

// Are the libraries there that the agent asks for? The loader ends a program in another root for
// want of one. musl has them all in itself.
bool LibrariesOpen();

// The file that execvp(3) takes for `file`, in `room` or `file` itself; null = none.
constexpr size_t kPathRoom = 1024;  // of a file with a longer name nothing is known
const char* FindInPath(const char* file, const char* path_variable, char (&room)[kPathRoom]);

// What the new program's environment says of us.
struct EnvironmentFacts {
  const char* preload = nullptr;  // value of LD_PRELOAD
  const char* agent = nullptr;    // our first entry in it
  bool session = false;           // GPROFX_SESSION is there
  bool confined = false;          // ... and says that nobody may join any more
  bool valgrind = false;          // valgrind's launcher starts its tool
  size_t entries = 0;
};
EnvironmentFacts ReadEnvironment(char* const* environment);

struct ExecFacts {
  TargetFile target;
  bool preloaded = false;  // our entry is in LD_PRELOAD
  bool replaced = false;   // others are, in its place
  bool session = false;
  bool confined = false;
  bool agent_opens = false;  // its file can be opened here
  bool reachable = false;    // the recording's memory, from this process
  bool valgrind = false;
};

struct ExecPlan {
  bool strip = false;  // our entry is taken out of LD_PRELOAD, else the loader would complain
  bool add = false;    // our entries are put behind those that replaced them
  bool counted = false;
  wire::NotSampled reason = wire::NotSampled::kStatic;
};
ExecPlan Decide(const ExecFacts& facts);  // pure

// Our entries in a value of LD_PRELOAD, in `room`; empty where they do not fit.
void CopyOwnEntries(const char* preload, char (&room)[kPathRoom]);

// A copy of the environment with `own` in place of our entries in LD_PRELOAD (within another
// recording there are two), behind all others; the variable goes when nothing is in it. `room`
// holds ChangedBytes, 0 = it is too large to be copied.
size_t ChangedBytes(const EnvironmentFacts& facts, const char* own);
char** WriteChanged(char* const* environment, const EnvironmentFacts& facts, const char* own,
                    void* room);

}  // namespace gprofx::agent
