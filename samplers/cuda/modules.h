// Identifies the code that is loaded on a GPU, and copies it to the spool. The collector reads
// symbols and lines from that copy. A module is identified by a hash of its whole image, because
// CUPTI's own hash reads only some thirty bytes.
//
// The copy goes to a file and not to memory, because vendor libraries load hundreds of megabytes. A
// process copies each image once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofx::cuda {

// Returns a 64-bit hash of all `bytes` bytes. Processes about 10 GB/s. Method: multiply and fold,
// as in wyhash.
uint64_t HashImage(const void* data, size_t bytes);

// The callback to pass to cuptiRegisterComputeCrcCallback. Makes CUPTI identify modules by
// HashImage.
void ComputeCrc(const void* image, size_t bytes, uint64_t* crc);

// Copies a module that was loaded to the spool and records it. `image` must stay valid during the
// call. Any thread.
void KeepModule(const void* image, size_t bytes);
// Forgets the modules and the spool. Called for a new recording, which has another spool and knows
// no modules.
void ForgetModules();

}  // namespace gprofx::cuda
