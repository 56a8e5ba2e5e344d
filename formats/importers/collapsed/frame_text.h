// Parses the text of frames of collapsed stacks. "work (app.py:3)" of py-spy has a file and a line,
// and so has "app.py:work:3" of austin and of Python's own profiler. "work app.py:3" of other tools
// is only a name. Pure.
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

// True for the name of a file of Python code, such as "a.py" or "<frozen importlib._bootstrap>".
bool IsPythonFile(std::string_view file);

FrameId FrameOfParts(Profile& profile, const FrameParts& parts);
FrameId FrameOfText(Profile& profile, std::string_view text);

}  // namespace gprofx::importers
