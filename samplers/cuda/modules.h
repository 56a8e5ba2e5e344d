// Identifies the code that is loaded on a GPU, and copies it to the spool. The collector reads
// symbols and lines from that copy. A module is identified by a hash of its whole image, because
// CUPTI's own hash reads only some thirty bytes.
//
// The copy goes to a file and not to memory, because vendor libraries load hundreds of megabytes.
// Each image is copied once per process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofx::cuda {

// Returns a 64-bit hash of all bytes, at about 10 GB/s. Method: multiply and fold, as in wyhash.
uint64_t HashImage(const void* data, size_t bytes);

// Callback for cuptiRegisterComputeCrcCallback.
void ComputeCrc(const void* image, size_t bytes, uint64_t* crc);

// Records a module that was loaded. `image` must stay valid during the call. Any thread.
void KeepModule(const void* image, size_t bytes);
// Forgets the modules and the spool. Called for a new recording, which has another spool and knows
// no module.
void ForgetModules();

}  // namespace gprofx::cuda
