// Brings CUPTI into the program's process, where it makes records, and takes it out again.
//
// CUPTI costs time after its first use. Once it has made records of kernels, each launch takes 1.7
// us more in a real program, even with records off, until cuptiFinalize takes CUPTI out of the
// process (H100 and H200, CUDA 13.0). Coming back takes 10 ms, during most of which launching
// threads wait; leaving takes 2 ms. When CUPTI comes back, its call numbers restart
// (State::Numbered), it uses its own clock again, and buffers that it had are lost. Ids of
// contexts, streams and graph nodes stay the same.
//
// Used by one thread at a time: the program's thread that starts us, later our own.
#pragma once

#include <string>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// Takes CUPTI's only subscription and makes CUPTI report the program's driver calls: all followed
// ones if `calls`, otherwise only memory calls (FollowCalls in driver_calls.h). CUPTI makes no
// records yet.
//
// Returns false, and leaves CUPTI as it was, if CUPTI cannot be used or another client has the
// subscription. Then *problem is the message, which names that client, and *refusal is its kind.
bool JoinCupti(bool calls, std::string* problem, wire::GpuNotice* refusal);
bool CuptiIsJoined();
// Undoes JoinCupti; another client can then subscribe. Called when no records are made any more.
// Records that CUPTI had not delivered are lost. `is_quiet` is true if no thread is in a callback
// or in a call that CUPTI follows. If so, and if this version of CUPTI can leave the process, it
// leaves, and calls run at full speed afterwards.
void FreeCupti(bool is_quiet);

}  // namespace gprofx::cuda
