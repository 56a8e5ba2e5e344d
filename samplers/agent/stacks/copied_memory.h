// Signal path. Reads the process's own memory through the kernel, for samples that must not fault.
//
// A safe load (safe_load.h) needs our fault handler and room for its frame. A program may have
// replaced the handler by a raw system call (Go), and an alternate stack may be too small for a
// second frame. Then memory is copied by process_vm_readv(2), which returns an error where a load
// would fault. A copy costs half a microsecond, so whole pages are cached for the duration of one
// sample: a stack covers few of them. A search for callers (unwind/scan.h) may look at code all
// over, so it ends when a sample has copied many pages. Reads never end for that reason: what they
// find is cached for the whole recording. One thread at a time.
#pragma once

#include <cstdint>

namespace gprofx::agent {

class CopiedMemory {
 public:
  // Copies `bytes` bytes from `address`. False if a byte is not readable.
  bool Read(uint64_t address, void* to, uint64_t bytes);
  // True until the sample has copied many pages.
  bool MaySearch() const { return copies_ < kManyCopies; }
  // Invalidates the cached pages. Called when a sample begins.
  void Forget();

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint32_t kPages = 32;
  static constexpr uint32_t kManyCopies = 128;
  struct Page {
    uint64_t sample;  // number of the sample that copied it; 0 = never
    uint64_t number;
    bool readable;
    uint8_t bytes[kPageBytes];
  };
  const Page& Get(uint64_t number);

  uint64_t sample_ = 1;
  uint32_t copies_ = 0;  // of this sample
  long pid_ = 0;
  Page pages_[kPages];
};

}  // namespace gprofx::agent
