// Decides which frames a view hides. This depends on whether the view shows mixed, Python or native
// code:
//
// Mixed: hides interpreter functions that only forward a call. In the tree, the evaluation loop is
// a native frame. The Python frames that it runs are its children, and the C functions that a
// Python frame calls are children of that Python frame. Between two Python frames there are about
// six C functions that only forward the call. They are hidden; their own time goes to the nearest
// shown frame towards the root, normally the Python frame that made the call. The Python frames of
// the import machinery are hidden, too. So is code that the compiler inlined into the interpreter's
// functions; the tree is therefore the same with and without debug information. Other interpreter
// functions are shown as one row per family (interpreter.h). Functions that work on the program's
// behalf (sorting, numbers, text) are shown.
//
// Python: hides the import machinery. Also hides all native code and all waiting below a Python
// frame, and counts their time as that of the frame. Native code elsewhere is one row per library.
//
// Native: hides all Python frames and counts their time as that of the evaluation loop.
//
// Layer frames at the leaves of stacks are not code and are in no tree. Pure, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/views/naming/interpreter.h"
#include "core/views/query.h"

namespace gprofx {

// True for interpreter functions that only forward calls or start and end threads and programs.
bool IsInterpreterPlumbing(std::string_view function);

// True for functions of the C library that start the program or a thread. They call main() or the
// thread's function.
bool IsThreadStart(std::string_view function);

enum class Fold : uint8_t {
  kStays,
  kAlways,   // hidden wherever it is
  kAtStart,  // hidden unless a frame between it and the root is shown
  kLibrary,  // hidden below Python; elsewhere shown as its library
};

struct Folding {
  CodeView code = CodeView::kMixed;
  bool own = false;  // show only own code, see code/owners.h
  // The following vectors are indexed by FrameId::index().
  std::vector<Fold> fold;
  std::vector<Family> family;        // of an interpreter function; otherwise kNone
  std::vector<uint8_t> interpreter;  // 1: code of the interpreter itself

  // The frame that represents a whole family in a tree; the frame that represents a whole library,
  // by ModuleId::index().
  std::array<FrameId, kFamilies> of_family = {};
  std::vector<FrameId> of_library;
};

Folding FoldFrames(const Profile& profile, CodeView code, bool all_frames);

}  // namespace gprofx
