// Signal path: no allocation, no locks, bounded loops.
#include "samplers/agent/python/thread_name.h"

#include "samplers/agent/python/codes.h"
#include "samplers/agent/safe_load.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kTypeBasicSize = 32, kTypeFlags = 168, kTypeDictOffset = 288;
constexpr uint64_t kInlineValues = 1u << 2;  // of the flags, from 3.13 on
constexpr uint64_t kDictKeys = 32, kDictValues = 40;
constexpr uint64_t kMostKeys = 256;

uint64_t Load(uint64_t address) {
  uint64_t value = 0;
  SafeLoad(address, &value);
  return value;
}

// The keys of a dictionary or of a class, and where the values beside them are (0: among the keys).
struct Attributes {
  uint64_t keys = 0, values = 0;
};

// PyHeapTypeObject::ht_cached_keys
uint64_t CachedKeys(uint64_t type, const PyLayout& layout) {
  return Load(type + (layout.minor == 11 ? 872 : 880));
}

// From 3.13 on four bytes that describe them stand before the values.
uint64_t FirstValue(uint64_t values, const PyLayout& layout) {
  return values == 0 || layout.minor < 13 ? values : values + 8;
}

Attributes OfDictionary(uint64_t dictionary, const PyLayout& layout) {
  if (dictionary == 0) return {};
  return {Load(dictionary + kDictKeys), FirstValue(Load(dictionary + kDictValues), layout)};
}

Attributes AttributesOf(uint64_t object, const PyLayout& layout) {
  const uint64_t type = Load(object + layout.ob_type);
  if (type == 0) return {};
  if (layout.minor <= 10) {
    const uint64_t offset = Load(type + kTypeDictOffset);
    return offset != 0 && offset < 4096 ? OfDictionary(Load(object + offset), layout)
                                        : Attributes{};
  }
  const uint64_t before = Load(object - 24);
  if (layout.minor == 11) {
    const uint64_t values = Load(object - 32);
    if (values != 0) return {CachedKeys(type, layout), values};
  } else if (layout.minor == 12) {
    if ((before & 1) != 0) return {CachedKeys(type, layout), before + 1};
  } else if (before == 0) {
    const uint64_t values = object + Load(type + kTypeBasicSize);
    uint8_t valid = 0;
    if ((Load(type + kTypeFlags) & kInlineValues) == 0 || !SafeLoad(values + 3, &valid)) return {};
    return valid == 1 ? Attributes{CachedKeys(type, layout), FirstValue(values, layout)}
                      : Attributes{};
  }
  return OfDictionary(before, layout);
}

// Where the entries of a table of keys begin, how large each is, and how many there are.
struct Entries {
  uint64_t begin = 0, bytes = 24, count = 0;
  bool has_hash = true;
};

Entries EntriesOf(uint64_t keys, const PyLayout& layout) {
  Entries entries;
  if (layout.minor <= 10) {
    const uint64_t slots = Load(keys + 8);
    const uint64_t width = slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4;
    if (slots > kMostKeys * 4) return {};
    entries.count = Load(keys + 32);
    entries.begin = keys + 40 + slots * width;
  } else {
    uint8_t log2_bytes = 0, kind = 0;
    if (!SafeLoad(keys + 9, &log2_bytes) || !SafeLoad(keys + 10, &kind) || log2_bytes > 12)
      return {};
    entries.has_hash = kind == 0;
    entries.bytes = entries.has_hash ? 24 : 16;
    entries.count = Load(keys + 24);
    entries.begin = keys + 32 + (uint64_t{1} << log2_bytes);
  }
  return entries.count <= kMostKeys ? entries : Entries{};
}

}  // namespace

bool StartsThread(uint64_t code, const PyLayout& layout) {
  const bool named = CodeNameIs(code, layout, "Thread._bootstrap") ||  // from 3.11 on
                     CodeNameIs(code, layout, "_bootstrap");
  return named && CodeFileEndsWith(code, layout, "/threading.py");
}

uint64_t NameOfThread(uint64_t frame, uint64_t code, const PyLayout& layout) {
  if (layout.free_threaded || layout.f_locals == 0) return 0;
  uint64_t thread = Load(frame + layout.f_locals);
  if (layout.minor >= 14) thread &= ~uint64_t{3};  // tagged reference
  if (thread == 0 || thread % 8 != 0) return 0;
  const Attributes attributes = AttributesOf(thread, layout);
  if (attributes.keys == 0) return 0;
  const Entries entries = EntriesOf(attributes.keys, layout);
  for (uint64_t i = 0; i < entries.count; ++i) {
    const uint64_t entry = entries.begin + i * entries.bytes + (entries.has_hash ? 8 : 0);
    if (!TextIs(Load(entry), layout, "_name")) continue;
    const uint64_t name =
        attributes.values != 0 ? Load(attributes.values + i * 8) : Load(entry + 8);
    const uint64_t str = Load(Load(code + layout.co_filename) + layout.ob_type);
    return name != 0 && Load(name + layout.ob_type) == str ? name : 0;
  }
  return 0;
}

}  // namespace gprofx::agent
