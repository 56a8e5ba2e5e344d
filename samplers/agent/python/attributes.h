// Signal path. Reads attributes of Python objects and items of dictionaries from memory, without
// calling the interpreter.
//
// Where an instance keeps its attributes depends on the version: in a dictionary (up to 3.10), in
// values before the object (3.11, 3.12) or within it (3.13+). From 3.11 on they move to a
// dictionary once there are many or __dict__ is accessed. Safe loads, bounded; unreadable items
// count as missing. Not for free-threaded builds. Source: Include/internal/pycore_dict.h and
// pycore_object.h of each version.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// Iterates over keys and values in insertion order, without deleted ones.
class DictItems {
 public:
  DictItems() = default;  // empty
  // Items of a dict or a subclass; empty for any other object.
  static DictItems OfDict(uint64_t dictionary, const PyLayout& layout);
  // The instance's own attributes.
  static DictItems OfInstance(uint64_t object, const PyLayout& layout);

  bool Next(uint64_t* key, uint64_t* value);

 private:
  DictItems(uint64_t keys, uint64_t values, const PyLayout& layout);

  uint64_t at_ = 0;      // the next entry
  uint64_t bytes_ = 24;  // bytes of an entry
  uint64_t left_ = 0;
  uint64_t values_ = 0;  // the next value if values are stored apart from the keys, else 0
  bool has_hash_ = true;
};

// Returns an attribute of an instance, or 0 if it has none of that name. `left`: remaining number
// of attributes that may be read; it is shared by several calls.
uint64_t AttributeOf(uint64_t object, const PyLayout& layout, const char* name, uint32_t* left);
inline constexpr uint32_t kMaxAttributes = 4096;

bool IsStr(uint64_t object, const PyLayout& layout);

}  // namespace gprofx::agent
