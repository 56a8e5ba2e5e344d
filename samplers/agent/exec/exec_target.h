// Inspects the program that an exec is about to start. Decides whether the agent can run in it and
// whether the agent must be kept out.
//
// Runs in fork and vfork children. Async-signal-safe; writes only to its own stack and its
// arguments, needs 5 KiB of stack, opens one file at a time and closes it. Costs about 10 us; an
// exec takes 300 us or more. If anything cannot be read, the program starts with an unchanged
// environment.
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
  bool privileged = false;  // the kernel sets AT_SECURE, and the loader ignores LD_PRELOAD
};

// Describes the program that execveat(2) would start with these arguments. If the file is a script,
// describes its interpreter instead.
TargetFile LookAt(int folder, const char* path, int flags);

// True if the libraries that the agent links against can be opened. In another root directory one
// may be missing, and the loader would then end the program. Not called for programs with musl,
// whose libc contains all of them.
bool LibrariesOpen();

// Returns the path that execvp(3) would use for `file`. The result is either a path that is written
// to `room`, or `file` itself. Returns null if there is none.
constexpr size_t kPathRoom = 1024;  // longer paths are not examined
const char* FindInPath(const char* file, const char* path_variable, char (&room)[kPathRoom]);

// What the environment of the new program says about the agent and about valgrind.
struct EnvironmentFacts {
  const char* preload = nullptr;  // value of LD_PRELOAD
  const char* agent = nullptr;    // our first entry in it
  bool session = false;           // GPROFX_SESSION is set
  bool confined = false;          // the value of GPROFX_SESSION forbids joining
  bool valgrind = false;          // valgrind's launcher is starting its tool
  size_t entries = 0;
};
EnvironmentFacts ReadEnvironment(char* const* environment);

struct ExecFacts {
  TargetFile target;
  bool preloaded = false;  // one of our entries is in LD_PRELOAD
  bool replaced = false;   // LD_PRELOAD has entries, but not ours
  bool session = false;
  bool confined = false;
  bool agent_opens = false;  // the agent's file can be opened by this process
  bool reachable = false;    // this process can open the recording's shared memory
  bool valgrind = false;
};

struct ExecPlan {
  bool strip = false;  // remove our LD_PRELOAD entry, because the loader would complain
  bool add = false;    // append our entries to LD_PRELOAD
  bool counted = false;
  wire::NotSampled reason = wire::NotSampled::kStatic;
};
ExecPlan Decide(const ExecFacts& facts);  // pure

// Copies our entries of an LD_PRELOAD value to `room`. Entries that do not fit are left out.
void CopyOwnEntries(const char* preload, char (&room)[kPathRoom]);

// WriteChanged writes a copy of the environment to `room`, which has ChangedBytes bytes. It removes
// our entries from LD_PRELOAD (within another recording there are two) and appends `own` after all
// others. If the variable would be empty, it is left out. ChangedBytes returns 0 if the environment
// is too large to copy.
size_t ChangedBytes(const EnvironmentFacts& facts, const char* own);
char** WriteChanged(char* const* environment, const EnvironmentFacts& facts, const char* own,
                    void* room);

}  // namespace gprofx::agent
