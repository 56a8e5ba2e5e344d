// Runs in signal handlers. Gives each CPython code object an id: the offset of its record in the
// shared arena (wire/records.h). When a code object is first seen, its name, file and line table
// are copied into the record. It is alive while the handler reads it, but later its address may
// belong to another object.
//
// torch.compile, dataclasses and namedtuples reuse addresses all the time. The key of an id is
// therefore the address plus data that distinguishes objects at the same address. Where CPython
// gives each object its own version, that is the version and the adjacent fields (3.12; in 3.13 a
// version is unique within an interpreter; after 2^32 versions there are none). Otherwise it is a
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
  void Start();  // discards all ids; called at load and in a fork child
  // Returns the id of a verified code object. Its bit kCallsModule is set if the code object is one
  // of torch.nn.Module's functions that call forward(). If the arena is full, counts that and
  // returns 0.
  uint32_t Id(uint64_t code, const PyLayout& layout);
  // Returns the id that is stored for `code`, or 0 if there is none. `code` need not be a code
  // object. Works only where the version identifies a code object (3.12 and 3.13). The id may be
  // that of an object which was freed.
  uint32_t Known(uint64_t code, const PyLayout& layout) const;
  // Prefetches the memory in which Known or Id will search.
  void Fetch(uint64_t code, const PyLayout& layout) const;

 private:
  // Power of two; if all slots near a key are in use, one is overwritten: a second record is
  // harmless.
  static constexpr uint32_t kSlots = 1u << 13;
  struct Slot {
    std::atomic<uint64_t> key;  // key ^ id: a half-written pair does not match
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

// CodeNameIs: true if the name of a verified code object equals the ASCII text `name`. From CPython
// 3.11 on, that is the qualified name. CodeFileEndsWith: true if its file name ends with `end`.
bool CodeNameIs(uint64_t code, const PyLayout& layout, const char* name);
bool CodeFileEndsWith(uint64_t code, const PyLayout& layout, const char* end);

// True if `object` is a str that equals the ASCII text `text`.
bool TextIs(uint64_t object, const PyLayout& layout, const char* text);

// Writes a str to `out` as UTF-8. Stops at a NUL in the text, and before the output exceeds `room`
// bytes. Returns the number of bytes written.
uint32_t CopyText(uint64_t object, const PyLayout& layout, char* out, uint32_t room);

// Copies a str into the arena, as the name of a code record without a file and lines. Returns the
// id of the record, or 0 on failure.
uint32_t RecordText(uint64_t object, const PyLayout& layout);

struct ProcessCodes {  // Codes policy of the walker (frames.h) that uses g_codes
  const PyLayout& layout;
  uint32_t Known(uint64_t code) { return g_codes.Known(code, layout); }
  uint32_t Id(uint64_t code) { return g_codes.Id(code, layout); }
};

}  // namespace gprofx::agent
