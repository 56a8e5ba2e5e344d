// Writes to the marker stream (wire/markers.h). Any thread; async-signal-safe: no lock, no
// allocation, bounded time.
#pragma once

#include <cstdint>

#include "samplers/nvtx/texts.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

struct Marker {
  wire::MarkerKind kind;
  uint16_t depth = wire::kNoDepth, lost = wire::kNoDepth;
  int32_t tid = 0;
  uint32_t domain = 0;
  int64_t time = 0;
  uint64_t range = 0;
  Text name, domain_name;
};

// Writes one marker. `stream` has kMarkerStreamBytes bytes. If there is no room, counts the marker
// as dropped and returns false.
bool Write(wire::MarkerHeader* header, uint8_t* stream, const Marker& marker);

}  // namespace gprofx::nvtx
