// Signal path. Code objects get an id on the wire when first seen, with a copy of their name, file
// and line table: the object is alive while the handler looks at it, later its address may be
// another's. The key is the address and a fingerprint of the object's content, because
// torch.compile, dataclasses and namedtuples reuse addresses all the time.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/python/frames.h"
#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

class CodeIds {
 public:
  void Start();  // at load and in a fork child: forgets all ids (the region on the wire is new)
  // Id of a checked code object, with kCallsModule where it is one of torch.nn.Module's functions that
  // call forward(); 0 when the arena is full (counted).
  uint32_t Id(uint64_t code, const PyLayout& layout);
  // Asks for the memory in which Id will look.
  void Fetch(uint64_t code) const {
    if (slots_ != nullptr) __builtin_prefetch(&slots_[SlotOf(code)]);
  }

 private:
  static constexpr uint32_t kSlots =
      1u << 13;  // power of two; a full neighbourhood is overwritten, copies are harmless
  struct Slot {
    std::atomic<uint64_t> key;  // fingerprint ^ id: a torn pair does not match
    std::atomic<uint64_t> id;
  };
  static uint32_t SlotOf(uint64_t code) {
    return static_cast<uint32_t>(code * 0x9e3779b97f4a7c15 >> 40) % kSlots;
  }
  Slot* slots_ = nullptr;
  uint64_t epoch_ = 0;
};

extern CodeIds g_codes;

// Is the (qualified) name of a checked code object this ASCII text? Does its file end so?
bool CodeNameIs(uint64_t code, const PyLayout& layout, const char* name);
bool CodeFileEndsWith(uint64_t code, const PyLayout& layout, const char* end);

// Is this object a str of this ASCII text?
bool TextIs(uint64_t object, const PyLayout& layout, const char* text);

// Appends a str to `out` as UTF-8, `room` bytes at most; how many they are. It ends before a NUL.
uint32_t CopyText(uint64_t object, const PyLayout& layout, char* out, uint32_t room);

// Copies a str into the arena, as a code object that has a name and nothing else; its id, or 0.
uint32_t RecordText(uint64_t object, const PyLayout& layout);

struct ProcessCodes {  // g_codes as the Codes policy of the walker
  const PyLayout& layout;
  uint32_t Id(uint64_t code) { return g_codes.Id(code, layout); }
};

}  // namespace gprofx::agent
