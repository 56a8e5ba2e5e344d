// CUPTI in the program's process: it comes to make records, and leaves.
//
// What CUPTI has done once it goes on to cost: after its first records of kernels each launch
// takes 1.7 us more in a real program, though it makes none any more, until cuptiFinalize takes it
// out of the process (H100 and H200, CUDA 13.0). To come back takes 10 ms, for most of which
// threads that launch wait; to leave 2 ms. Its numbers of calls begin anew then (State::Numbered),
// its clock is its own again, and buffers that it holds are lost; ids of contexts, streams and
// nodes of graphs stay.
//
// One thread at a time: that of the program that starts us, later our own.
#pragma once

#include <string>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// Takes CUPTI's one subscription, and has it tell of calls (`calls`: as FollowCalls). No records
// are made yet. False: another client has it (`problem` names it), or CUPTI cannot be used; it is
// as it was. `refusal`: of which kind that is.
bool JoinCupti(bool calls, std::string* problem, wire::GpuNotice* refusal);
bool CuptiIsJoined();
// The undoing, once no records are made: another client finds CUPTI free. If no thread is in a
// callback or in a call that CUPTI follows (`is_quiet`), and it is one that can leave, calls take
// as long as without it from then on. What it had not handed out is lost.
void FreeCupti(bool is_quiet);

}  // namespace gprofx::cuda
