// Writes the markers of this process and tracks the open ranges of each thread.
//
// A forked child has its own region, which is found at its first marker. If the child is not
// recorded, its markers are discarded. If a thread names very many ranges of a domain
// (frequency.h), some are left out and counted: those that begin while GPU records are off to keep
// within the overhead budget. Any thread; no lock, no allocation except one mapping per process.
#pragma once

#include <cstdint>

#include "samplers/nvtx/texts.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

// Returns false if there is no recording to join, or it cannot be reached.
bool JoinRecording();

void Push(const Kept* domain, Text name);
void Pop(const Kept* domain);
uint64_t Start(const Kept* domain, Text name);  // returns the number of the range
void End(uint64_t range);
void Moment(const Kept* domain, Text name);
const Kept* NewDomain(Text name);

}  // namespace gprofx::nvtx
