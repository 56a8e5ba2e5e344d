// A small training run as the recorder would store it: Python, libtorch, a BLAS without symbols,
// two processes.
#pragma once

#include <string_view>

#include "core/model/profile.h"

namespace gprofx::testing {

// Adds stacks frame by frame, outermost first.
class ProfileMaker {
 public:
  ProfileMaker();

  ModuleId AddModule(std::string_view path, uint32_t flags);
  ThreadId AddThread(int64_t pid, int64_t tid, std::string_view process, std::string_view thread);

  FrameId Python(std::string_view name, std::string_view file, uint32_t line, uint32_t first_line);
  FrameId Native(std::string_view name, ModuleId module, std::string_view file = "",
                 uint32_t line = 0);
  FrameId Inlined(std::string_view name, ModuleId module, std::string_view file, uint32_t line);
  FrameId Nameless(ModuleId module, uint64_t address);
  FrameId Special(FrameKind kind);

  // `samples` samples of one millisecond each.
  void Add(ThreadId thread, std::initializer_list<FrameId> stack, int64_t samples,
           bool holds_gil = true);

  Profile profile;
};

Profile TrainingProfile();  // complete, good
// A program of NumPy under an interpreter with debug information, with threads that wait and
// workers.
Profile PoolProfile();
Profile HostileProfile();  // every name holds escapes, newlines, emoji, invalid bytes

}  // namespace gprofx::testing
