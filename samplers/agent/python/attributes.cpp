// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/python/attributes.h"

#include "samplers/agent/python/codes.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kTypeBasicSize = 32, kTypeFlags = 168, kTypeDictOffset = 288;
constexpr uint64_t kInlineValues = 1u << 2;  // type flag, 3.13+
constexpr uint64_t kStrSubclass = 1u << 28, kDictSubclass = 1u << 29;
constexpr uint64_t kDictKeys = 32, kDictValues = 40;
constexpr uint64_t kMaxKeys = 4096;

uint64_t Load(uint64_t address) {
  uint64_t value = 0;
  SafeLoad(address, &value);
  return value;
}

uint64_t FlagsOf(uint64_t object, const PyLayout& layout) {
  const uint64_t type = object == 0 ? 0 : Load(object + layout.ob_type);
  return type == 0 ? 0 : Load(type + kTypeFlags);
}

// Returns PyHeapTypeObject::ht_cached_keys of the class `type`: the names of the attributes that
// its instances share.
uint64_t CachedKeys(uint64_t type, const PyLayout& layout) {
  return Load(type + (layout.minor == 11 ? 872 : layout.minor < 15 ? 880 : 888));
}

// Returns the address of the first attribute's value. From CPython 3.13 on, four bytes of metadata,
// padded to eight, precede the values.
uint64_t FirstValue(uint64_t values, const PyLayout& layout) {
  return values == 0 || layout.minor < 13 ? values : values + 8;
}

}  // namespace

DictItems::DictItems(uint64_t keys, uint64_t values, const PyLayout& layout) : values_(values) {
  if (keys == 0) return;
  if (layout.minor <= 10) {
    const uint64_t slots = Load(keys + 8);
    const uint64_t width = slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4;
    if (slots > kMaxKeys * 4) return;
    left_ = Load(keys + 32);
    at_ = keys + 40 + slots * width;
  } else {
    uint8_t log2_bytes = 0, kind = 0;
    if (!SafeLoad(keys + 9, &log2_bytes) || !SafeLoad(keys + 10, &kind) || log2_bytes > 16) return;
    has_hash_ = kind == 0;
    bytes_ = has_hash_ ? 24 : 16;
    left_ = Load(keys + 24);
    at_ = keys + 32 + (uint64_t{1} << log2_bytes);
  }
  if (left_ > kMaxKeys) left_ = 0;
}

DictItems DictItems::OfDict(uint64_t dictionary, const PyLayout& layout) {
  if (layout.free_threaded || (FlagsOf(dictionary, layout) & kDictSubclass) == 0) return {};
  return {Load(dictionary + kDictKeys), FirstValue(Load(dictionary + kDictValues), layout), layout};
}

DictItems DictItems::OfInstance(uint64_t object, const PyLayout& layout) {
  const uint64_t type = object == 0 ? 0 : Load(object + layout.ob_type);
  if (type == 0 || layout.free_threaded) return {};
  if (layout.minor <= 10) {
    const uint64_t offset = Load(type + kTypeDictOffset);
    return offset != 0 && offset < 4096 ? OfDict(Load(object + offset), layout) : DictItems();
  }
  const uint64_t before = Load(object - 24);
  if (layout.minor == 11) {
    const uint64_t values = Load(object - 32);
    if (values != 0) return {CachedKeys(type, layout), values, layout};
  } else if (layout.minor == 12) {
    if ((before & 1) != 0) return {CachedKeys(type, layout), before + 1, layout};
  } else if (before == 0) {
    const uint64_t values = object + Load(type + kTypeBasicSize);
    uint8_t valid = 0;
    if ((Load(type + kTypeFlags) & kInlineValues) == 0 || !SafeLoad(values + 3, &valid)) return {};
    return valid == 1 ? DictItems(CachedKeys(type, layout), FirstValue(values, layout), layout)
                      : DictItems();
  }
  return OfDict(before, layout);
}

bool DictItems::Next(uint64_t* key, uint64_t* value) {
  for (; left_ != 0; --left_) {
    const uint64_t entry = at_ + (has_hash_ ? 8 : 0);
    *key = Load(entry);
    *value = values_ != 0 ? Load(values_) : Load(entry + 8);
    at_ += bytes_;
    if (values_ != 0) values_ += 8;
    if (*key == 0 || *value == 0) continue;
    --left_;
    return true;
  }
  return false;
}

uint64_t AttributeOf(uint64_t object, const PyLayout& layout, const char* name, uint32_t* left) {
  DictItems items = DictItems::OfInstance(object, layout);
  for (uint64_t key = 0, value = 0; *left != 0 && items.Next(&key, &value); --*left) {
    if (TextIs(key, layout, name)) return value;
  }
  return 0;
}

bool IsStr(uint64_t object, const PyLayout& layout) {
  return (FlagsOf(object, layout) & kStrSubclass) != 0;
}

}  // namespace gprofx::agent
