// Loads a library without the memory that its constructors only fill with zeros.
//
// libnvperf_host.so, which CUPTI opens for instruction samples, has 119 MiB of .bss, and its
// constructors write to 101 MiB of it (CUDA 13.0). 67 MiB of these pages hold zeros afterwards:
// given back to the kernel they read as before, and take memory once something is written to them.
// Nobody may use the library meanwhile, so it happens between its constructors and CUPTI's first
// call. What another thread of the program, which opens this very library at that moment, writes to
// it may be lost.
#pragma once

#include <cstddef>
#include <string>

namespace gprofx::cuda {

// Closed at its end; whoever opened the library meanwhile keeps it.
class LeanLibrary {
 public:
  // Of a library that is loaded already all stays as it is. One that is not there, or has no folder
  // in its path, is no error. `flags`: those of dlopen. They hold for whoever opens it next, too,
  // as a library is bound once.
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

// Gives back the whole pages in [begin, begin + bytes), of memory that is private and has no file
// behind it, that hold zeros only. Nobody may write there meanwhile. How many bytes that were;
// pages that were never touched count as well.
size_t ReleaseZeroPages(void* begin, size_t bytes);

}  // namespace gprofx::cuda
