// Interprets names in traces of GPU programs. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// "cudaStreamSynchronize_v3020" -> "cudaStreamSynchronize"
std::string_view WithoutVersion(std::string_view call);

// True if the host waits for a device in this call.
bool IsWaitingCall(std::string_view call);

// Removes from a range's name what changes between repetitions, so that all of them become one
// frame: "ProfilerStep#12" -> "ProfilerStep", "batch 7/10" -> "batch", "aten::mm, seq = 3, op_id =
// 8" -> "aten::mm". Only numbers at the end count repetitions: "step1_load" stays.
std::string_view WithoutNumbers(std::string_view range);

// Returns the number at the end of a word: 7 for "stream 7"; 0 if there is none.
int64_t NumberAtEnd(std::string_view word);
// "[TP00] 100" -> "[TP00]"
std::string_view WithoutNumberAtEnd(std::string_view word);

// Returns the sequence number in a range named by PyTorch's emit_nvtx: 12 for "aten::addmm, seq =
// 12, op_id = 345"; -1 if there is none.
int64_t SequenceOf(std::string_view range);

// Parses "Memcpy HtoD (Pageable -> Device)" or "MemcpyH2D" into CUPTI's numbers of copy and memory
// kinds.
void ReadCopyName(std::string_view name, TraceWork& copy);
// Returns the CUpti_ActivityMemoryKind of a word such as "Pinned" or "pageable"; 0 = unknown.
uint8_t MemoryKind(std::string_view word);

}  // namespace gprofx::importers
