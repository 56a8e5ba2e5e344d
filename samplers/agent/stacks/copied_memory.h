// Runs in signal handlers. Reads the process's own memory through the kernel, for samples that must
// not cause a fault.
//
// A safe load (safe_load.h) needs our fault handler and room on the stack for its frame. A program
// may have replaced the handler by a raw system call (Go), and an alternate stack may be too small
// for a second frame. Then memory is copied by process_vm_readv(2), which returns an error where a
// load would fault.
//
// A copy costs half a microsecond, so whole pages are cached for the duration of one sample; a
// stack covers few of them. A search for callers (unwind/scan.h) may read code in many places, so
// it must end when a sample has copied many pages. All other reads continue, because their results
// are cached for the whole recording. An object serves one thread at a time.
#pragma once

#include <cstdint>

namespace gprofx::agent {

class CopiedMemory {
 public:
  // Copies `bytes` bytes from `address`. Returns false if a byte is not readable.
  bool Read(uint64_t address, void* to, uint64_t bytes);
  // True until the present sample has copied kManyCopies pages. After that, a search for callers
  // must end.
  bool MaySearch() const { return copies_ < kManyCopies; }
  // Invalidates the cached pages. Called at the start of each sample.
  void Forget();

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint32_t kPages = 32;
  static constexpr uint32_t kManyCopies = 128;
  struct Page {
    uint64_t sample;  // number of the sample that copied this page; 0 = never
    uint64_t number;
    bool readable;
    uint8_t bytes[kPageBytes];
  };
  const Page& Get(uint64_t number);

  uint64_t sample_ = 1;
  uint32_t copies_ = 0;  // pages that the present sample has copied
  long pid_ = 0;
  Page pages_[kPages];
};

}  // namespace gprofx::agent
