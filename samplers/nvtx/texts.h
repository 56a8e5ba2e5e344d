// Texts of the program: names that come with a call, and strings that it registered once.
//
// Registered strings and domains live in one mapping of bounded size, created on first use. The
// handle that the program gets is an address in it. Nothing is freed before the process ends. Any
// thread; no lock, no malloc.
#pragma once

#include <cstdint>

#include "samplers/nvtx/abi.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

struct Text {
  const char* data = "";
  uint32_t bytes = 0;
};

// Buffer for the text of one call; wide texts are converted to UTF-8 in it.
struct Scratch {
  char data[wire::kMaxMarkerText];
};

// Returns at most kMaxMarkerText bytes, cut at a UTF-8 character boundary. A null pointer gives an
// empty text.
Text TextOf(const char* ascii);
Text TextOf(const wchar_t* wide, Scratch* scratch);  // invalid characters become U+FFFD
Text TextOf(const Attributes* attributes, Scratch* scratch);

struct Kept {       // a registered string or a domain
  uint32_t number;  // of domains only, from 1
  uint32_t bytes;
  char text[1];  // `bytes` long
};

// Stores a text. Returns where it is stored. When the mapping is full, returns one shared text that
// says so.
const Kept* Keep(Text text, uint32_t number);
// Returns the string or domain that a handle from the program refers to, or null if the handle is
// not one of ours.
const Kept* KeptAt(const void* handle);

}  // namespace gprofx::nvtx
