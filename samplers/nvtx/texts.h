// Texts of the program: names as they come with a call, and those that it registered once.
//
// Registered strings and domains live in one mapping of bounded size, made at the first of them;
// the handle that the program gets is a place in it. Nothing is freed before the process ends. Any
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

// Room for the text of one call; wide texts become UTF-8 in it.
struct Scratch {
  char data[wire::kMaxMarkerText];
};

// At most kMaxMarkerText bytes, cut between characters of UTF-8. Null is empty.
Text TextOf(const char* ascii);
Text TextOf(const wchar_t* wide, Scratch* scratch);  // what is no character becomes U+FFFD
Text TextOf(const Attributes* attributes, Scratch* scratch);

struct Kept {       // a registered string or a domain
  uint32_t number;  // from 1 on; of domains
  uint32_t bytes;
  char text[1];  // `bytes` of them
};

// Where there is no room any more, all share one that says so.
const Kept* Keep(Text text, uint32_t number);
// What a handle of the program stands for; null: it is none of ours.
const Kept* KeptAt(const void* handle);

}  // namespace gprofx::nvtx
