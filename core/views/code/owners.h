// Tells the program's own code from that of others, and names the others.
//
// Own code is the user's Python files; if there are none, all installed Python packages; without
// Python, native code outside of system libraries. Files are classified once. Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// One flag per frame, by FrameId::index(): 1 = own code.
std::vector<uint8_t> OwnFrames(const Profile& profile);

// Returns "pandas" for .../site-packages/pandas/core/frame.py, "json" for .../json/decoder.py, and
// "sqlite3" for libsqlite3.so.0.
std::string LibraryOf(std::string_view path);

// Returns the library or package of a frame's code, "Python" for the interpreter, or "C library";
// "" for what is in none.
std::string OwnerOf(const Profile& profile, FrameId frame);

}  // namespace gprofx
