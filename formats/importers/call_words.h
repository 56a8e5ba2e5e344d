// What names in traces of GPU programs mean. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// "cudaStreamSynchronize_v3020" -> "cudaStreamSynchronize"
std::string_view WithoutVersion(std::string_view call);

// Does the host wait for a device in it?
bool IsWaitingCall(std::string_view call);

// A range without what changes from one repetition to the next, so that all of them are one frame:
// "ProfilerStep#12" -> "ProfilerStep", "batch 7" -> "batch", "aten::mm, seq = 3, op_id = 8" ->
// "aten::mm".
std::string_view WithoutNumbers(std::string_view range);

// 12 of emit_nvtx's "aten::addmm, seq = 12, op_id = 345"; -1 where there is none.
int64_t SequenceOf(std::string_view range);

// "Memcpy HtoD (Pageable -> Device)", "MemcpyH2D": kind and memories as CUPTI numbers them.
void ReadCopyName(std::string_view name, TraceWork& copy);
// "Pinned", "pageable" -> CUpti_ActivityMemoryKind; 0 = unknown
uint8_t MemoryKind(std::string_view word);

}  // namespace gprofx::importers
