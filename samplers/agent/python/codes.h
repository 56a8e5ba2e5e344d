// Signal path. Code objects get an id on the wire when first seen, with a copy of their name, file
// and line table: the object is alive while the handler looks at it, later its address may be
// another's. The key is the address and what tells the object from others at this address, because
// torch.compile, dataclasses and namedtuples reuse addresses all the time: its version and what
// lies beside it, where CPython gives each a number of its own (3.12; 3.13 within an interpreter;
// none once there were 2^32), else a fingerprint of its content.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/python/frames.h"
#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

class CodeIds {
 public:
  void Start();  // at load and in a fork child: forgets all ids (the region on the wire is new)
  // Id of a checked code object, with kCallsModule where it is one of torch.nn.Module's functions
  // that call forward(); 0 when the arena is full (counted).
  uint32_t Id(uint64_t code, const PyLayout& layout);
  // The same of an object that need not be one, where its version tells it from others (3.12
  // and 3.13); 0 when it is not known by that. Who was one and is freed may still be known.
  uint32_t Known(uint64_t code, const PyLayout& layout) const;
  // Asks for the memory in which Known or Id will look.
  void Fetch(uint64_t code, const PyLayout& layout) const;

 private:
  static constexpr uint32_t kSlots =
      1u << 13;  // power of two; a full neighbourhood is overwritten, copies are harmless
  struct Slot {
    std::atomic<uint64_t> key;  // key ^ id: a torn pair does not match
    std::atomic<uint64_t> id;
  };
  static uint32_t SlotOf(uint64_t code) {
    return static_cast<uint32_t>(code * 0x9e3779b97f4a7c15 >> 40) % kSlots;
  }
  uint64_t KeyOf(uint64_t code, const PyLayout& layout) const;
  uint64_t KeyOfVersion(uint64_t code, const PyLayout& layout, uint32_t version) const;
  bool Find(uint64_t code, uint64_t key, uint32_t* id, Slot** free_slot) const;

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
  uint32_t Known(uint64_t code) { return g_codes.Known(code, layout); }
  uint32_t Id(uint64_t code) { return g_codes.Id(code, layout); }
};

}  // namespace gprofx::agent
