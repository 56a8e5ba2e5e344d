// Brings CUPTI into the program's process to make records, and takes it out again.
//
// CUPTI keeps costing time after its first use: after its first records of kernels each launch
// takes 1.7 us more in a real program, even with records off, until cuptiFinalize takes CUPTI out
// of the process (H100 and H200, CUDA 13.0). Coming back takes 10 ms, during most of which
// launching threads wait; leaving takes 2 ms. When CUPTI comes back, its call numbers restart
// (State::Numbered), it uses its own clock again, and buffers that it held are lost; ids of
// contexts, streams and graph nodes stay.
//
// One thread at a time: the program's thread that starts us, later our own.
#pragma once

#include <string>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// Takes CUPTI's only subscription and makes it report the program's driver calls. `calls`: all of
// them, not only memory calls (FollowCalls in driver_calls.h). Makes no records yet. Returns false,
// and leaves CUPTI as it was, if CUPTI cannot be used or another client has the subscription. Then
// `problem` is the message, which names the other client, and `refusal` is its kind.
bool JoinCupti(bool calls, std::string* problem, wire::GpuNotice* refusal);
bool CuptiIsJoined();
// Undoes JoinCupti; call it once no records are made. Another client can subscribe afterwards.
// `is_quiet`: no thread is in a callback or in a call that CUPTI follows. If it is true and this
// version of CUPTI can leave the process, calls run at full speed from then on. Records that CUPTI
// had not delivered are lost.
void FreeCupti(bool is_quiet);

}  // namespace gprofx::cuda
