// The writing end of the marker stream (wire/markers.h). Any thread; async-signal-safe: no lock, no
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

// Writes one marker. `stream` has kMarkerStreamBytes. Returns false if there is no room, after
// counting the marker as dropped.
bool Write(wire::MarkerHeader* header, uint8_t* stream, const Marker& marker);

}  // namespace gprofx::nvtx
