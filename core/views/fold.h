// Which frames a reader does not want to see: the interpreter's own plumbing.
//
// In the tree the evaluation loop is a native frame, the Python frames that it runs are its
// children, and the C functions that those call are theirs. Between two Python frames lie half a
// dozen C functions that only pass the call on. Folding takes them out of the view; their own time
// goes to the nearest frame towards the root that stays, normally the Python frame that called.
// The same holds for the Python frames of the import statement's own machinery, and for what the
// compiler inlined into the interpreter's functions: the tree is the same with debug information
// and without.
// Functions that work on the program's behalf (sorting, dictionaries, numbers, text) stay. Pure,
// any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/profile.h"

namespace gprofx {

// True for functions of the interpreter that only pass calls on or start and end threads and
// programs.
bool IsInterpreterPlumbing(std::string_view function);

// True for what the C library runs below main() and below a thread's function.
bool IsThreadStart(std::string_view function);

// One flag per frame (FrameId::index()): 1 = folded wherever it is; 2 = folded while nothing
// towards the root stays.
std::vector<uint8_t> FoldableFrames(const Profile& profile);

constexpr uint8_t kFoldAlways = 1;
constexpr uint8_t kFoldAtStart = 2;

}  // namespace gprofx
