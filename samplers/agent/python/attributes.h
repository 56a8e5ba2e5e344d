// Signal path. Attributes of Python objects and items of dictionaries, read from memory: nothing of
// the interpreter is called.
//
// Where an instance keeps its attributes differs by version: in a dictionary (to 3.10), in values
// before the object (3.11, 3.12) or within it (3.13 on), and from 3.11 on in a dictionary once it
// has many or somebody asked for __dict__. Safe loads, bounded; what cannot be read is not there.
// Not for free-threaded builds. Source: Include/internal/pycore_dict.h and pycore_object.h of each
// version.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// Keys and values in the order in which they were put in, those that are gone left out.
class DictItems {
 public:
  DictItems() = default;  // none
  // Of a dict or a subclass; of anything else there are none.
  static DictItems OfDict(uint64_t dictionary, const PyLayout& layout);
  // Of the instance's own attributes.
  static DictItems OfInstance(uint64_t object, const PyLayout& layout);

  bool Next(uint64_t* key, uint64_t* value);

 private:
  DictItems(uint64_t keys, uint64_t values, const PyLayout& layout);

  uint64_t at_ = 0;      // the next entry
  uint64_t bytes_ = 24;  // of an entry
  uint64_t left_ = 0;
  uint64_t values_ = 0;  // the next value where they stand apart from the keys, else 0
  bool has_hash_ = true;
};

// The attribute of an instance; 0 = it has none of that name. `left`: attributes that may be looked
// at yet, here and by whoever else counts on it.
uint64_t AttributeOf(uint64_t object, const PyLayout& layout, const char* name, uint32_t* left);
inline constexpr uint32_t kMaxAttributes = 4096;

bool IsStr(uint64_t object, const PyLayout& layout);

}  // namespace gprofx::agent
