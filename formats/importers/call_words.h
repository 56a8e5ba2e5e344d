// Interprets names in traces of GPU programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// "cudaStreamSynchronize_v3020" -> "cudaStreamSynchronize"
std::string_view WithoutVersion(std::string_view call);

// True if the host waits for a device in this call.
bool IsWaitingCall(std::string_view call);

// True if the name of the call says that it puts work on a device.
bool IsLaunchingCall(std::string_view call);

// Removes from a range's name what changes between repetitions, so that all of them become one
// frame: "ProfilerStep#12" -> "ProfilerStep", "batch 7/10" -> "batch", "aten::mm, seq = 3, op_id =
// 8" -> "aten::mm". Only numbers at the end count repetitions: "step1_load" stays.
std::string_view WithoutNumbers(std::string_view range);

// An id that is a word, as merged traces have them: a label that all of a rank has, and a number.
// "[TP00] 100" is 100 of "[TP00]"; "GPU 0 (rank 3)" is 0 of "rank 3", "rank 3" is 3 of "rank 3".
struct IdWord {
  std::string label;
  int64_t number = 0;  // 0 if there is none
};
IdWord ParseIdWord(std::string_view word);

// Returns the sequence number in a range named by PyTorch's emit_nvtx: 12 for "aten::addmm, seq =
// 12, op_id = 345"; -1 if there is none.
int64_t SequenceOf(std::string_view range);

// Parses "Memcpy HtoD (Pageable -> Device)" or "MemcpyH2D" into CUPTI's numbers of copy and memory
// kinds.
void ReadCopyName(std::string_view name, TraceWork& copy);
// Returns the CUpti_ActivityMemoryKind of a word such as "Pinned" or "pageable"; 0 = unknown.
uint8_t MemoryKind(std::string_view word);

}  // namespace gprofx::importers
