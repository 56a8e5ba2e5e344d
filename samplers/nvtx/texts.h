// Handles texts of the program: names that come with a call, and strings and domains that the
// program registers once.
//
// Registered strings and domains are in one mapping of bounded size, which is created when it is
// first needed. The handle that the program gets is an address in it. Nothing is freed before the
// process ends. Any thread; no lock, no malloc.
#pragma once

#include <cstdint>

#include "samplers/nvtx/abi.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

struct Text {
  const char* data = "";
  uint32_t bytes = 0;
};

// Memory in which a wide text is converted to UTF-8 during one call.
struct Scratch {
  char data[wire::kMaxMarkerText];
};

// Returns the text, cut to kMaxMarkerText bytes at a character boundary of UTF-8. A null pointer
// gives an empty text.
Text TextOf(const char* ascii);
Text TextOf(const wchar_t* wide, Scratch* scratch);  // invalid characters become U+FFFD
Text TextOf(const Attributes* attributes, Scratch* scratch);

struct Kept {       // a registered string or a domain
  uint32_t number;  // number of a domain, from 1
  uint32_t bytes;
  char text[1];  // `bytes` long
};

// Stores a text with its number and returns where it is. If the mapping is full, returns a shared
// text that says so.
const Kept* Keep(Text text, uint32_t number);
// Returns the string or domain behind a handle that the program passed. Returns null if the handle
// is not one of ours.
const Kept* KeptAt(const void* handle);

}  // namespace gprofx::nvtx
