// Loads a library and gives memory that its constructors only fill with zeros back to the kernel.
//
// libnvperf_host.so, which CUPTI opens for instruction samples, has 119 MiB of .bss. Its
// constructors write to 101 MiB of it (CUDA 13.0), and afterwards 67 MiB of these pages contain
// only zeros. After they are returned to the kernel they still read as zeros, and take memory only
// when they are written again. No thread may use the library meanwhile, so this happens between its
// constructors and CUPTI's first call. If another thread of the program opens this very library at
// that moment, its writes to the library's data may be lost.
#pragma once

#include <cstddef>
#include <string>

namespace gprofx::cuda {

// Loads a library in this way. The destructor closes our handle. If others have opened the library,
// it stays loaded.
class LeanLibrary {
 public:
  // Loads the library at `path`. If it is already loaded, its memory stays unchanged. It is no
  // error if the library does not exist or `path` has no folder. `flags` are those of dlopen. They
  // also apply to everyone who opens the library later, because it is bound only once.
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

// Gives the whole pages in [begin, begin + bytes) that contain only zeros back to the kernel. The
// memory must be private and anonymous, and no thread may write there meanwhile. Returns the number
// of bytes of these pages, including pages that were never touched.
size_t ReleaseZeroPages(void* begin, size_t bytes);

}  // namespace gprofx::cuda
