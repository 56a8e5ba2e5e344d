#include "samplers/cuda/cupti/zero_pages.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gprofx::cuda {
namespace {

struct Span {
  uintptr_t begin = 0, end = 0;
};

struct Search {
  const std::string& path;
  std::vector<Span> found;
};

int AddSpans(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.path != info->dlpi_name) return 0;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    // Zero-initialised data begins on the page after the last one that the file fills.
    const uintptr_t at = info->dlpi_addr + segment.p_vaddr;
    const uintptr_t begin = (at + segment.p_filesz + page - 1) & ~(page - 1);
    const uintptr_t end = at + segment.p_memsz;
    if (begin < end) search.found.push_back({begin, end});
  }
  return 1;
}

// Returns the zero-initialised data (.bss) of the library that was opened by this path.
std::vector<Span> EmptyData(const std::string& path) {
  Search search{path, {}};
  dl_iterate_phdr(AddSpans, &search);
  return search.found;
}

bool IsZero(const char* page, size_t bytes) {
  const auto* words = reinterpret_cast<const uint64_t*>(page);
  return std::all_of(words, words + bytes / sizeof(uint64_t),
                     [](uint64_t word) { return word == 0; });
}

}  // namespace

size_t ReleaseZeroPages(void* begin, size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t from = (reinterpret_cast<uintptr_t>(begin) + page - 1) & ~(page - 1);
  const uintptr_t to = (reinterpret_cast<uintptr_t>(begin) + bytes) & ~(page - 1);
  size_t released = 0;
  for (uintptr_t run = from, at = from; run < to; run = at += page) {
    while (at < to && IsZero(reinterpret_cast<const char*>(at), page)) at += page;
    if (at > run && madvise(reinterpret_cast<void*>(run), at - run, MADV_DONTNEED) == 0)
      released += at - run;
  }
  return released;
}

LeanLibrary::LeanLibrary(const std::string& path, int flags) {
  if (path.find('/') == std::string::npos) return;
  handle_ = dlopen(path.c_str(), flags | RTLD_NOLOAD);
  if (handle_ != nullptr) return;
  handle_ = dlopen(path.c_str(), flags);
  if (handle_ == nullptr) return;
  for (const Span& span : EmptyData(path))
    released_ += ReleaseZeroPages(reinterpret_cast<void*>(span.begin), span.end - span.begin);
}

LeanLibrary::~LeanLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

}  // namespace gprofx::cuda
