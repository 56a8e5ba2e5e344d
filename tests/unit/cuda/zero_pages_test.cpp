#include "samplers/cuda/cupti/zero_pages.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <tuple>
#include <vector>

#include "catch2/catch.hpp"

namespace gprofx::cuda {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

size_t PagesInMemory(const char* begin, size_t bytes) {
  std::vector<unsigned char> pages(bytes / kPage);
  REQUIRE(mincore(const_cast<char*>(begin), bytes, pages.data()) == 0);
  size_t n = 0;
  for (const unsigned char page : pages) n += page & 1;
  return n;
}

TEST_CASE("Pages of zeros are given back and read as before, others stay") {
  constexpr size_t kPages = 64;
  char* memory = static_cast<char*>(
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, kPages * kPage);
  std::memset(memory, 0, kPages * kPage);
  for (const size_t used : {size_t{0}, size_t{7}, size_t{8}, size_t{63}})
    memory[used * kPage + (used * 61) % kPage] = 5;
  REQUIRE(PagesInMemory(memory, kPages * kPage) == kPages);
  // Parts of pages at both ends are not its to give.
  CHECK(ReleaseZeroPages(memory + kPage + 8, (kPages - 3) * kPage) == (kPages - 6) * kPage);
  CHECK(PagesInMemory(memory, kPages * kPage) == 6);
  for (size_t i = 0; i < kPages * kPage; ++i) {
    const size_t page = i / kPage;
    const bool used = page == 0 || page == 7 || page == 8 || page == 63;
    if (memory[i] != (used && i % kPage == (page * 61) % kPage ? 5 : 0)) FAIL(i);
  }
  munmap(memory, kPages * kPage);
}

TEST_CASE("A library is loaded without what its constructors fill with zeros") {
  const LeanLibrary library(ZERO_FILLED_LIBRARY, RTLD_NOW);
  REQUIRE(library.loaded());
  void* handle = dlopen(ZERO_FILLED_LIBRARY, RTLD_NOLOAD | RTLD_LAZY);
  REQUIRE(handle != nullptr);
  const auto* begin = static_cast<const char*>(dlsym(handle, "memory_begin"));
  const auto* numbers = static_cast<const size_t*>(dlsym(handle, "memory_numbers"));
  REQUIRE(begin != nullptr);
  REQUIRE(numbers != nullptr);
  const auto [bytes, touched, marks] = std::tie(numbers[0], numbers[1], numbers[2]);
  CHECK(touched == bytes);  // by its constructor, or it proves nothing
  CHECK(library.released_bytes() >= bytes - (marks + 1) * kPage);
  CHECK(PagesInMemory(begin, bytes) == marks);
  size_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) sum += static_cast<size_t>(begin[i]);
  CHECK(sum == marks);
  // Loaded once more, nothing is taken from it.
  const LeanLibrary again(ZERO_FILLED_LIBRARY, RTLD_NOW);
  CHECK(again.loaded());
  CHECK(again.released_bytes() == 0);
  dlclose(handle);
}

TEST_CASE("A library that is not there is no error") {
  for (const char* path :
       {"/nonexistent/libnvperf_host.so", "libnvperf_host.so", "libm.so.6", ""}) {
    const LeanLibrary library(path, RTLD_NOW);
    CHECK_FALSE(library.loaded());
    CHECK(library.released_bytes() == 0);
  }
}

}  // namespace
}  // namespace gprofx::cuda
