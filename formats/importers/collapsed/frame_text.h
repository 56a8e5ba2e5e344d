// Frames of collapsed stacks as text. "work (app.py:3)", as py-spy writes it, has a file and a
// line, and so has "app.py:work:3" of austin and of Python's own profiler. "work app.py:3" of other
// tools is only a name. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx::importers {

struct FrameParts {
  std::string_view name, file;
  uint32_t line = 0;
  bool is_python = false;
};

// True for a file of Python code: "a.py", "<frozen importlib._bootstrap>".
bool IsPythonFile(std::string_view file);

FrameId FrameOfParts(Profile& profile, const FrameParts& parts);
FrameId FrameOfText(Profile& profile, std::string_view text);

}  // namespace gprofx::importers
