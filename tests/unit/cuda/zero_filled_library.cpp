// A library whose constructor writes zeros to most of its memory, as that of libnvperf_host.so
// does.
#include <cstddef>

#define SEEN __attribute__((visibility("default")))

extern "C" {
alignas(65536) SEEN char memory_begin[4 << 20];
// Bytes of the memory, those that the constructor wrote, pages with something else than zeros.
SEEN size_t memory_numbers[3];
}

namespace {

struct Filler {
  Filler() {
    auto* memory = static_cast<volatile char*>(memory_begin);
    for (size_t i = 0; i < sizeof(memory_begin); ++i, ++memory_numbers[1]) memory[i] = 0;
    memory_numbers[0] = sizeof(memory_begin);
    for (size_t at = 5000; at < sizeof(memory_begin); at += 1 << 20, ++memory_numbers[2])
      memory[at] = 1;
  }
} filler;

}  // namespace
