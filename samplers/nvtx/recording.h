// Where markers of this process go, and what each thread has open.
//
// A fork child has a region of its own, which is found at its first marker; where it is not
// recorded its markers go nowhere. Of a thread that names very many ranges of a domain
// (frequency.h), those that begin while the budget has GPU records off are left out and counted.
// Any thread; no lock, no allocation but one mapping per process.
#pragma once

#include <cstdint>

#include "samplers/nvtx/texts.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

// False: no recording to join, or it cannot be reached.
bool JoinRecording();

void Push(const Kept* domain, Text name);
void Pop(const Kept* domain);
uint64_t Start(const Kept* domain, Text name);  // the number of the range
void End(uint64_t range);
void Moment(const Kept* domain, Text name);
const Kept* NewDomain(Text name);

}  // namespace gprofx::nvtx
