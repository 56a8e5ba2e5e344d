// Interprets the names of calls, ranges and copies in traces of GPU programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// Removes the version from the name of a call: "cudaStreamSynchronize_v3020" becomes
// "cudaStreamSynchronize". Also removes the suffixes of per-thread variants, such as "_ptsz".
std::string_view WithoutVersion(std::string_view call);

// True if the host waits for a device in this call.
bool IsWaitingCall(std::string_view call);

// True if the call puts work on a device, as its name shows.
bool IsLaunchingCall(std::string_view call);

// Removes the part of a range's name that changes between repetitions, which makes all repetitions
// one frame: "ProfilerStep#12" -> "ProfilerStep", "batch 7/10" -> "batch", "aten::mm, seq = 3,
// op_id = 8" -> "aten::mm". Only numbers at the end count repetitions: "step1_load" stays
// unchanged.
std::string_view WithoutNumbers(std::string_view range);

// An id that is a text, as in merged traces, split into a label and a number. All ids of a rank
// have the same label. "[TP00] 100" has the label "[TP00]" and the number 100. "GPU 0 (rank 3)" has
// the label "rank 3" and the number 0; "rank 3" has the label "rank 3" and the number 3.
struct IdWord {
  std::string label;
  int64_t number = 0;  // 0 if there is none
};
IdWord ParseIdWord(std::string_view word);

// Returns the sequence number in the name of a range of PyTorch's emit_nvtx: 12 for "aten::addmm,
// seq = 12, op_id = 345"; -1 if there is none.
int64_t SequenceOf(std::string_view range);

// Sets the kind of a copy and its kinds of memory from its name, such as "Memcpy HtoD (Pageable ->
// Device)" or "MemcpyH2D". The kinds are CUPTI's numbers.
void ReadCopyName(std::string_view name, TraceWork& copy);
// Returns the CUpti_ActivityMemoryKind of a word such as "Pinned" or "pageable"; 0 = unknown.
uint8_t MemoryKind(std::string_view word);

}  // namespace gprofx::importers
