// Loads a library and frees the memory that its constructors only fill with zeros.
//
// libnvperf_host.so, which CUPTI opens for instruction samples, has 119 MiB of .bss, and its
// constructors write to 101 MiB of it (CUDA 13.0). Afterwards 67 MiB of these pages hold zeros.
// Returned to the kernel, they still read as zeros and take memory only when written. No thread may
// use the library meanwhile, so this happens between its constructors and CUPTI's first call. If
// another thread of the program opens this very library at that moment, its writes to the library's
// data may be lost.
#pragma once

#include <cstddef>
#include <string>

namespace gprofx::cuda {

// Loads a library in this way. The destructor closes our handle; the library stays loaded if others
// opened it meanwhile.
class LeanLibrary {
 public:
  // Leaves a library that is already loaded unchanged. A library that does not exist, or has no
  // folder in its path, is no error. `flags`: those of dlopen. They also apply to later openers, as
  // a library is bound once.
  LeanLibrary(const std::string& path, int flags);
  ~LeanLibrary();
  LeanLibrary(const LeanLibrary&) = delete;
  LeanLibrary& operator=(const LeanLibrary&) = delete;

  bool loaded() const { return handle_ != nullptr; }
  size_t released_bytes() const { return released_; }

 private:
  void* handle_ = nullptr;
  size_t released_ = 0;
};

// Returns to the kernel the whole pages in [begin, begin + bytes) that hold only zeros. The memory
// must be private and anonymous; no thread may write there meanwhile. Returns the number of bytes,
// including pages that were never touched.
size_t ReleaseZeroPages(void* begin, size_t bytes);

}  // namespace gprofx::cuda
