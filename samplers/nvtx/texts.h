// Handles texts of the program: names that come with a call, and strings and domains that it
// registered once.
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

// Memory for the text of one call, in which wide texts are converted to UTF-8.
struct Scratch {
  char data[wire::kMaxMarkerText];
};

// Returns the text, cut to kMaxMarkerText bytes at the boundary of a UTF-8 character. The text is
// empty for a null pointer.
Text TextOf(const char* ascii);
Text TextOf(const wchar_t* wide, Scratch* scratch);  // invalid characters become U+FFFD
Text TextOf(const Attributes* attributes, Scratch* scratch);

struct Kept {       // a registered string or a domain
  uint32_t number;  // number of a domain, from 1
  uint32_t bytes;
  char text[1];  // `bytes` long
};

// Stores a text and returns where it is. If the mapping is full, returns a shared text that says
// so.
const Kept* Keep(Text text, uint32_t number);
// Returns the string or domain of a handle that the program passed; null if it is not one of ours.
const Kept* KeptAt(const void* handle);

}  // namespace gprofx::nvtx
