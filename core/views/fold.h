// Which frames a reader does not want to see, by what the view is of.
//
// Mixed: the interpreter's own plumbing. In the tree the evaluation loop is a native frame, the
// Python frames that it runs are its children, and the C functions that those call are theirs.
// Between two Python frames lie half a dozen C functions that only pass the call on. Folding takes
// them out of the view; their own time goes to the nearest frame towards the root that stays,
// normally the Python frame that called. The same holds for the Python frames of the import
// statement's own machinery, and for what the compiler inlined into the interpreter's functions:
// the tree is the same with debug information and without.
// What else the interpreter does is one row for each family of its functions (interpreter.h).
// Functions that work on the program's behalf (sorting, numbers, text) stay.
//
// Python: all native code below a Python frame, whose time is then that of the frame; elsewhere a
// row for each library. Native: all Python frames; their time is that of the evaluation loop.
//
// Layers at the leaves of stacks are no code: they are in no tree, whatever it is of.
// Pure, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/views/naming/interpreter.h"
#include "core/views/query.h"

namespace gprofx {

// True for functions of the interpreter that only pass calls on or start and end threads and
// programs.
bool IsInterpreterPlumbing(std::string_view function);

// True for what the C library runs below main() and below a thread's function.
bool IsThreadStart(std::string_view function);

enum class Fold : uint8_t {
  kStays,
  kAlways,   // wherever it is
  kAtStart,  // while nothing towards the root stays
  kLibrary,  // below Python; elsewhere it is shown as its library
};

struct Folding {
  CodeView code = CodeView::kMixed;
  // By FrameId::index().
  std::vector<Fold> fold;
  std::vector<Family> family;        // of the interpreter's own work; else kNone
  std::vector<uint8_t> interpreter;  // 1: code of the interpreter itself

  // Which frame stands in a tree for all of a family, and of a library (by ModuleId::index()).
  std::array<FrameId, kFamilies> of_family = {};
  std::vector<FrameId> of_library;
};

Folding FoldFrames(const Profile& profile, CodeView code, bool all_frames);

}  // namespace gprofx
