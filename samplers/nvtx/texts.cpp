#include "samplers/nvtx/texts.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

namespace gprofx::nvtx {
namespace {

constexpr uint64_t kKeptBytes = 4u << 20;
constexpr uint32_t kMax = wire::kMaxMarkerText;
constexpr uint64_t kKeptHead = offsetof(Kept, text);

constinit std::atomic<uint8_t*> g_memory{nullptr};
constinit std::atomic<uint64_t> g_used{0};

struct Full {
  uint32_t number, bytes;
  char text[24];
};
constexpr Full kFull{UINT32_MAX, 18, "[too many strings]"};
static_assert(offsetof(Full, text) == kKeptHead);

uint8_t* Memory() {
  uint8_t* memory = g_memory.load(std::memory_order_acquire);
  if (memory != nullptr) return memory;
  void* made = mmap(nullptr, kKeptBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  if (g_memory.compare_exchange_strong(memory, static_cast<uint8_t*>(made))) {
    return static_cast<uint8_t*>(made);
  }
  munmap(made, kKeptBytes);
  return memory;
}

bool IsContinued(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Writes the character `c` to `out` as UTF-8. Returns the number of bytes.
uint32_t Encode(uint32_t c, char* out) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  const auto tail = [c](uint32_t shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xc0 | c >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xe0 | c >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | c >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

}  // namespace

Text TextOf(const char* ascii) {
  if (ascii == nullptr) return {};
  uint32_t bytes = 0;
  while (bytes < kMax && ascii[bytes] != 0) ++bytes;
  // If the text was cut within a character, drop that character. Text that is not UTF-8 stays cut
  // where it is.
  if (bytes == kMax && IsContinued(ascii[kMax])) {
    for (uint32_t back = 1; back <= 3; ++back) {
      if (IsContinued(ascii[kMax - back])) continue;
      bytes = kMax - back;
      break;
    }
  }
  return {ascii, bytes};
}

Text TextOf(const wchar_t* wide, Scratch* scratch) {
  if (wide == nullptr) return {};
  uint32_t bytes = 0;
  for (; *wide != 0; ++wide) {
    char encoded[4];
    const uint32_t more = Encode(static_cast<uint32_t>(*wide), encoded);
    if (bytes + more > kMax) break;
    std::memcpy(scratch->data + bytes, encoded, more);
    bytes += more;
  }
  return {scratch->data, bytes};
}

Text TextOf(const Attributes* attributes, Scratch* scratch) {
  if (attributes == nullptr || attributes->size < sizeof(Attributes)) return {};
  switch (attributes->message_type) {
    case kMessageAscii:
      return TextOf(attributes->message.ascii);
    case kMessageWide:
      return TextOf(attributes->message.wide, scratch);
    case kMessageRegistered: {
      const Kept* kept = KeptAt(attributes->message.registered);
      return kept == nullptr ? Text{} : Text{kept->text, kept->bytes};
    }
    default:
      return {};
  }
}

const Kept* Keep(Text text, uint32_t number) {
  const uint64_t bytes = (kKeptHead + text.bytes + 7) & ~uint64_t{7};
  uint8_t* memory = Memory();
  uint64_t at = g_used.load(std::memory_order_relaxed);
  do {
    if (memory == nullptr || at + bytes > kKeptBytes) return reinterpret_cast<const Kept*>(&kFull);
  } while (!g_used.compare_exchange_weak(at, at + bytes));
  Kept* kept = reinterpret_cast<Kept*>(memory + at);
  kept->number = number;
  kept->bytes = text.bytes;
  std::memcpy(kept->text, text.data, text.bytes);
  return kept;
}

const Kept* KeptAt(const void* handle) {
  const auto* kept = static_cast<const Kept*>(handle);
  if (handle == &kFull) return kept;
  const uint8_t* memory = g_memory.load(std::memory_order_acquire);
  if (memory == nullptr || handle < memory) return nullptr;
  const uint64_t at = static_cast<uint64_t>(static_cast<const uint8_t*>(handle) - memory);
  const uint64_t used = g_used.load(std::memory_order_acquire);
  if (at % 8 != 0 || at + kKeptHead > used) return nullptr;
  return kept->bytes <= kMax && at + kKeptHead + kept->bytes <= used ? kept : nullptr;
}

}  // namespace gprofx::nvtx
