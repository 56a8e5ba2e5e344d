// Code that is loaded on a GPU: its identity (a hash of the whole image, because CUPTI's own looks
// at some thirty bytes) and a copy in the spool, from where the collector takes symbols and lines.
//
// The copy goes to a file, not to memory: vendor libraries load hundreds of megabytes. Each image
// is kept once per process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofx::cuda {

// 64 bits of every byte; about 10 GB/s. Method: multiply and fold, as in wyhash.
uint64_t HashImage(const void* data, size_t bytes);

// For cuptiRegisterComputeCrcCallback.
void ComputeCrc(const void* image, size_t bytes, uint64_t* crc);

// A module was loaded; `image` is valid during the call. Any thread.
void KeepModule(const void* image, size_t bytes);
// Another recording has another spool, and knows no module.
void ForgetModules();

}  // namespace gprofx::cuda
