// Code that is loaded on a GPU: its identity (a hash of the whole image, because CUPTI's own hash
// reads only some thirty bytes) and a copy in the spool, from which the collector reads symbols and
// lines.
//
// The copy goes to a file, not to memory: vendor libraries load hundreds of megabytes. Each image
// is kept once per process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofx::cuda {

// 64-bit hash over every byte; about 10 GB/s. Method: multiply and fold, as in wyhash.
uint64_t HashImage(const void* data, size_t bytes);

// Callback for cuptiRegisterComputeCrcCallback.
void ComputeCrc(const void* image, size_t bytes, uint64_t* crc);

// Records a loaded module; `image` must be valid during the call. Any thread.
void KeepModule(const void* image, size_t bytes);
// Forgets the modules and the spool: a new recording has another spool and knows no module.
void ForgetModules();

}  // namespace gprofx::cuda
