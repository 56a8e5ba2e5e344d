// Separates the program's own code from other code, and finds the library or package to which other
// code belongs.
//
// Own code is the user's Python files. If there are none, it is all installed Python packages; in a
// program without Python, native code outside of system libraries. Each file is classified once.
// Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns a flag for each frame, by FrameId::index(): 1 = own code.
std::vector<uint8_t> OwnFrames(const Profile& profile);

// Returns the name of the library or package of a file: "pandas" for
// .../site-packages/pandas/core/frame.py, "json" for .../json/decoder.py, and "sqlite3" for
// libsqlite3.so.0.
std::string LibraryOf(std::string_view path);

// Returns the library or package to which a frame's code belongs. Returns "Python" for the
// interpreter, "C library" for the C library, and "" if the code belongs to none.
std::string OwnerOf(const Profile& profile, FrameId frame);

}  // namespace gprofx
