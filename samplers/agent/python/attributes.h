// Runs in signal handlers. Reads attributes of Python objects and items of dictionaries from
// memory, without calling the interpreter.
//
// CPython keeps the attributes of an instance in a dictionary (up to 3.10), in values before the
// object (3.11, 3.12) or in values within it (3.13+). From 3.11 on they move to a dictionary when
// there are many or when __dict__ is accessed. Uses safe loads and bounded loops; unreadable items
// count as missing. Not for free-threaded builds. Source: Include/internal/pycore_dict.h and
// pycore_object.h of each version.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// Iterates over the keys and values of a dictionary, or the attribute names and values of an
// instance. Items come in insertion order; deleted ones are skipped.
class DictItems {
 public:
  DictItems() = default;  // empty
  // Iterates over `dictionary`, a dict or an instance of a subclass of dict. Any other object has
  // no items.
  static DictItems OfDict(uint64_t dictionary, const PyLayout& layout);
  // Iterates over the attributes of the instance itself, not of its class.
  static DictItems OfInstance(uint64_t object, const PyLayout& layout);

  bool Next(uint64_t* key, uint64_t* value);

 private:
  DictItems(uint64_t keys, uint64_t values, const PyLayout& layout);

  uint64_t at_ = 0;      // address of the next entry
  uint64_t bytes_ = 24;  // size of an entry
  uint64_t left_ = 0;
  uint64_t values_ = 0;  // address of the next value if values are apart from keys, else 0
  bool has_hash_ = true;
};

// Returns the address of the value of the instance's attribute `name`, or 0 if the instance has no
// such attribute. *left is the number of attributes that may still be read, a limit that several
// calls share.
uint64_t AttributeOf(uint64_t object, const PyLayout& layout, const char* name, uint32_t* left);
inline constexpr uint32_t kMaxAttributes = 4096;

bool IsStr(uint64_t object, const PyLayout& layout);

}  // namespace gprofx::agent
