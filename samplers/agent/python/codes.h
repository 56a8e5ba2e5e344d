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
  // Returns the id of a verified code object. Sets its bit kCallsModule if it is one of
  // torch.nn.Module's functions that call forward(). Returns 0, and counts that, if the arena is
  // full.
  uint32_t Id(uint64_t code, const PyLayout& layout);
  // Like Id, but `code` need not be a code object. Works only where the version identifies a code
  // object (3.12 and 3.13). Returns 0 if no id is stored for it. An id may still be stored for an
  // object that was freed.
  uint32_t Known(uint64_t code, const PyLayout& layout) const;
  // Prefetches the memory in which Known or Id will search.
  void Fetch(uint64_t code, const PyLayout& layout) const;

 private:
  static constexpr uint32_t kSlots =
      1u << 13;  // power of two; a full neighborhood is overwritten, duplicates are harmless
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

// CodeNameIs: true if the (qualified) name of a verified code object equals this ASCII text.
// CodeFileEndsWith: true if its file name ends with it.
bool CodeNameIs(uint64_t code, const PyLayout& layout, const char* name);
bool CodeFileEndsWith(uint64_t code, const PyLayout& layout, const char* end);

// True if this object is a str equal to this ASCII text.
bool TextIs(uint64_t object, const PyLayout& layout, const char* text);

// Writes a str to `out` as UTF-8, at most `room` bytes and up to a NUL in the text. Returns the
// number of bytes.
uint32_t CopyText(uint64_t object, const PyLayout& layout, char* out, uint32_t room);

// Copies a str into the arena, as the record of a code object that has only a name. Returns its id,
// or 0 on failure.
uint32_t RecordText(uint64_t object, const PyLayout& layout);

struct ProcessCodes {  // the Codes policy of the walker (frames.h), with g_codes
  const PyLayout& layout;
  uint32_t Known(uint64_t code) { return g_codes.Known(code, layout); }
  uint32_t Id(uint64_t code) { return g_codes.Id(code, layout); }
};

}  // namespace gprofx::agent
