// Signal path. Code objects get an id (their offset in the shared arena, wire/records.h) when first
// seen, with a copy of their name, file and line table: the object is alive while the handler reads
// it, but later its address may belong to another object. The key is the address plus data that
// distinguishes objects at the same address, because torch.compile, dataclasses and namedtuples
// reuse addresses all the time: the version and the adjacent fields, where CPython gives each
// object its own version (3.12; 3.13 within an interpreter; none after 2^32 versions), otherwise a
// fingerprint of the contents.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/python/frames.h"
#include "samplers/agent/python/layout.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {

class CodeIds {
 public:
  void Start();  // at load and in a fork child: discards all ids
  // Returns the id of a verified code object, with kCallsModule if it is one of torch.nn.Module's
  // functions that call forward(); 0 if the arena is full (counted).
  uint32_t Id(uint64_t code, const PyLayout& layout);
  // Like Id, but does not require that `code` is a code object. Works only where the version
  // identifies a code object (3.12 and 3.13). Returns 0 if no id is stored for the object; an id
  // may still be stored for a freed one.
  uint32_t Known(uint64_t code, const PyLayout& layout) const;
  // Prefetches the memory in which Known or Id will search.
  void Fetch(uint64_t code, const PyLayout& layout) const;

 private:
  static constexpr uint32_t kSlots =
      1u << 13;  // power of two; a full neighborhood is overwritten, duplicates are harmless
  struct Slot {
    std::atomic<uint64_t> key;  // key ^ id: a torn pair does not match
    std::atomic<uint64_t> id;
  };
  static uint32_t SlotOf(uint64_t code) {
    return static_cast<uint32_t>(code * wire::kGolden >> 40) % kSlots;
  }
  uint64_t KeyOf(uint64_t code, const PyLayout& layout) const;
  uint64_t KeyOfVersion(uint64_t code, const PyLayout& layout, uint32_t version) const;
  bool Find(uint64_t code, uint64_t key, uint32_t* id, Slot** free_slot) const;

  Slot* slots_ = nullptr;
  uint64_t epoch_ = 0;
};

extern CodeIds g_codes;

// True if the (qualified) name of a verified code object equals, or its file name ends with, this
// ASCII text.
bool CodeNameIs(uint64_t code, const PyLayout& layout, const char* name);
bool CodeFileEndsWith(uint64_t code, const PyLayout& layout, const char* end);

// True if this object is a str equal to this ASCII text.
bool TextIs(uint64_t object, const PyLayout& layout, const char* text);

// Writes a str to `out` as UTF-8, at most `room` bytes. Stops before a NUL. Returns the number of
// bytes.
uint32_t CopyText(uint64_t object, const PyLayout& layout, char* out, uint32_t room);

// Copies a str into the arena, as a code object with only a name. Returns its id, or 0.
uint32_t RecordText(uint64_t object, const PyLayout& layout);

struct ProcessCodes {  // g_codes as the Codes policy of the walker
  const PyLayout& layout;
  uint32_t Known(uint64_t code) { return g_codes.Known(code, layout); }
  uint32_t Id(uint64_t code) { return g_codes.Id(code, layout); }
};

}  // namespace gprofx::agent
